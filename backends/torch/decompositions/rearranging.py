"""
Decompositions of functions that move elements: shuffles of pixels and channels, fold,
diagonals, grids, stacks along given axes.
"""

import math

import torch
import torch.nn.functional as F

from graph import Unknown


def pixel_shuffle(input, upscale_factor):
    r, (*first, channels, height, width) = upscale_factor, input.shape
    made = input.reshape([*first, channels // (r * r), r, r, height, width])
    at = len(first)
    made = made.permute(*range(at), at, at + 3, at + 1, at + 4, at + 2)
    return made.reshape([*first, channels // (r * r), height * r, width * r])


def pixel_unshuffle(input, downscale_factor):
    r, (*first, channels, height, width) = downscale_factor, input.shape
    made = input.reshape([*first, channels, height // r, r, width // r, r])
    at = len(first)
    made = made.permute(*range(at), at, at + 2, at + 4, at + 1, at + 3)
    return made.reshape([*first, channels * r * r, height // r, width // r])


def channel_shuffle(input, groups):
    batch, channels, *space = input.shape
    made = input.reshape([batch, groups, channels // groups, *space])
    return made.transpose(1, 2).reshape(list(input.shape))


# Windows of more parts than this are a transposed convolution; an addition for each part would be a graph of its own.
MOST_PARTS = 32


def _part(kernel, stride, dilation):
    """Elements of a window that stay together: windows overlap by whole parts."""
    return math.gcd(kernel, stride) if dilation == 1 else 1


def _overlapped(x, size, padding, stride, dilation):
    """The sums, along an axis of `size`, of windows that overlap: the last two axes are a window's elements and windows."""
    kernel, count = x.shape[-2:]
    if (kernel, stride, padding) == (1, 1, 0):
        return x.reshape([-1, count])
    part = _part(kernel, stride, dilation)
    x = x.reshape([-1, kernel // part, part, count]).transpose(-1, -2)
    x = F.pad(x, (0, stride - part)).reshape([-1, kernel // part, count * stride])
    starts = [i * part * dilation - padding for i in range(kernel // part)]
    return sum(F.pad(x[:, i], (start, size - start - count * stride))
               for i, start in enumerate(starts) if -count * stride < start < size)


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """The sum of overlapping blocks, along rows and then along columns."""
    pair = lambda v: list(v) if isinstance(v, (tuple, list)) else [v, v]
    size, kernel, dilation, padding, stride = map(
        pair, (output_size, kernel_size, dilation, padding, stride))
    if input.dim() == 2:
        return fold(input.unsqueeze(0), size, kernel, dilation, padding, stride).squeeze(0)
    spans = [n + 2 * p - d * (k - 1) - 1 for n, k, d, p in zip(size, kernel, dilation, padding)]
    many = kernel[0] * kernel[1]
    channels = input.shape[1] // many
    blocks = [span // s + 1 for span, s in zip(spans, stride)]
    if max(k // _part(k, s, d) for k, s, d in zip(kernel, stride, dilation)) <= MOST_PARTS:
        x = input.reshape([-1, *kernel, *blocks]).transpose(2, 3)
        x = _overlapped(x, size[1], padding[1], stride[1], dilation[1]).reshape([-1, kernel[0], blocks[0], size[1]])
        x = _overlapped(x.movedim(-1, 1), size[0], padding[0], stride[0], dilation[0])
        return x.reshape([-1, channels, size[1], size[0]]).transpose(-1, -2)
    one = torch.eye(many, dtype=input.dtype, device=input.device).reshape([many, 1, *kernel])
    return F.conv_transpose2d(input.reshape([input.shape[0], input.shape[1], *blocks]),
                              one.repeat(channels, 1, 1, 1), None, stride, padding,
                              [span % s for span, s in zip(spans, stride)], channels, dilation)


def col2im(input, output_size, kernel_size, dilation, padding, stride):
    return fold(input, output_size, kernel_size, dilation, padding, stride)


def diagonal(input, offset=0, dim1=0, dim2=1):
    """Every (columns + 1)-th of all elements of the rows, from the first of the diagonal on."""
    x = input.movedim((dim1, dim2), (-2, -1))
    rows, columns = x.shape[-2:]
    top, left = max(-offset, 0), max(offset, 0)
    count = max(min(rows - top, columns - left), 0)
    if not count:
        raise Unknown("a diagonal without elements")
    first = top * columns + left
    return x.flatten(-2)[..., first:first + (count - 1) * (columns + 1) + 1:columns + 1]


def linalg_diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    return diagonal(A, offset, dim1, dim2)


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    size = input.shape[-1] + abs(offset)
    place = torch.arange(size, device=input.device)
    seen = place - place.unsqueeze(-1) == offset
    x = F.pad(input, (0, abs(offset)) if offset < 0 else (offset, 0)).unsqueeze(-1 if offset < 0 else -2)
    x = x.transpose(-2, -1) if offset < 0 else x
    return torch.where(seen, x, torch.zeros([], dtype=input.dtype)).movedim((-2, -1), (dim1, dim2))


def diag(input, diagonal_=0):
    return diag_embed(input, diagonal_) if input.dim() == 1 else diagonal(input, diagonal_)


def fill_diagonal(input, fill_value, wrap=False):
    if input.dim() != 2 or wrap:
        raise Unknown("fill_diagonal of a tensor with other than two axes, or with wrap")
    return torch.where(torch.eye(*input.shape, dtype=torch.bool, device=input.device), fill_value, input)


def as_strided(input, size, stride, storage_offset=0):
    """Each element by its place in the memory of the base, which has to begin with it."""
    if not input.is_contiguous() or input.storage_offset() or input._base is not None:
        raise Unknown("as_strided of a tensor that is a view, or not contiguous")
    place = torch.full([1] * len(size), storage_offset, dtype=torch.int64)
    for axis, (count, step) in enumerate(zip(size, stride)):
        place = place + (torch.arange(count) * step).reshape([-1 if i == axis else 1 for i in range(len(size))])
    return input.flatten().index_select(0, place.flatten()).reshape(list(size))


def cross(input, other, dim=None):
    """The product of vectors with three elements, by default along the first axis of that length."""
    if dim is None:
        dim = list(input.shape).index(3)
    one, two = torch.broadcast_tensors(input, other)
    return (torch.roll(one, -1, dim) * torch.roll(two, -2, dim) -
            torch.roll(one, -2, dim) * torch.roll(two, -1, dim))


def linalg_cross(input, other, *, dim=-1):
    return cross(input, other, dim)


def trace(input):
    return diagonal(input).sum()


def meshgrid(*tensors, indexing=None):
    tensors = tensors[0] if len(tensors) == 1 and not torch.is_tensor(tensors[0]) else tensors
    shape = [t.numel() for t in tensors]
    made = [t.reshape([-1 if i == axis else 1 for i in range(len(shape))]).expand(shape)
            for axis, t in enumerate(tensors)]
    return tuple(m.transpose(0, 1) if indexing == "xy" and len(shape) > 1 else m for m in made)


def _stacked(axis, rank, prepare):
    def function(tensors):
        given = [prepare(t) if t.dim() < rank else t for t in tensors]
        return torch.cat(given, axis if given[0].dim() > axis else 0)
    return function


def _row(t):
    return t.reshape(1, -1)


def _deep(t):
    return t.reshape(1, -1, 1) if t.dim() < 2 else t.unsqueeze(-1)


def rot90(input, k=1, dims=(0, 1)):
    first, second = dims
    if k % 4 == 2:
        return input.flip((first, second))
    if k % 4 == 0:
        return input
    return input.transpose(first, second).flip(first if k % 4 == 1 else second)


def diff(input, n=1, dim=-1, prepend=None, append=None):
    given = [t for t in (prepend, input, append) if t is not None]
    x = torch.cat(given, dim) if len(given) > 1 and n else input
    for _ in range(n):
        length = x.shape[dim] - 1
        first, second = x.narrow(dim, 0, length), x.narrow(dim, 1, length)
        x = second != first if x.dtype == torch.bool else second - first
    return x


def take_along_dim(input, indices, dim=None):
    if dim is None:
        return input.flatten().gather(0, indices.flatten())
    axis = dim % input.dim()
    shape = list(torch.broadcast_shapes(*[
        [1 if i == axis else n for i, n in enumerate(t.shape)] for t in (input, indices)]))
    sized = lambda t: t.expand(shape[:axis] + [t.shape[axis]] + shape[axis + 1:])
    return sized(input).gather(axis, sized(indices))


def cartesian_prod(*tensors):
    if len(tensors) == 1:
        return tensors[0]
    return torch.stack([t.flatten() for t in meshgrid(*tensors, indexing="ij")], -1)


def _at_least(rank):
    def function(*tensors):
        tensors = tensors[0] if len(tensors) == 1 and not torch.is_tensor(tensors[0]) else tensors
        made = [_of_rank(t, rank) for t in tensors]
        return made[0] if len(made) == 1 else tuple(made)
    function.__name__ = f"atleast_{rank}d"
    return function


def _of_rank(t, rank):
    if t.dim() >= rank:
        return t
    return _deep(t) if rank == 3 else _row(t) if rank == 2 else t.reshape(1)


def _split_along(axis):
    def function(input, sections):
        return input.tensor_split(sections, axis if input.dim() > 1 or axis > 1 else 0)
    return function


def diagflat(input, offset=0):
    return diag_embed(input.flatten(), offset)


def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    made = input.clone()
    made[(slice(None),) * (dim % input.dim()) + (slice(start, end, step),)] = src
    return made


def select_scatter(input, src, dim, index):
    made = input.clone()
    made[(slice(None),) * (dim % input.dim()) + (index,)] = src
    return made


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    x = input.movedim((dim1, dim2), (-2, -1))
    row, column = (torch.arange(length, device=x.device).reshape(shape)
                   for length, shape in ((x.shape[-2], [-1, 1]), (x.shape[-1], [1, -1])))
    place = torch.minimum(row, column).clamp(max=src.shape[-1] - 1)
    return torch.where(column - row == offset, src.to(x.dtype)[..., place], x).movedim((-2, -1), (dim1, dim2))


def take(input, index):
    return input.flatten()[index]


def vander(x, N=None, increasing=False):
    count = x.shape[-1] if N is None else N
    powers = torch.stack([torch.ones_like(x)] + [x] * (count - 1), -1).cumprod(-1)
    return powers if increasing else powers.flip(-1)


def linalg_vander(x, *, N=None):
    x = x if x.dim() else x.reshape(1)
    return vander(x, N, True)


def sum_to_size(input, *size):
    size = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
    more = input.dim() - len(size)
    axes = [i for i, n in enumerate(input.shape) if i < more or n != size[i - more]]
    made = input.sum(axes, keepdim=True) if axes else input
    return made.reshape(list(size))


def unravel_index(indices, shape):
    places, made = indices, []
    for length in reversed([shape] if isinstance(shape, int) else list(shape)):
        made.append(places % length)
        places = places // length
    return tuple(made[::-1])


def _triangle(is_below):
    """The rows and columns of a triangle, which do not depend on data."""
    def function(row, col, offset=0, *, dtype=torch.long, device=None, layout=None):
        places = [(i, j) for i in range(row) for j in range(col)
                  if (j - i <= offset if is_below else j - i >= offset)]
        return torch.tensor([[i for i, _ in places], [j for _, j in places]], dtype=dtype, device=device)
    return function


FUNCTIONS = {f.__name__: f for f in (
    cartesian_prod, diagflat, slice_scatter, select_scatter, diagonal_scatter, take, vander, linalg_vander,
    sum_to_size, unravel_index, _at_least(1), _at_least(2), _at_least(3),
    pixel_shuffle, pixel_unshuffle, channel_shuffle, fold, col2im, diagonal, linalg_diagonal, diag_embed, diag, fill_diagonal,
    as_strided, cross, linalg_cross, trace, meshgrid, rot90, diff, take_along_dim)}
FUNCTIONS.update(hstack=_stacked(1, 1, lambda t: t.reshape(1)), vstack=_stacked(0, 2, _row),
                 row_stack=_stacked(0, 2, _row), dstack=_stacked(2, 3, _deep),
                 column_stack=_stacked(1, 2, lambda t: t.reshape(-1, 1)),
                 flipud=lambda input: input.flip(0), fliplr=lambda input: input.flip(1),
                 native_channel_shuffle=channel_shuffle, tril_indices=_triangle(True), triu_indices=_triangle(False),
                 unsafe_chunk=lambda input, chunks, dim=0: input.chunk(chunks, dim),
                 unsafe_split=lambda input, size, dim=0: input.split(size, dim), H=lambda input: input.mT,
                 constant_pad_nd=lambda input, pad, value=0: F.pad(input, pad, value=value), hsplit=_split_along(1), vsplit=_split_along(0), dsplit=_split_along(2))
