"""Decompositions of topk and one_hot."""

import math

import torch

from graph import LOWEST, Unknown

from .ordering import sort

# Elements that are chosen one after the other; a graph of many more steps is too long.
MOST_CHOSEN = 16

# What stands for the lowest infinity, and for NaN among the negatives of which the largest are chosen: below other
# numbers, and above what has been chosen.
INFINITE, LAST = LOWEST * 0.98, LOWEST * 0.99
# Below the integers of a type that are exact.
LEAST = {torch.uint8: -1, torch.int8: -129, torch.int16: -32769, torch.int32: -1 << 31, torch.int64: -1 << 53}


def _numbers(length, dim, rank, device):
    """0, 1, 2 ... along an axis."""
    return torch.arange(length, device=device).reshape([-1] + [1] * (rank - 1 - dim))


def topk(input, k, dim=-1, largest=True, sorted=True):
    """The largest element, then the largest of the others, and so on; many are those of the sorted rows."""
    dim %= input.dim()
    if k > MOST_CHOSEN:
        return torch.return_types.topk([t.narrow(dim, 0, k) for t in sort(input, dim, largest)])
    left = input if largest else -input
    if input.is_floating_point():
        left = left if largest else torch.where(input != input, LAST, left)
        left = torch.where(left == -math.inf, INFINITE, left)
    places = _numbers(input.shape[dim], dim, input.dim(), input.device)
    values, indices, below = [], [], LOWEST if input.is_floating_point() else LEAST[input.dtype]
    for _ in range(k):
        index = left.argmax(dim, keepdim=True)
        values.append(left.amax(dim, keepdim=True))
        indices.append(index)
        left = torch.where(places == index, below, left)
    order, values = torch.cat(indices, dim), torch.cat(values, dim)
    if largest and input.is_floating_point():
        values = torch.where(values == INFINITE, -math.inf, values)
    return torch.return_types.topk((values if largest else input.gather(dim, order), order))


def one_hot(tensor, num_classes=-1):
    if num_classes < 0:
        raise Unknown("one_hot without num_classes, whose size depends on the data")
    places = _numbers(num_classes, tensor.dim(), tensor.dim() + 1, tensor.device)
    return (tensor.unsqueeze(-1) == places).to(torch.int64)


FUNCTIONS = {f.__name__: f for f in (topk, one_hot)}
