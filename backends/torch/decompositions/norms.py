"""
Decompositions of norms of vectors and of matrices, and of distances.
"""

import math

import torch

from graph import Unknown


def _norm(x, p, dim, keepdim=False):
    if p == 2:
        return (x * x).sum(dim, keepdim).sqrt()
    if p == 1:
        return x.abs().sum(dim, keepdim)
    if p in (math.inf, -math.inf):
        return x.abs().amax(dim, keepdim) if p > 0 else x.abs().amin(dim, keepdim)
    if p == 0:
        return (x != 0).sum(dim, keepdim).to(x.dtype)
    if not isinstance(p, (int, float)):
        raise Unknown(f"a norm with p = {p}")
    return (x.abs() ** p).sum(dim, keepdim) ** (1 / p)


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    return _norm(x1 - x2 + eps, p, -1, keepdim)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    lengths = [_norm(x, 2, dim, True).clamp(min=eps) for x in torch.broadcast_tensors(x1, x2)]
    return ((x1 / lengths[0]) * (x2 / lengths[1])).sum(dim)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    return input / _norm(input, p, dim, True).clamp(min=eps)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    input = input if dtype is None else input.to(dtype)
    if p == "nuc":
        return matrix_norm(input, p, (0, 1) if dim is None else dim, keepdim)
    p = 2 if p in ("fro", None) else p
    if dim is not None and dim not in ((), []):
        return _norm(input, p, dim, keepdim)
    made = (input * input).sum().sqrt() if p == 2 else _norm(input.flatten(), p, 0)
    return made.reshape([1] * input.dim()) if keepdim else made


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    return norm(x, ord, dim, keepdim, None, dtype)


def linalg_norm(A, ord=None, dim=None, keepdim=False, *, dtype=None, out=None):
    """Of all elements without `ord`; of a matrix along two axes, else of vectors."""
    axes = A.dim() if dim is None else len(dim) if isinstance(dim, (tuple, list)) else 1
    if ord is None or axes == 1:
        return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
    return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    """The largest or the smallest sum of a column or of a row, the length of all elements, or by singular values."""
    A = A if dtype is None else A.to(dtype)
    if ord == "fro":
        return _norm(A, 2, tuple(dim), keepdim)
    rows, columns = (axis % A.dim() for axis in dim)
    if ord in ("nuc", 2, -2):
        values = torch.linalg.svdvals(A.movedim((rows, columns), (-2, -1)))
        made = values.sum(-1) if ord == "nuc" else values.amax(-1) if ord == 2 else values.amin(-1)
    elif abs(ord) in (1, math.inf):
        summed, other = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = A.abs().sum(summed, True)
        made = (sums.amax(other, True) if ord > 0 else sums.amin(other, True)).sum((rows, columns))
    else:
        raise Unknown(f"a norm of matrices with ord = {ord}")
    return made.reshape([1 if i in (rows, columns) else n for i, n in enumerate(A.shape)]) if keepdim else made


def renorm(input, p, dim, maxnorm):
    """The slices along an axis whose norm is larger than maxnorm, scaled to it."""
    return _limited(input, p, [axis for axis in range(input.dim()) if axis != dim % input.dim()], maxnorm)


def _limited(x, p, axes, most):
    lengths = _norm(x, p, axes, True)
    return torch.where(lengths > most, x * (most / (lengths + 1e-7)), x)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    rows = torch.nn.functional.embedding(input, weight)
    return rows if max_norm is None else _limited(rows, norm_type, -1, max_norm)


def _weight_norm(v, g, dim=0):
    """The directions v, scaled to the lengths g of the parts along one axis, or of the whole if dim is -1."""
    axes = [axis for axis in range(v.dim()) if axis != dim]
    return v * (g / _norm(v, 2, axes, True))


def cdist(x1, x2, p=2.0, compute_mode=None):
    return _norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


def pdist(input, p=2.0):
    rows, columns = torch.triu_indices(input.shape[0], input.shape[0], 1)
    return _norm(input[rows] - input[columns], p, -1)


def dist(input, other, p=2):
    return _norm((input - other).flatten(), p, 0)


FUNCTIONS = {f.__name__: f for f in (
    pairwise_distance, cosine_similarity, normalize, norm, vector_norm, linalg_norm, matrix_norm, renorm, cdist, pdist, dist,
    _weight_norm)}
FUNCTIONS.update(linalg_vector_norm=vector_norm, linalg_matrix_norm=matrix_norm)
