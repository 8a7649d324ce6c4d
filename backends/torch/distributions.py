"""
Follows how tensors get their random contents.  While a model is built and get_inputs() runs,
DistributionTracker notes for each tensor which call made it (torch.rand and others), so that the
judge's device can make such data itself.  A tensor keeps its distribution through later calls as
long as the result is one that problems know.
"""

import math
from collections import namedtuple

import torch

from meta_mode import MetaMode

# An attribute of a tensor of whole numbers: the lowest, the highest, and the tensor's version.
WHOLE_RANGE = "kforge_range"

# The kinds are those of a problem's fill (FORMATS.md): uniform (low, high), normal (mean, sd),
# integers (lowest, highest), constant, mask (share of ones), signs, permutation. "two" is one of two
# numbers with equal probability, which only leads to others.
Distribution = namedtuple("Distribution", "kind a b", defaults=(0, 0))

UNIT, NORMAL = Distribution("uniform", 0, 1), Distribution("normal", 0, 1)
ZEROS, ONES = Distribution("constant", 0), Distribution("constant", 1)


def _number(args, index, kwargs, names, fallback):
    """An argument of a call, by any of its names or by position."""
    for name in names:
        if name in kwargs:
            return kwargs[name]
    return args[index] if len(args) > index else fallback


def _randint(args, kwargs):
    bounds = [a for a in args if isinstance(a, int)]
    high = kwargs.get("high", bounds[-1] if bounds else None)
    low = kwargs.get("low", bounds[0] if len(bounds) > 1 else 0)
    return Distribution("integers", low, high - 1)


def _tensor(args, kwargs):
    is_number = isinstance(args[0], (int, float))
    return Distribution("constant", args[0]) if is_number else None


def _fan(tensor, mode):
    fan_in = tensor.shape[1:].numel() if tensor.dim() > 1 else 1
    fan_out = tensor.shape[0] * (tensor.shape[2:].numel() if tensor.dim() > 2 else 1)
    return fan_in if mode == "fan_in" else fan_out


def _kaiming(kind):
    def made(args, kwargs):
        a = _number(args, 1, kwargs, ["a"], 0)
        mode = _number(args, 2, kwargs, ["mode"], "fan_in")
        gain = torch.nn.init.calculate_gain(
            _number(args, 3, kwargs, ["nonlinearity"], "leaky_relu"), a)
        sd = gain / math.sqrt(_fan(kwargs.get("tensor", args[0] if args else None), mode))
        bound = math.sqrt(3) * sd
        if kind == "uniform":
            return Distribution("uniform", -bound, bound)
        return Distribution("normal", 0, sd)
    return made


def _filled(index):
    return lambda args, kwargs: Distribution(
        "constant", _number(args, index, kwargs, ["fill_value", "value", "val"], 0))


def _between(args, kwargs):
    return Distribution("uniform", _number(args, 1, kwargs, ["from", "a"], 0),
                        _number(args, 2, kwargs, ["to", "b"], 1))


def _around(args, kwargs):
    return Distribution("normal", _number(args, 1, kwargs, ["mean"], 0),
                        _number(args, 2, kwargs, ["std"], 1))


def _always(distribution):
    return lambda args, kwargs: distribution


# Functions that make or overwrite a tensor: (args, kwargs) -> Distribution, or None if unknown.
MADE = {
    "rand": _always(UNIT), "rand_like": _always(UNIT),
    "randn": _always(NORMAL), "randn_like": _always(NORMAL),
    "randint": _randint, "randperm": _always(Distribution("permutation")), "tensor": _tensor,
    "zeros": _always(ZEROS), "zeros_like": _always(ZEROS),
    "ones": _always(ONES), "ones_like": _always(ONES),
    "full": _filled(1), "full_like": _filled(1),
    "zero_": _always(ZEROS), "zeros_": _always(ZEROS),
    "ones_": _always(ONES), "fill_": _filled(1), "constant_": _filled(1),
    "uniform_": _between, "normal_": _around,
    "kaiming_uniform_": _kaiming("uniform"), "kaiming_normal_": _kaiming("normal"),
}

# Moving independent elements does not change their distribution.
MOVED = {"T", "mT", "t", "transpose", "permute", "view", "reshape", "flatten", "squeeze",
         "unsqueeze", "contiguous", "clone", "detach", "data", "requires_grad_", "cuda", "cpu"}
CAST = {"to", "float", "double", "half", "bfloat16", "type", "long", "int"}


