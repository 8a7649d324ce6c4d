"""Rules (rules.py) for functions that make tensors of numbers: constants, counts, and lists of numbers."""

import math

import torch

from conversion import cast_to
from graph import LOWEST, MASKED, Unknown
from rules_movement import count, numbers


def arange(g, result, start=0, end=None, step=1, **kwargs):
    first = 0 if end is None else start
    counted = count(g, list(result.shape), 0, result.dtype)
    scaled = counted if step == 1 else g.node("mul", [counted, step])
    return g.node("add", [scaled, first - step])


def zeros(g, result, *args, **kwargs):
    return g.constant(result, 0)


def ones(g, result, *args, **kwargs):
    return g.constant(result, 1)


def new_tensor(g, result, input, data, **kwargs):
    return tensor(g, result, data)


def new_full(g, result, input, size, fill_value, **kwargs):
    return full(g, result, size, fill_value)


def full(g, result, size, fill_value, **kwargs):
    if fill_value != -math.inf:
        return g.constant(result, fill_value)
    everywhere = g.constant(torch.empty_like(result, dtype=torch.bool), 1)
    return g.node("where", [everywhere, LOWEST, g.constant(result, 0)], **{MASKED: True})


def fill(g, result, input, value=0):
    return g.constant(result, value)


def tensor(g, result, data, dtype=None, **kwargs):
    if isinstance(data, torch.Tensor):
        return cast_to(g, data, result.dtype)
    if isinstance(data, (int, float)):
        return g.constant(result, data)
    return g.node("reshape", [numbers(g, _flat(data), result.dtype)], shape=list(result.shape))


def _flat(data):
    """The numbers of nested lists."""
    if isinstance(data, (list, tuple)):
        return [number for item in data for number in _flat(item)]
    if not isinstance(data, (int, float)):
        raise Unknown(f"a tensor made of a {type(data).__name__}")
    return [data]


def linspace(g, result, start, end, steps, **kwargs):
    counted = count(g, list(result.shape), 0, result.dtype)
    step = (end - start) / (steps - 1) if steps > 1 else 0
    return g.node("add", [g.node("mul", [counted, step]), start - step])


RULES = {
    "arange": arange, "linspace": linspace, "new_tensor": new_tensor, "new_full": new_full,
    **dict.fromkeys(("zeros", "zeros_like", "new_zeros", "empty", "empty_like", "new_empty"), zeros),
    **dict.fromkeys(("ones", "ones_like", "new_ones"), ones),
    **dict.fromkeys(("full", "full_like"), full),
    **dict.fromkeys(("fill", "zero"), fill),
    **dict.fromkeys(("tensor", "as_tensor", "asarray", "scalar_tensor"), tensor),
}
