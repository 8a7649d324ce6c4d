"""
How tensors were drawn.  While a model is made and while get_inputs runs, calls of torch.rand and
the like are noted beside the tensor that they make, so that the device can make such data by
itself; what is done to it then is followed as far as it leaves a distribution that problems know.
"""

import math
from collections import namedtuple

import torch

from meta_mode import MetaMode, tensors_in

# As in a problem's fill: uniform low high, normal mean sd, integers lowest highest, constant, mask,
# permutation.
Distribution = namedtuple("Distribution", "kind a b", defaults=(0, 0))


def _number(args, index, kwargs, names, fallback):
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
    def draw(args, kwargs):
        a = _number(args, 1, kwargs, ["a"], 0)
        mode = _number(args, 2, kwargs, ["mode"], "fan_in")
        gain = torch.nn.init.calculate_gain(
            _number(args, 3, kwargs, ["nonlinearity"], "leaky_relu"), a)
        sd = gain / math.sqrt(_fan(kwargs.get("tensor", args[0] if args else None), mode))
        bound = math.sqrt(3) * sd
        return Distribution("uniform", -bound, bound) if kind == "uniform" else Distribution("normal", 0, sd)
    return draw


def _filled(index):
    return lambda args, kwargs: Distribution(
        "constant", _number(args, index, kwargs, ["fill_value", "value", "val"], 0))


def _between(args, kwargs):
    return Distribution("uniform", _number(args, 1, kwargs, ["from", "a"], 0),
                _number(args, 2, kwargs, ["to", "b"], 1))


def _around(args, kwargs):
    return Distribution("normal", _number(args, 1, kwargs, ["mean"], 0),
                _number(args, 2, kwargs, ["std"], 1))


def _always(draw):
    return lambda args, kwargs: draw


MADE = {
    "rand": _always(Distribution("uniform", 0, 1)), "rand_like": _always(Distribution("uniform", 0, 1)),
    "randn": _always(Distribution("normal", 0, 1)), "randn_like": _always(Distribution("normal", 0, 1)),
    "randint": _randint, "randperm": _always(Distribution("permutation")), "tensor": _tensor,
    "zeros": _always(Distribution("constant", 0)), "zeros_like": _always(Distribution("constant", 0)),
    "ones": _always(Distribution("constant", 1)), "ones_like": _always(Distribution("constant", 1)),
    "full": _filled(1), "full_like": _filled(1),
    "zero_": _always(Distribution("constant", 0)), "zeros_": _always(Distribution("constant", 0)),
    "ones_": _always(Distribution("constant", 1)), "fill_": _filled(1), "constant_": _filled(1),
    "uniform_": _between, "normal_": _around,
    "kaiming_uniform_": _kaiming("uniform"), "kaiming_normal_": _kaiming("normal"),
}

# Elements that are independent of each other stay so wherever they are moved.
MOVED = {"T", "mT", "t", "transpose", "permute", "view", "reshape", "flatten", "squeeze",
         "unsqueeze", "contiguous", "clone", "detach", "data", "requires_grad_", "cuda", "cpu"}
CAST = {"to", "float", "double", "half", "bfloat16", "type", "long", "int"}


def _cast(draw, tensor):
    is_whole = draw.kind in ("integers", "permutation", "mask", "constant")
    return draw if is_whole or tensor.is_floating_point() else None


def _affine(name, draw, number):
    factor, term = {"mul": (number, 0), "multiply": (number, 0), "add": (1, number),
                    "sub": (1, -number), "div": (1 / number if number else 0, 0)}[name]
    if draw.kind == "normal":
        return Distribution("normal", draw.a * factor + term, abs(factor) * draw.b)
    if draw.kind == "uniform":
        return Distribution("uniform", *sorted((draw.a * factor + term, draw.b * factor + term)))
    return Distribution("constant", draw.a * factor + term) if draw.kind == "constant" else None


class DistributionTracker(MetaMode):
    """Active while tensors are made; then of() tells how."""

    def __init__(self):
        super().__init__()
        self._known = {}  # by id: the draw, the tensor's version then, the tensor, so that it lives

    def __enter__(self):
        self._new_parameter = torch.nn.Parameter.__new__
        plain, tracker = self._new_parameter, self

        def new_parameter(cls, data=None, requires_grad=True):
            made = plain(cls, data, requires_grad)
            tracker._note(made, tracker.of(data))
            return made

        torch.nn.Parameter.__new__ = new_parameter
        return super().__enter__()

    def __exit__(self, *what):
        torch.nn.Parameter.__new__ = self._new_parameter
        return super().__exit__(*what)

    def of(self, tensor):
        """None where nobody knows."""
        draw, version, _ = self._known.get(id(tensor), (None, 0, None))
        return draw if draw and version == tensor._version else None

    def _note(self, tensor, draw):
        self._known[id(tensor)] = (draw, tensor._version, tensor)

    def on_call(self, name, function, args, kwargs):
        before = self.of(args[0]) if args else None
        result = function(*args, **kwargs)
        if isinstance(result, torch.Tensor):
            self._note(result, self._follow(name, before, args, kwargs, result))
        return result

    def _follow(self, name, before, args, kwargs, result):
        if name in MADE:
            return MADE[name](args, kwargs)
        if before is None:
            return None
        if name in MOVED:  # of other rows it would be no permutation
            return before if before.kind != "permutation" or result.dim() == 1 else None
        if name in CAST:
            return _cast(before, result)
        return self._compute(name, before, args)

    def _compute(self, name, before, args):
        other = args[1] if len(args) > 1 else None
        if name == "bool" and before == Distribution("integers", 0, 1):
            return Distribution("mask", 0.5)
        if not isinstance(other, (int, float)):
            return None
        if name in ("lt", "le", "gt", "ge") and before == Distribution("uniform", 0, 1):
            share = min(max(float(other), 0), 1)
            return Distribution("mask", share if name[0] == "l" else 1 - share)
        if name in ("mul", "multiply", "add", "sub", "div") and len(args) == 2:
            return _affine(name, before, other)
        return None