def _cast(distribution, tensor):
    is_whole = distribution.kind in ("integers", "permutation", "mask", "signs", "constant", "two")
    return distribution if is_whole or tensor.is_floating_point() else None


def _affine(name, distribution, number):
    """The distribution after an operation of Python's arithmetic with a number."""
    a, b = distribution.a, distribution.b
    factor, term = {"mul": (number, 0), "multiply": (number, 0), "add": (1, number),
                    "sub": (1, -number), "div": (1 / number if number else 0, 0)}[name]
    if distribution.kind == "normal":
        return Distribution("normal", a * factor + term, abs(factor) * b)
    if distribution.kind == "uniform":
        return Distribution("uniform", *sorted((a * factor + term, b * factor + term)))
    if distribution.kind == "constant":
        return Distribution("constant", a * factor + term)
    if distribution == Distribution("integers", 0, 1) or distribution.kind == "two":
        return _two(a * factor + term, b * factor + term)
    return None


def _two(a, b):
    """One of two numbers with equal probability."""
    return Distribution("signs", 0.5) if (a, b) in ((-1, 1), (1, -1)) else Distribution("two", a, b)


def _number_of(tensor, distribution):
    """A single random number, as a factor of whole tensors: its mean, so that data keep one range."""
    if not isinstance(tensor, torch.Tensor) or tensor.dim() or distribution is None:
        return None
    return {"uniform": (distribution.a + distribution.b) / 2, "constant": distribution.a}.get(distribution.kind)


def whole_range(tensor):
    """Between which numbers a tensor, or the one that it is a view of, is drawn; None if unknown or changed since."""
    base = tensor if tensor._base is None else tensor._base
    low, high, version = getattr(base, WHOLE_RANGE, (0, 0, -1))
    return (low, high) if version == base._version else None


class DistributionTracker(MetaMode):
    """Active while tensors are made; of() then gives their distributions."""

    def __init__(self):
        super().__init__()
        # By id: the distribution, the tensor's version, and the tensor, which keeps the id in use.
        self._known = {}

    def __enter__(self):
        self._new_parameter = torch.nn.Parameter.__new__
        plain, tracker = self._new_parameter, self

        def new_parameter(cls, data=None, requires_grad=True):
            made = plain(cls, data, requires_grad)
            tracker.note(made, tracker.of(data))
            return made

        torch.nn.Parameter.__new__ = new_parameter
        return super().__enter__()

    def __exit__(self, *exception):
        torch.nn.Parameter.__new__ = self._new_parameter
        return super().__exit__(*exception)

    def note_range(self, tensor):
        """Let decompositions know between which numbers a tensor of whole numbers is drawn."""
        made = self.of(tensor)
        if made and made.kind == "integers":
            setattr(tensor, WHOLE_RANGE, (made.a, made.b, tensor._version))

    def of(self, tensor):
        """The tensor's distribution; None if it is unknown, or the tensor has changed since."""
        distribution, version, _ = self._known.get(id(tensor), (None, 0, None))
        return distribution if distribution and version == tensor._version else None

    def note(self, tensor, distribution):
        """Let of() know a tensor's distribution; None if it has none."""
        self._known[id(tensor)] = (distribution, tensor._version, tensor)

    def on_call(self, name, function, args, kwargs):
        before = self.of(args[0]) if args else None
        result = function(*args, **kwargs)
        if isinstance(result, torch.Tensor):
            self.note(result, self._follow(name, before, args, kwargs, result))
        return result

    def _follow(self, name, before, args, kwargs, result):
        if name in MADE:
            return MADE[name](args, kwargs)
        if before is None:
            return None
        if name in MOVED:  # in several rows, no row is a permutation any more
            return before if before.kind != "permutation" or result.dim() == 1 else None
        if name in CAST:
            return _cast(before, result)
        return self._compute(name, before, args)

    def _compute(self, name, before, args):
        other = args[1] if len(args) > 1 else None
        if name == "bool" and before == Distribution("integers", 0, 1):
            return Distribution("mask", 0.5)
        if name == "sign" and before == NORMAL:
            return Distribution("signs", 0.5)
        if isinstance(other, torch.Tensor) and other is not args[0]:
            other = _number_of(other, self.of(other))
        if not isinstance(other, (int, float)):
            return None
        if name in ("lt", "le", "gt", "ge") and before == Distribution("uniform", 0, 1):
            share = min(max(float(other), 0), 1)
            return Distribution("mask", share if name[0] == "l" else 1 - share)
        if name in ("mul", "multiply", "add", "sub", "div") and len(args) == 2:
            return _affine(name, before, other)
        return None
