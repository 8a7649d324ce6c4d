"""
Contents of small tensors on the device "meta" that do not depend on data, such as those of
torch.linspace.  Models turn them into Python numbers, for example one rate of dropout per layer.
"""

import torch

MOST_ELEMENTS = 1 << 16

# Functions that make a tensor from numbers alone.
MAKERS = {"arange", "linspace", "logspace", "tensor", "as_tensor", "scalar_tensor", "tril_indices", "triu_indices",
          "eye", "full", "ones", "zeros"}

# Functions of known tensors whose results are known.
FOLLOWED = {
    "__getitem__", "unbind", "select", "narrow", "chunk", "split", "view", "reshape", "flatten",
    "squeeze", "unsqueeze", "permute", "transpose", "expand", "clone", "detach", "contiguous",
    "cat", "stack", "flip", "tril", "triu", "meshgrid", "add", "sub", "mul", "div", "pow", "neg",
    "abs", "exp", "log", "sqrt", "floor", "ceil", "round", "sum", "prod", "cumsum", "cumprod",
    "max", "min", "amax", "amin", "mean", "eq", "ne", "lt", "le", "gt", "ge", "to", "long", "int",
    "float", "double", "bool", "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__",
    "__truediv__", "__rtruediv__", "__floordiv__", "__pow__", "__rpow__", "__mod__", "__neg__",
    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__invert__", "logical_not", "bitwise_not", "__and__",
    "logical_and", "__or__", "logical_or", "__xor__", "logical_xor", "repeat", "roll", "T", "t"}

# Functions that give Python numbers.
READ = {"item", "tolist", "__bool__", "__int__", "__float__", "__index__"}


def tensors_within(items):
    """The tensors in lists and tuples, at any depth."""
    for item in items:
        if isinstance(item, torch.Tensor):
            yield item
        elif isinstance(item, (tuple, list)):
            yield from tensors_within(item)


class Contents:
    """Keeps the contents that are known.  Call follow() after each call; read() computes a result."""

    def __init__(self):
        self._known = {}  # by id: the contents, the tensor's version, the tensor (kept alive)

    def _of(self, item):
        """Replace each tensor in the item by its known contents; a KeyError if one is not known."""
        if isinstance(item, (tuple, list)):
            return type(item)([self._of(one) for one in item])
        if not isinstance(item, torch.Tensor):
            return item
        contents, version, _ = self._known[id(item)]
        if version != item._version:
            raise KeyError
        return contents

    def find(self, tensor):
        """The contents of a tensor; None if they are not known."""
        try:
            return self._of(tensor)
        except KeyError:
            return None

    def read(self, name, function, tensor):
        """The result of function(tensor); a NotImplementedError if the contents are not known."""
        try:
            return function(self._of(tensor))
        except KeyError:
            raise NotImplementedError(
                f"{name}: the contents of a tensor decide what the model does") from None

    def follow(self, name, function, args, kwargs, result):
        """Store the contents of a call's result if they are known."""
        if not (name in MAKERS or self._known and name in FOLLOWED and any(
                id(x) in self._known for x in tensors_within(args))):
            return
        made = list(tensors_within([result]))
        if not made or sum(x.numel() for x in made) > MOST_ELEMENTS:
            return
        try:
            given = self._of(list(args))
            named = {key: self._of(value) for key, value in kwargs.items() if key != "device"}
            contents = list(tensors_within([function(*given, **named)]))
        except (KeyError, RuntimeError, TypeError):
            return
        for tensor, known in zip(made, contents):
            self._known[id(tensor)] = (known, tensor._version, tensor)
