"""
Decompositions of pooling that returns the places of its maxima, and of unpooling, which puts
elements back at such places.
"""

import itertools
import math

import torch
import torch.nn.functional as F


def _each(value, axes):
    return list(value) if isinstance(value, (tuple, list)) else [value] * axes


def _with_indices(axes):
    def function(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        """
        Among the windows' elements, one window of strided slices after the other, the first of the largest, or the
        last NaN.
        """
        pool = getattr(F, f"max_pool{axes}d")
        values = pool(input, kernel_size, stride, padding, dilation, ceil_mode)
        sizes, steps, sides, apart = (_each(v, axes) for v in (kernel_size, stride or kernel_size, padding, dilation))
        space, counts = list(input.shape[-axes:]), list(values.shape[-axes:])
        beyond = [max((count - 1) * step + (size - 1) * gap + 1 - n - side, 0) for count, step, size, gap, n, side in
                  zip(counts, steps, sizes, apart, space, sides)]
        around = [one for side, end in list(zip(sides, beyond))[::-1] for one in (side, end)]
        padded = F.pad(input, around, value=-3.0e38)
        places = torch.arange(math.prod(space)).reshape(space)
        places = F.pad(places, around, value=0)
        slices, found = [], []
        for window in range(math.prod(sizes)):
            index, rest = [], window
            for axis in range(axes - 1, -1, -1):
                first, rest = rest % sizes[axis] * apart[axis], rest // sizes[axis]
                index.insert(0, slice(first, first + (counts[axis] - 1) * steps[axis] + 1, steps[axis]))
            slices.append(padded[(..., *index)])
            found.append(places[tuple(index)])
        first = torch.stack(slices, -1).argmax(-1)
        indices = 0
        for window, place in enumerate(found):
            chosen = (first == window) | (slices[window] != slices[window])
            indices = torch.where(chosen, place, indices if window else torch.zeros_like(first))
        if all(gap == 1 for gap in apart):
            indices.windows = (space, sizes, steps, sides)
        return values, indices
    function.__name__ = f"max_pool{axes}d_with_indices"
    return function


def _adaptive_with_indices(axes):
    def function(input, output_size, return_indices=False):
        """Windows of equal length for each axis; what is beyond the end of a shorter one has the lowest number."""
        values = getattr(F, f"adaptive_max_pool{axes}d")(input, output_size)
        x, space, place, insides = input, list(input.shape[-axes:]), 0, []
        for axis in range(axes):
            length, count = space[axis], values.shape[axis - axes]
            each = torch.arange(count)
            start, end = each * length // count, -((-1 - each) * length // count)
            wide = max(-(-(i + 1) * length // count) - i * length // count for i in range(count))
            index = start.unsqueeze(1) + torch.arange(wide)
            along = input.dim() - axes + 2 * axis
            x = x.index_select(along, index.flatten().clamp(max=length - 1)).unflatten(along, (count, wide))
            shape = [n if d // 2 == axis else 1 for d, n in enumerate([count, wide] * axes)]
            place = place * length + index.reshape(shape)
            insides.append((index < end.unsqueeze(1)).reshape(shape))
        order = [*range(0, 2 * axes, 2), *range(1, 2 * axes, 2)]
        rest = input.dim() - axes
        for inside in insides:
            x = torch.where(inside, x, -math.inf)
        x = x.permute([*range(rest), *[rest + d for d in order]]).flatten(rest + axes)
        first = x.argmax(-1)
        place = place.permute(order).flatten(axes).expand(x.shape)
        return values, place.gather(-1, first.unsqueeze(-1)).squeeze(-1)
    function.__name__ = f"adaptive_max_pool{axes}d_with_indices"
    return function


def _spread(x, back, space, steps, sides):
    """For each place, the element of the window that begins `back` windows before the last one over the place."""
    rest = x.dim() - len(space)
    for axis, (shift, length, step, side) in enumerate(zip(back, space, steps, sides)):
        along = rest + axis
        x = x.repeat_interleave(step, along)
        first = side - shift * step
        before, after = max(-first, 0), max(first + length - x.shape[along], 0)
        if before or after:
            x = F.pad(x, [*[0, 0] * (x.dim() - 1 - along), before, after], value=-1)
        if x.shape[along] != length:
            x = x.narrow(along, max(first, 0), length)
    return x


def _unpooled_windows(input, indices, space, sizes, steps, sides):
    """Each place is that of one of the windows over it, or 0; of several the last counts."""
    places = torch.arange(math.prod(space), device=input.device).reshape(space)
    made = 0
    for back in itertools.product(*(range(-(-size // step) - 1, -1, -1) for size, step in zip(sizes, steps))):
        is_here = _spread(indices, back, space, steps, sides) == places
        made = torch.where(is_here, _spread(input, back, space, steps, sides), made)
    return made


def _unpool(axes):
    def function(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        sizes, steps, sides = (_each(v, axes) for v in (kernel_size, stride or kernel_size, padding))
        space = [(n - 1) * step - 2 * side + size for n, step, side, size in
                 zip(input.shape[-axes:], steps, sides, sizes)]
        space = list(output_size[-axes:]) if output_size is not None else space
        windows = getattr(indices, "windows", None)
        if windows and windows[0] == space and list(indices.shape) == list(input.shape):
            return _unpooled_windows(input, indices, *windows)
        rows = list(input.shape[:-axes])
        flat = torch.zeros([*rows, math.prod(space)], dtype=input.dtype)
        flat = flat.scatter(len(rows), indices.reshape([*rows, -1]), input.reshape([*rows, -1]))
        return flat.reshape([*rows, *space])
    function.__name__ = f"max_unpool{axes}d"
    return function


FUNCTIONS = {f.__name__: f for axes in (1, 2, 3) for f in (
    _with_indices(axes), _adaptive_with_indices(axes), _unpool(axes))}
