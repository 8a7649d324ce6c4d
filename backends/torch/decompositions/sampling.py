"""
Decompositions of affine_grid and grid_sample by the formulas in the documentation of
torch.nn.functional.grid_sample.
"""

import itertools
import math

import torch

from .resizing import cubic_weight

BILINEAR, NEAREST, BICUBIC = 0, 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2


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


def _reflected(place, low, high):
    """A place that is thrown back at both ends until it is between them."""
    if low == high:
        return torch.zeros_like(place)
    span = high - low
    away = abs(place - low)
    turns = torch.floor(away / span)
    extra = away - turns * span
    return torch.where(torch.remainder(turns, 2) == 0, extra + low, high - extra)


def _inside(place, length, padding, align_corners):
    """The place that is read for one, which may be beyond the image."""
    if padding == REFLECTION:
        ends = (0, length - 1) if align_corners else (-0.5, length - 0.5)
        place = _reflected(place, *ends)
    return place if padding == ZEROS else place.clamp(0, length - 1)


def _at(input, places):
    """The elements of [batch, channel, ...] at whole places, one tensor for each axis; 0 beyond the image."""
    batch, channels, *sizes = input.shape
    seen, index = [], 0
    for place, length in zip(places, sizes):
        seen.append((place >= 0) & (place < length))
        index = index * length + place.clamp(0, length - 1).to(torch.int64)
    inside = seen[0]
    for one in seen[1:]:
        inside = inside & one
    shape = [batch, channels, index[0].numel()]
    taken = input.flatten(2).gather(2, index.reshape([batch, 1, -1]).expand(shape))
    return torch.where(inside.reshape([batch, 1, -1]), taken, 0)


def _weighted(input, neighbours):
    """The sum over all combinations of neighbours, a list of pairs (place, weight) for each axis."""
    made = 0
    for several in itertools.product(*neighbours):
        weight = math.prod((share for _, share in several[1:]), start=several[0][1])
        made = made + _at(input, [place for place, _ in several]) * weight.reshape([input.shape[0], 1, -1])
    return made


def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    sizes, wanted = input.shape[2:], list(grid.shape[1:-1])
    whole = lambda place, n: _inside(place, n, padding_mode, align_corners)
    places = []
    for axis, n in enumerate(sizes):
        x = grid[..., len(sizes) - 1 - axis]
        places.append((x + 1) * ((n - 1) / 2) if align_corners else ((x + 1) * n - 1) / 2)
    if interpolation_mode != BICUBIC:
        places = [whole(place, n) for place, n in zip(places, sizes)]
    if interpolation_mode == NEAREST:
        return _at(input, [torch.round(place) for place in places]).reshape([*input.shape[:2], *wanted])
    neighbours = []
    for place, n in zip(places, sizes):
        below = torch.floor(place)
        share = place - below
        if interpolation_mode == BILINEAR:
            neighbours.append([(below, 1 - share), (below + 1, share)])
        else:
            neighbours.append([(whole(below + step, n), cubic_weight(share - step)) for step in (-1, 0, 1, 2)])
    return _weighted(input, neighbours).reshape([*input.shape[:2], *wanted])


FUNCTIONS = {f.__name__: f for f in (affine_grid_generator, grid_sampler)}
FUNCTIONS.update(grid_sampler_2d=grid_sampler, grid_sampler_3d=grid_sampler)
