"""
What makes other functions of a file's functions: compilers and torch.func.  While a model is traced, a compiled
function runs as it is written, torch.vmap is a loop, and torch.func.grad goes back through the calls of the trace.
"""

import contextlib
import functools
import sys
import types

import torch


def _of_one(item, dim, i):
    """The part of an operand that the i-th call gets."""
    if isinstance(item, dict):
        return {key: _of_one(one, dim[key] if isinstance(dim, dict) else dim, i) for key, one in item.items()}
    if isinstance(item, (tuple, list)):
        return type(item)([_of_one(one, d, i) for one, d in zip(item, _dims(dim, item))])
    return item.select(dim, i) if isinstance(item, torch.Tensor) and dim is not None else item


def _dims(dim, items):
    return dim if isinstance(dim, (tuple, list)) else [dim] * len(items)


def _count(item, dim):
    """How many calls an operand is for; None if each call gets all of it."""
    if isinstance(item, dict):
        item, dim = list(item.values()), [dim[key] for key in item] if isinstance(dim, dict) else dim
    if isinstance(item, (tuple, list)):
        return next((n for one, d in zip(item, _dims(dim, item)) if (n := _count(one, d)) is not None), None)
    return item.shape[dim] if isinstance(item, torch.Tensor) and dim is not None else None


def _stacked(parts, dim):
    if isinstance(parts[0], dict):
        return {key: _stacked([part[key] for part in parts], dim) for key in parts[0]}
    if isinstance(parts[0], (tuple, list)):
        return tuple(_stacked(list(one), d) for one, d in zip(zip(*parts), _dims(dim, parts[0])))
    return torch.stack(parts, dim)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    def mapped(*args, **kwargs):
        dims, count = _dims(in_dims, args), _count([args, kwargs], [in_dims, 0])
        return _stacked([func(*_of_one(args, dims, i), **_of_one(kwargs, 0, i)) for i in range(count)], out_dims)
    return mapped


def _gradients(func, argnums, has_aux):
    """A function that returns the gradients, and what `func` returns."""
    def differentiated(*args, **kwargs):
        args, places = list(args), [argnums] if isinstance(argnums, int) else list(argnums)
        with torch.enable_grad():
            for i in places:
                args[i] = args[i].view_as(args[i]).detach().requires_grad_(True)
            made = func(*args, **kwargs)
            found = torch.autograd.grad(made[0] if has_aux else made, [args[i] for i in places], create_graph=True)
        return (found[0] if isinstance(argnums, int) else tuple(found)), made
    return differentiated


def grad(func, argnums=0, has_aux=False):
    both = _gradients(func, argnums, has_aux)

    def differentiated(*args, **kwargs):
        found, made = both(*args, **kwargs)
        return (found, made[1]) if has_aux else found
    return differentiated


def grad_and_value(func, argnums=0, has_aux=False):
    return _gradients(func, argnums, has_aux)


_compile = getattr(torch, "compile", None)
_is_written_out = False


class _Later:
    """What torch.compile returns, compiled at the first call that is not a trace's: the compiler takes seconds to import."""

    def __init__(self, function, options):
        self._function, self._options, self._compiled = function, options, None
        if not isinstance(function, torch.nn.Module):
            functools.update_wrapper(self, function)

    def __get__(self, owner, _=None):  # a method that a decorator has compiled
        return self if owner is None else types.MethodType(self, owner)

    def __call__(self, *args, **kwargs):
        if _is_written_out:
            return self._function(*args, **kwargs)
        self._compiled = self._compiled or _compile(self._function, **self._options)
        return self._compiled(*args, **kwargs)


class _LaterModule(torch.nn.Module):
    """The same of a module, whose parameters have the names that torch.compile gives them."""

    def __init__(self, module, options):
        super().__init__()
        self._orig_mod = module
        self.later = _Later(module, options)

    def __getattr__(self, name):
        return super().__getattr__(name) if name == "_orig_mod" else getattr(self._orig_mod, name)

    def forward(self, *args, **kwargs):
        return self.later(*args, **kwargs)


def _compile_later(model=None, **options):
    if model is None:
        return lambda function: _compile_later(function, **options)
    if isinstance(model, type):
        return _compile(model, **options)
    return _LaterModule(model, options) if isinstance(model, torch.nn.Module) else _Later(model, options)


@contextlib.contextmanager
def compiled_later():
    """While active, functions that a file gives to torch.compile are compiled when they are called."""
    if not _compile:
        yield
        return
    torch.compile = _compile_later
    try:
        yield
    finally:
        torch.compile = _compile


@contextlib.contextmanager
def written_out(names):
    """While active, functions of torch.func and those that a compiler has taken among the file's names run as Python."""
    global _is_written_out
    functions = getattr(torch, "func", None)
    new = {"vmap": vmap, "grad": grad, "grad_and_value": grad_and_value} if functions else {}
    kept = [(torch, {"vmap": vmap})] if hasattr(torch, "vmap") else []
    kept += [(functions, new)] if functions else []
    before = [(place, {name: getattr(place, name) for name in made}) for place, made in kept]
    replaced = {name: item for name, item in names.items() if isinstance(item, torch.jit.ScriptFunction) and hasattr(
        item, "_torchdynamo_inline")}
    own = {name: item._torchdynamo_inline for name, item in replaced.items()}
    for name, made in new.items():  # what "from torch.func import" has brought
        imported = {other: item for other, item in names.items() if item is getattr(functions, name)}
        replaced.update(imported)
        own.update(dict.fromkeys(imported, made))
    is_loaded = "torch._dynamo.eval_frame" in sys.modules  # which takes seconds
    stance = is_loaded and getattr(torch.compiler, "set_stance", None)
    try:
        _is_written_out = True
        for place, made in kept:
            vars(place).update(made)
        names.update(own)
        with stance("force_eager") if stance else contextlib.nullcontext():
            yield
    finally:
        _is_written_out = False
        for place, old in before:
            vars(place).update(old)
        names.update(replaced)
