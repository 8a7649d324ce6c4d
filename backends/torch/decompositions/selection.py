"""Decompositions of topk and one_hot."""

import torch

from graph import LOWEST, Unknown

from .ordering import sort

# Elements that are chosen one after the other; a graph of many more steps is too long.
MOST_CHOSEN = 16

# What stands for NaN among the negatives of which the largest are chosen; above what has been chosen.
LAST = LOWEST * 0.99


def _numbers(length, dim, rank, device):
    """0, 1, 2 ... along an axis."""
    return torch.arange(length, device=device).reshape([-1] + [1] * (rank - 1 - dim))


def topk(input, k, dim=-1, largest=True, sorted=True):
    """The largest element, then the largest of the others, and so on; many are those of the sorted rows."""
    dim %= input.dim()
    if k > MOST_CHOSEN:
        return torch.return_types.topk([t.narrow(dim, 0, k) for t in sort(input, dim, largest)])
    left = input if largest else torch.where(input != input, LAST, -input)
    places = _numbers(input.shape[dim], dim, input.dim(), input.device)
    values, indices = [], []
    for _ in range(k):
        index = left.argmax(dim, keepdim=True)
        values.append(left.amax(dim, keepdim=True))
        indices.append(index)
        left = torch.where(places == index, LOWEST, left)
    order = torch.cat(indices, dim)
    return torch.return_types.topk((torch.cat(values, dim) if largest else input.gather(dim, order), order))


def one_hot(tensor, num_classes=-1):
    if num_classes < 0:
        raise Unknown("one_hot without num_classes, whose size depends on the data")
    places = _numbers(num_classes, tensor.dim(), tensor.dim() + 1, tensor.device)
    return (tensor.unsqueeze(-1) == places).to(torch.int64)


FUNCTIONS = {f.__name__: f for f in (topk, one_hot)}
