"""
Lengths of results that depend on data.  A histogram is longer than the `minlength` that is asked for if a number is
that large.  The graph takes it to be as long as asked for, and a run on data with contents shows whether it is.
"""

import math

import torch
from torch.overrides import TorchFunctionMode

from distributions import whole_range
from meta_mode import name_of


def expected(name, args, kwargs):
    """The length that a call's result has if no number is too large; None for a call whose result has a fixed one."""
    minlength = kwargs.get("minlength", args[2] if len(args) > 2 else 0)
    return minlength if name == "bincount" and minlength else None


def is_certain(length, args, kwargs):
    """True if no number can be drawn that makes the call's result longer."""
    numbers = args[0] if args else kwargs["input"]
    _, highest = whole_range(numbers) or (0, math.inf)
    return highest < length


class Lengths(TorchFunctionMode):
    """While active, notes the lengths of results that may be longer than expected, in the order of the calls."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if expected(name_of(function), args, kwargs or {}) is not None:
            self.found.append(result.shape[0])
        return result
