"""
Long rows in order: a network of comparisons that merges sorted parts in pairs.  Each of its steps reads and writes whole
rows, and for rows of n elements there are log2(n) * (log2(n) + 1) / 2.  Values and places go through networks of their
own, so that a model that reads only values has the shorter graph.
"""

import math

import torch
import torch.nn.functional as F


def _steps(wide):
    """How far apart the elements are that a step compares, and whether the second part is mirrored."""
    merged = 2
    while merged <= wide:
        yield merged // 2, True
        near = merged // 4
        while near:
            yield near, False
            near //= 2
        merged *= 2


def _through(parts, exchange):
    """Send values and what goes with them, [..., a power of two], through the network."""
    for near, mirrors in _steps(parts[0].shape[-1]):
        pairs = [x.unflatten(-1, (-1, 2, near)).unbind(-2) for x in parts]
        ones, others = [a for a, _ in pairs], [b.flip(-1) if mirrors else b for _, b in pairs]
        parts = [torch.stack([a, b.flip(-1) if mirrors else b], -2).flatten(-3)
                 for a, b in exchange(ones, others)]
    return parts


def _filled(rows, value):
    more = (1 << (rows.shape[-1] - 1).bit_length()) - rows.shape[-1]
    return F.pad(rows, (0, more), value=value) if more else rows


def _highest(dtype):
    return math.inf if dtype.is_floating_point else {torch.int64: 1 << 53}.get(dtype, (1 << 31) - 1)


def values(rows, descending):
    """The values along the last axis.  What was NaN comes after infinity."""
    length, highest = rows.shape[-1], _highest(rows.dtype)
    is_number = rows == rows
    numbers = torch.where(is_number, rows, highest) if rows.is_floating_point() else rows
    made = _through([_filled(numbers, highest)],
                    lambda a, b: [(torch.minimum(a[0], b[0]), torch.maximum(a[0], b[0]))])[0][..., :length]
    if rows.is_floating_point():
        before_end = torch.arange(length, device=rows.device) < is_number.sum(-1, keepdim=True)
        made = torch.where(before_end, made, rows.amax(-1, keepdim=True))
    return made.flip(-1) if descending else made


def order(rows, descending):
    """What stands at each place: its place in the row.  Equal elements keep their order, and NaN is the largest."""
    length, highest = rows.shape[-1], _highest(rows.dtype)
    place = torch.arange(length, device=rows.device)
    beyond = place + (-length if descending else length)  # among the infinite ones, before or after all
    place = torch.where(rows == rows, place, beyond)
    keys = torch.where(rows == rows, rows, highest) if rows.is_floating_point() else rows
    if descending:
        keys = -keys if rows.is_floating_point() else -1 - keys

    def in_order(ones, others):
        (a, i), (b, j) = ones, others
        swaps = (b < a) | ((b == a) & (j < i))
        return [(torch.where(swaps, y, x), torch.where(swaps, x, y)) for x, y in ((a, b), (i, j))]

    made = _through([_filled(keys, highest), _filled(place, 2 * length)], in_order)[1][..., :length]
    return torch.where(made < 0, made + length, torch.where(made < length, made, made - length))
