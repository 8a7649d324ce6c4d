"""A look at every call of a torch function, while tensors have shapes and types but no contents."""

import torch
from torch.overrides import TorchFunctionMode, resolve_name

MAKERS = {getattr(torch, name) for name in (
    "arange", "empty", "eye", "full", "linspace", "logspace", "ones", "rand", "randint", "randn",
    "randperm", "tensor", "zeros")}


def name_of(function):
    """relu for torch.relu, F.relu and Tensor.relu alike; T for the attribute."""
    name = resolve_name(function) or getattr(function, "__name__", str(function))
    parts = name.split(".")
    return parts[-2] if parts[-1] in ("__get__", "__set__") else parts[-1]


_getitem = torch.Tensor.__getitem__


def _getitem_of_tuple(tensor, index):
    return _getitem(tensor, index if isinstance(index, tuple) else (index,))


class MetaMode(TorchFunctionMode):
    """While active, new tensors are on the device "meta", so that none takes memory."""

    _outer = []  # what was in its place, for each time that one was entered

    def __enter__(self):
        self._outer.append(torch.Tensor.__getitem__)
        torch.Tensor.__getitem__ = _getitem_of_tuple  # of other indices PyTorch 1.13 tells no mode
        return super().__enter__()

    def __exit__(self, *why):
        torch.Tensor.__getitem__ = self._outer.pop()
        return super().__exit__(*why)

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function in MAKERS:
            kwargs["device"] = "meta"
        return self.on_call(name_of(function), function, args, kwargs)

    def on_call(self, name, function, args, kwargs):
        return function(*args, **kwargs)


def tensors_in(result):
    """The tensors that a function returned, in order."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (tuple, list)):
        return [item for item in result if isinstance(item, torch.Tensor)]
    return []
