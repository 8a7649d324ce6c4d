"""
Intercepts every call of a torch function, while tensors are on the device "meta": they have shapes
and types, but no contents and no memory.
"""

import torch
from torch.overrides import TorchFunctionMode, resolve_name

MAKERS = {getattr(torch, name) for name in (
    "arange", "empty", "eye", "full", "linspace", "logspace", "ones", "rand", "randint", "randn",
    "randperm", "tensor", "zeros")}


def name_of(function):
    """The name without its module: relu for torch.relu, F.relu and Tensor.relu, T for Tensor.T."""
    name = resolve_name(function) or getattr(function, "__name__", str(function))
    parts = name.split(".")
    return parts[-2] if parts[-1] in ("__get__", "__set__") else parts[-1]


_getitem = torch.Tensor.__getitem__


def _getitem_of_tuple(tensor, index):
    return _getitem(tensor, index if isinstance(index, tuple) else (index,))


class MetaMode(TorchFunctionMode):
    """While active, new tensors are on the device "meta", and on_call() handles each call."""

    _outer = []  # a stack of the __getitem__ to restore, one for each __enter__

    def __enter__(self):
        self._outer.append(torch.Tensor.__getitem__)
        # PyTorch 1.13 reports an indexing to a mode only if the index is a tuple.
        torch.Tensor.__getitem__ = _getitem_of_tuple
        return super().__enter__()

    def __exit__(self, *exception):
        torch.Tensor.__getitem__ = self._outer.pop()
        return super().__exit__(*exception)

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function in MAKERS:
            kwargs["device"] = "meta"
        return self.on_call(name_of(function), function, args, kwargs)

    def on_call(self, name, function, args, kwargs):
        """Perform a call; a subclass overrides this."""
        return function(*args, **kwargs)


def tensors_in(result):
    """The tensors that a function returned, in order."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (tuple, list)):
        return [item for item in result if isinstance(item, torch.Tensor)]
    return []
