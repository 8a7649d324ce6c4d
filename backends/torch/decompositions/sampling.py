"""
Decompositions of affine_grid and grid_sample by the formulas in the documentation of
torch.nn.functional.grid_sample.
"""

import torch

from graph import Unknown

BILINEAR, NEAREST = 0, 1
ZEROS, BORDER = 0, 1


def _evenly(count, align_corners):
    """Places from -1 to 1: of the corners, or of the middles of cells."""
    number = torch.arange(count, dtype=torch.float32)
    if align_corners:
        return number * (2 / (count - 1)) - 1 if count > 1 else number
    return (number * 2 + 1) / count - 1


def affine_grid_generator(theta, size, align_corners):
    batch, _, *space = size
    axes = [_evenly(n, align_corners).to(theta.dtype) for n in space]
    rank = len(space)
    parts = [a.reshape([-1 if i == axis else 1 for i in range(rank)]).expand(space)
             for axis, a in enumerate(axes)][::-1]
    base = torch.stack([*parts, torch.ones(space, dtype=theta.dtype)], -1).reshape([-1, rank + 1])
    return torch.matmul(base, theta.transpose(1, 2)).reshape([batch, *space, rank])


def _place(x, length, padding, align_corners):
    place = (x + 1) * ((length - 1) / 2) if align_corners else ((x + 1) * length - 1) / 2
    return place.clamp(0, length - 1) if padding == BORDER else place


def _at(flat, sizes, places):
    """The elements of flat, [batch, channel, row * width + column], at whole places; 0 beyond the image."""
    (high, wide), (row, column) = sizes, places
    inside = (row >= 0) & (row < high) & (column >= 0) & (column < wide)
    index = row.clamp(0, high - 1).to(torch.int64) * wide + column.clamp(0, wide - 1).to(torch.int64)
    batch, channels, _ = flat.shape
    shape = [batch, channels, index.shape[1] * index.shape[2]]
    taken = flat.gather(2, index.reshape([batch, 1, -1]).expand(shape))
    return torch.where(inside.reshape([batch, 1, -1]), taken, 0)


def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    if input.dim() != 4 or interpolation_mode not in (BILINEAR, NEAREST) or padding_mode not in (ZEROS, BORDER):
        raise Unknown("grid_sample of volumes, by \"bicubic\", or with padding by \"reflection\"")
    (batch, channels, high, wide), (_, rows, columns, _) = input.shape, grid.shape
    x = _place(grid[..., 0], wide, padding_mode, align_corners)
    y = _place(grid[..., 1], high, padding_mode, align_corners)
    flat, sizes = input.reshape([batch, channels, high * wide]), (high, wide)
    if interpolation_mode == NEAREST:
        made = _at(flat, sizes, (torch.round(y), torch.round(x)))
    else:
        left, top = torch.floor(x), torch.floor(y)
        right, low = (x - left), (y - top)
        made = 0
        for down, down_share in ((0, 1 - low), (1, low)):
            for beside, share in ((0, 1 - right), (1, right)):
                weight = (down_share * share).reshape([batch, 1, -1])
                made = made + _at(flat, sizes, (top + down, left + beside)) * weight
    return made.reshape([batch, channels, rows, columns])


FUNCTIONS = {f.__name__: f for f in (affine_grid_generator, grid_sampler)}
