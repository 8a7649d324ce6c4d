"""A problem in KernelBench's form: Model, get_inputs and get_init_inputs in one file."""

import inspect
import itertools
import re
import sys
import types

import torch

import decompositions
from errors import BridgeError
from graph import BYTES
from transforms import compiled_later

WANTED = ("Model", "get_inputs", "get_init_inputs")
NAME_MAX = 63
NUMBERS = itertools.count()


class ModelFile:
    """The file as a Python module.  Its code runs in this process, which is contained."""

    def __init__(self, text, file):
        self.text, self.file = text, file
        # torch.compile caches a module by its name, so each file gets a new one.
        name = f"kforge_model_{next(NUMBERS)}"
        module = sys.modules[name] = types.ModuleType(name)
        self.names = vars(module)
        self.names["__file__"] = file
        decompositions.add_missing()
        with compiled_later():
            exec(compile(text.removeprefix("\ufeff"), file, "exec"), self.names)
        for name in WANTED:
            if not callable(self.names.get(name)):
                kind = "class" if name == "Model" else "function"
                raise BridgeError(f"{file}: no {kind} {name}: a problem in KernelBench's form has "
                                  f"{', '.join(WANTED)}")

    def model(self, seed):
        """A new instance of the model, with random numbers from `seed`."""
        torch.manual_seed(seed)
        given = self.names["get_init_inputs"]()
        with compiled_later():
            made = self.names["Model"](*given)
        if not isinstance(made, torch.nn.Module):
            raise BridgeError(f"{self.file}: Model is a {type(made).__name__}, expected a "
                              "torch.nn.Module")
        return turn_dropout_off(made)

    def inputs(self, seed):
        """The elements that get_inputs() returns for `seed`."""
        torch.manual_seed(seed)
        made = list(self.names["get_inputs"]())
        for i, item in enumerate(made):
            if not isinstance(item, (torch.Tensor, int, float)):
                raise BridgeError(f"{self.file}: get_inputs: element {i} is a "
                                  f"{type(item).__name__}, expected a tensor or a number")
        return made

    def inputs_on(self, device, seed):
        """
        The inputs with numbers that the device draws, other ones than the CPU's: a GPU draws a
        thousand million in milliseconds, the CPU in ten seconds.  None if PyTorch (before 2.0) or
        the file's code cannot do so.
        """
        return _try_on(device, lambda: self.inputs(seed))

    def drawn_on(self, device, seed):
        """A model and its inputs, likewise."""
        return _try_on(device, lambda: (self.model(seed), self.inputs(seed)))

    @staticmethod
    def input_names(model, count):
        """The names of the first `count` parameters of the model's forward; x0, x1 ... for further ones."""
        parameters = inspect.signature(type(model).forward).parameters.values()
        names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY,
                                                          p.POSITIONAL_OR_KEYWORD)][1:]
        return (names + [f"x{i}" for i in range(len(names), count)])[:count]

    def problem_name(self):
        """A name made from the file's: letters, digits and _; a leading number moves to the end."""
        stem = re.sub(r"\.py$", "", self.file.rsplit("/", 1)[-1])
        number, rest = re.match(r"([0-9]*)_*(.*)", re.sub(r"[^A-Za-z0-9]+", "_", stem)).groups()
        joined = "_".join(part for part in (rest, number) if part)
        return (joined if re.match("[A-Za-z_]", joined) else f"model_{joined}")[:NAME_MAX]

    def summary(self):
        """The first paragraph of the model's docstring, as one line of at most 300 characters."""
        text = inspect.getdoc(self.names["Model"])
        if not text or text == inspect.getdoc(torch.nn.Module):
            return "A PyTorch model."
        return " ".join(text.split("\n\n")[0].split())[:300]


def _try_on(device, make):
    try:
        with torch.device(device):
            return make()
    except (AttributeError, NotImplementedError, RuntimeError, TypeError, ValueError):
        return None


def turn_dropout_off(model):
    """
    Turn dropout and random slopes off, because random outputs cannot be compared with a kernel's.  All other modules
    stay in training mode, as in KernelBench: batch norms use the statistics of the batch, so how they keep those of
    all batches makes no difference.
    """
    for module in model.modules():
        if isinstance(module, (torch.nn.modules.dropout._DropoutNd, torch.nn.RReLU)):
            module.eval()
        elif isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.momentum is None:
            module.momentum = 0.0
        elif isinstance(module, (torch.nn.MultiheadAttention, torch.nn.RNNBase)):
            module.dropout = 0.0
    return model


def state_of(model):
    """All tensors of the model as {"layer.weight": tensor}, including plain attributes."""
    state = {}
    for prefix, module in model.named_modules():
        own = {**vars(module), **module._parameters, **module._buffers}
        for name, item in own.items():
            if isinstance(item, torch.Tensor):
                state[f"{prefix}.{name}" if prefix else name] = item
    return state


def as_stored(tensor):
    """The tensor as a problem declares it: complex numbers are pairs along a last axis, floats of 8 bits are f32."""
    if tensor.dtype in BYTES:
        return tensor.float()
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def as_made(tensor, like):
    """The file's own form of the numbers of a problem's tensor, whose floats may be wider than those of `like`."""
    if like.is_complex():
        return torch.view_as_complex(tensor)
    return tensor if like.is_floating_point() and like.dtype not in BYTES else tensor.to(like.dtype)


def replace_state(model, key, tensor):
    """Replace the tensor that state_of() lists as `key`."""
    path, _, name = key.rpartition(".")
    module = model.get_submodule(path)
    if name in module._parameters:
        module._parameters[name] = tensor if isinstance(tensor, torch.nn.Parameter) else torch.nn.Parameter(
            tensor, requires_grad=tensor.is_floating_point())
    elif name in module._buffers:
        module._buffers[name] = tensor
    else:
        setattr(module, name, tensor)
