"""
Decompositions of norms of vectors, and of distances.
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
    lengths = [_norm(x, 2, dim, True).clamp(min=eps) for x in (x1, x2)]
    return ((x1 / lengths[0]) * (x2 / lengths[1])).sum(dim)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    return input / _norm(input, p, dim, True).clamp(min=eps)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    if dim is None and p in ("fro", 2, None):
        return (input * input).sum().sqrt()
    if dim is None:
        input, dim = input.flatten(), 0
    return _norm(input, 2 if p in ("fro", None) else p, dim, keepdim)


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    return norm(x, ord, dim, keepdim)


def matrix_norm(input, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    if ord != "fro":
        raise Unknown(f"a norm of matrices with ord = {ord}")
    return _norm(input, 2, dim, keepdim)


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
    pairwise_distance, cosine_similarity, normalize, norm, vector_norm, matrix_norm, cdist, pdist, dist, _weight_norm)}
FUNCTIONS.update(linalg_vector_norm=vector_norm, linalg_matrix_norm=matrix_norm)
