"""
Operations on numbers alone, as torch.log(torch.tensor(100.0)): graphs have no operation without a
tensor, so the trace computes them.
"""

import math

import torch
import torch.nn.functional as F

from graph import Unknown

UNARY = {"abs", "neg", "sign", "relu", "sigmoid", "tanh", "exp", "log", "sqrt", "rsqrt", "sin",
         "cos", "atan", "erf", "clamp", "softplus", "silu", "gelu", "sum", "mean", "max", "min", "prod"}
BINARY = {"add", "sub", "mul", "div", "pow", "minimum", "maximum"}
SHAPES = {"reshape", "cast", "expand", "squeeze", "unsqueeze"}  # of one element: the same number
ALONG = {"dim", "keepdim"}


def compute(op, operands, attributes):
    """The number that the operation makes; in double precision, as PyTorch's own scalars."""
    if op in SHAPES:
        return operands[0]
    if op not in UNARY | BINARY:
        raise Unknown(f"{op} of numbers alone")
    tensors = [torch.tensor(float(x), dtype=torch.float64) for x in operands]
    given = {key: value for key, value in attributes.items() if key not in ALONG}
    function = getattr(torch, op, None) or getattr(F, op)
    made = function(*tensors, **given).item()
    if not math.isfinite(made):
        raise Unknown(f"{op} of numbers alone that is {made}")
    return made
