"""
Decompositions of functions that repeat or resize: repeat_interleave, and
interpolate by the formulas in the documentation of torch.nn.Upsample.
"""

import torch

from graph import Unknown


def repeat_interleave(input, repeats, dim=None, *, output_size=None):
    if dim is None:
        input, dim = input.flatten(), 0
    if not isinstance(repeats, int):
        if output_size is None:
            raise Unknown("repeat_interleave by the numbers of a tensor: give output_size")
        ends = repeats.expand(input.shape[dim]).cumsum(0)
        return input.index_select(dim, torch.searchsorted(ends, torch.arange(output_size), right=True))
    shape, dim = list(input.shape), dim % input.dim()
    wide = input.unsqueeze(dim + 1).expand(shape[:dim + 1] + [repeats] + shape[dim + 1:])
    return wide.reshape(shape[:dim] + [shape[dim] * repeats] + shape[dim + 1:])


def _nearest(x, dim, size, scale, shift=0.0):
    """Nearest neighbour: element i is the element floor((i + shift) * scale) of the operand."""
    if size % x.shape[dim] == 0 and scale == x.shape[dim] / size:
        return repeat_interleave(x, size // x.shape[dim], dim)
    counted = torch.arange(size, device=x.device, dtype=torch.float32)
    places = ((counted + shift if shift else counted) * scale).to(torch.int64)
    return x.index_select(dim, places.clamp(max=x.shape[dim] - 1))


def _below(place, length, scale, are_corners_aligned):
    """
    The largest whole numbers that are not above the places.  They are found from whole numbers where the scale is the quotient of
    the sizes, so that no rounding chooses an element.
    """
    size = place.shape[0]
    if not are_corners_aligned and scale != length / size:
        return torch.floor(place).to(torch.int64)
    step, first, unit = (length - 1, 0, max(size - 1, 1)) if are_corners_aligned else (2 * length, length - size, 2 * size)
    return torch.searchsorted(torch.arange(length) * unit, torch.arange(size) * step + first, right=True) - 1


def _linear(x, dim, size, scale, are_corners_aligned):
    """The mean of two neighbours, weighted by their distance."""
    length, counted = x.shape[dim], torch.arange(size, device=x.device, dtype=torch.float32)
    place = counted * scale if are_corners_aligned else ((counted + 0.5) * scale - 0.5).clamp(min=0)
    below = _below(place, length, scale, are_corners_aligned).clamp(0, length - 1)
    above = (below + 1).clamp(max=length - 1)
    share = (place - below.to(torch.float32)).reshape([-1] + [1] * (x.dim() - 1 - dim))
    share = share.to(x.dtype)
    return x.index_select(dim, below) * (1 - share) + x.index_select(dim, above) * share


def cubic_weight(distance, a=-0.75):
    """Keys' kernel; PyTorch's a is -0.5 where it smooths."""
    d = abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return torch.where(d <= 1, near, torch.where(d < 2, far, 0.0))


def _cubic(x, dim, size, scale, are_corners_aligned):
    """Four neighbours, weighted by a cubic of their distance."""
    length, counted = x.shape[dim], torch.arange(size, device=x.device, dtype=torch.float32)
    place = counted * scale if are_corners_aligned else (counted + 0.5) * scale - 0.5
    first, made = _below(place, length, scale, are_corners_aligned), 0
    below = first.to(torch.float32)
    for step in (-1, 0, 1, 2):
        weight = cubic_weight(place - below - step).reshape([-1] + [1] * (x.dim() - 1 - dim))
        index = (first + step).clamp(0, length - 1)
        made = made + x.index_select(dim, index) * weight.to(x.dtype)
    return made


def _smoothed(x, dim, size, scale, is_cubic):
    """With antialias: all elements below a kernel that is as wide as the step, as a product with a matrix."""
    length, wide = x.shape[dim], max(scale, 1.0)
    reach = (2 if is_cubic else 1) * wide
    middle = ((torch.arange(size, dtype=torch.float32) + 0.5) * scale).unsqueeze(1)
    place = torch.arange(length, dtype=torch.float32)
    first, end = torch.floor(middle - reach + 0.5), torch.floor(middle + reach + 0.5)
    distance = (place - middle + 0.5) / wide
    weight = cubic_weight(distance, -0.5) if is_cubic else torch.relu(1 - abs(distance))
    weight = torch.where((place >= first) & (place < end), weight, 0.0)
    weight = (weight / weight.sum(1, keepdim=True)).to(x.dtype)
    return torch.matmul(x.movedim(dim, -1), weight.transpose(0, 1)).movedim(-1, dim)


def _sizes(input, size, factor):
    """The length, the factor and the wanted size of each axis."""
    each = lambda v: list(v) if isinstance(v, (tuple, list)) else [v] * (input.dim() - 2)
    return zip(input.shape[2:], each(factor), each(size))


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias=False):
    if mode == "area":
        return getattr(torch.nn.functional, f"adaptive_avg_pool{input.dim() - 2}d")(input, [
            int(n * f) if size is None else s for n, f, s in _sizes(input, size, scale_factor)])
    linear = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}
    axes = input.dim() - 2
    if mode not in ("nearest", "nearest-exact", *linear) or linear.get(mode, axes) != axes:
        raise Unknown(f"interpolate by \"{mode}\"")
    for axis, (length, factor, wanted) in enumerate(_sizes(input, size, scale_factor)):
        wanted = int(length * factor) if wanted is None else wanted
        scale = length / wanted if factor is None or recompute_scale_factor else 1 / factor
        if align_corners:
            scale = (length - 1) / (wanted - 1) if wanted > 1 else 0.0
        if mode.startswith("nearest"):
            input = _nearest(input, axis + 2, wanted, scale, 0.5 if mode == "nearest-exact" else 0.0)
        elif antialias:
            input = _smoothed(input, axis + 2, wanted, scale, mode == "bicubic")
        elif wanted != length:
            resize = _cubic if mode == "bicubic" else _linear
            input = resize(input, axis + 2, wanted, scale, bool(align_corners))
    return input


FUNCTIONS = {"repeat_interleave": repeat_interleave, "interpolate": interpolate}
