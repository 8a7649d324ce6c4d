"""
Decompositions (decompositions.py) of functions that choose few elements of each row: topk, and
scatter and one_hot along short axes.
"""

import torch

from graph import LOWEST, Unknown

# Elements that are chosen one after the other; a graph of many more steps is too long.
MOST_CHOSEN = 16


def _numbers(length, dim, rank, device):
    """0, 1, 2 ... along an axis."""
    return torch.arange(length, device=device).reshape([-1] + [1] * (rank - 1 - dim))


def _check_count(name, count):
    if count > MOST_CHOSEN:
        raise Unknown(f"{name} of {count} elements: at most {MOST_CHOSEN}")


def topk(input, k, dim=-1, largest=True, sorted=True):
    """topk: the largest element, then the largest of the others, and so on."""
    _check_count("topk", k)
    dim %= input.dim()
    left = input if largest else -input
    places = _numbers(input.shape[dim], dim, input.dim(), input.device)
    values, indices = [], []
    for _ in range(k):
        index = left.argmax(dim, keepdim=True)
        values.append(left.amax(dim, keepdim=True))
        indices.append(index)
        left = torch.where(places == index, LOWEST, left)
    made = torch.cat(values, dim)
    return made if largest else -made, torch.cat(indices, dim)


def _put(input, dim, index, src, combine):
    """Combine each element of src with that of input which the index names."""
    dim %= input.dim()
    _check_count("scatter", index.shape[dim])
    if any(index.shape[d] != input.shape[d] for d in range(input.dim()) if d != dim):
        raise Unknown("scatter to a part of the rows")
    places = _numbers(input.shape[dim], dim, input.dim(), input.device)
    for i in range(index.shape[dim]):
        one = src.narrow(dim, i, 1) if isinstance(src, torch.Tensor) else src
        input = torch.where(places == index.narrow(dim, i, 1), combine(input, one), input)
    return input


def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    combine = {None: lambda old, new: new, "add": lambda old, new: old + new,
               "multiply": lambda old, new: old * new}
    return _put(input, dim, index, value if src is None else src, combine[reduce])


def scatter_add(input, dim, index, src):
    return _put(input, dim, index, src, lambda old, new: old + new)


def one_hot(tensor, num_classes=-1):
    if num_classes < 0:
        raise Unknown("one_hot without num_classes, whose size depends on the data")
    places = _numbers(num_classes, tensor.dim(), tensor.dim() + 1, tensor.device)
    return (tensor.unsqueeze(-1) == places).to(torch.int64)


FUNCTIONS = {f.__name__: f for f in (topk, scatter, scatter_add, one_hot)}
