"""
Intercepts every call of a torch function, while tensors are on the device "meta": they have shapes
and types, but no contents and no memory.
"""

import dataclasses
import itertools
import json

import torch
from torch.overrides import TorchFunctionMode, resolve_name

import contents
from graph import BYTES, NARROW

MAKERS = {getattr(torch, name) for name in (
    "arange", "as_tensor", "asarray", "bartlett_window", "blackman_window", "empty", "eye", "full", "hamming_window",
    "hann_window", "kaiser_window", "linspace", "logspace", "ones", "rand", "randint", "randn", "randperm", "scalar_tensor", "tensor",
    "tril_indices", "triu_indices", "zeros")}

# Attributes that the modules of this folder read, also while a mode is active.
OWN = {"_base", "_version", "is_meta"}


# Functions of torch.linalg that differ from those of torch with the same name.
LINALG = {"norm", "cross", "diagonal", "polar", "vander"}


def name_of(function):
    """
    The name without its module: relu for torch.relu, F.relu and Tensor.relu, T for Tensor.T; linalg_norm for
    torch.linalg.norm.
    """
    name = resolve_name(function) or getattr(function, "__name__", str(function))
    parts = name.split(".")
    if parts[-2:-1] == ["linalg"] and parts[-1] in LINALG:
        return f"linalg_{parts[-1]}"
    return parts[-2] if parts[-1] in ("__get__", "__set__") else parts[-1]


# What PyTorch says of a function that reads the contents of a tensor without them.
READS_CONTENTS = ("cannot be called on meta tensors", "to be on cpu, but it's on meta", "repeat_interleave a meta tensor")

_getitem, _setitem = torch.Tensor.__getitem__, torch.Tensor.__setitem__


def _as_tuple(index):
    """
    The same index as PyTorch 1.13 reports it to a mode: only a tuple with other entries than
    tensors.
    """
    index = index if isinstance(index, tuple) else (index,)
    return index + (...,) if all(isinstance(entry, torch.Tensor) for entry in index) else index


def _getitem_of_tuple(tensor, index):
    return _getitem(tensor, _as_tuple(index))


def _setitem_of_tuple(tensor, index, value):
    return _setitem(tensor, _as_tuple(index), value)


class MetaMode(TorchFunctionMode):
    """While active, new tensors are on the device "meta", and on_call() handles each call."""

    def __init__(self):
        super().__init__()
        self._contents = contents.Contents()

    _outer = []  # a stack of the methods to restore, one for each __enter__

    def __enter__(self):
        self._outer.append((torch.Tensor.__getitem__, torch.Tensor.__setitem__))
        torch.Tensor.__getitem__ = _getitem_of_tuple
        torch.Tensor.__setitem__ = _setitem_of_tuple
        return super().__enter__()

    def __exit__(self, *exception):
        torch.Tensor.__getitem__, torch.Tensor.__setitem__ = self._outer.pop()
        return super().__exit__(*exception)

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function in MAKERS:
            kwargs["device"] = "meta"
        name = name_of(function)
        if name in OWN:
            return function(*args)
        if name in contents.READ and args and args[0].is_meta:
            return self._contents.read(name, function, args[0])
        try:
            result = self.on_call(name, function, args, kwargs)
        except NotImplementedError as why:
            raise NotImplementedError(_why_not(name, str(why))) from None
        except RuntimeError as why:
            if any(text in str(why) for text in READS_CONTENTS):
                raise NotImplementedError(f"{name}: the contents of a tensor decide what the model does") from None
            if "is not on the expected device meta" not in str(why):
                raise
            raise NotImplementedError(f"{name} of a tensor that a function made which has no \"device\"") from None
        self._contents.follow(name, function, args, kwargs, result)
        return result

    def on_call(self, name, function, args, kwargs):
        """Perform a call; a subclass overrides this."""
        return function(*args, **kwargs)


def _why_not(name, text):
    """What to say of a function that PyTorch does not run on tensors without contents."""
    if "nonzero" in text:
        return (f"{name}: the contents of a mask decide the shape of the result: keep all elements, and give those "
                "that the mask leaves out no weight")
    if "with Meta tensors" in text:
        return f"{name}: no operation, and no shape of the result without the contents of its operands"
    return text


def tensors_in(result):
    """The tensors that a function returned, in order."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (tuple, list)):
        return [item for item in result if isinstance(item, torch.Tensor)]
    return []


def form_of(result):
    """
    How tuples, lists and dicts hold what forward returned: ["dict", [["a", 0], ["b", ["tuple", [1, 2]]]]], where numbers count
    the outputs.  None for a tensor, a tuple of tensors, and what holds outputs in another way.  An output of a type that
    problems have no tensors of is ["int8", 0].
    """
    count = itertools.count()

    def form(part):
        if part is None:
            return None
        if isinstance(part, dict) and type(part).__name__ in ("dict", "OrderedDict"):
            return ["dict", [[key, form(one)] for key, one in part.items()]]
        if type(part) in (tuple, list):
            return [type(part).__name__, [form(one) for one in part]]
        if isinstance(part, torch.Tensor):
            is_narrow = part.dtype in NARROW or part.dtype in BYTES
            return [str(part.dtype).removeprefix("torch."), next(count)] if is_narrow else next(count)
        raise TypeError(part)

    try:
        made = form(result)
        json.dumps(made)
    except TypeError:  # as a dataclass
        count, outputs = itertools.count(), outputs_of(result)
        if not outputs or len(tensors_in(outputs)) < len(outputs):
            return None
        made = form(tuple(outputs) if len(outputs) > 1 else outputs[0])
    is_flat = isinstance(made, int) or made[0] == "tuple" and all(isinstance(part, int) for part in made[1])
    return None if is_flat else made


def outputs_of(result):
    """What forward returned, without the tuples, lists, dicts and dataclasses around it, and without None."""
    if dataclasses.is_dataclass(result) and not isinstance(result, (dict, type)):
        result = vars(result)
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (tuple, list)):
        return [output for item in result for output in outputs_of(item)]
    return [] if result is None else [result]
