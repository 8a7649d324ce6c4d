"""
What makes other functions of a file's functions: compilers and torch.func.  While a model is traced, a compiled
function runs as it is written, torch.vmap is a loop, and torch.func.grad goes back through the calls of the trace.
"""

import contextlib
import sys

import torch


def _of_one(item, dim, i):
    """The part of an operand that the i-th call gets."""
    if dim is None or not isinstance(item, torch.Tensor):
        return item
    return item.select(dim, i)


def _stacked(parts, dim):
    if isinstance(parts[0], (tuple, list)):
        dims = dim if isinstance(dim, (tuple, list)) else [dim] * len(parts[0])
        return tuple(_stacked(list(one), d) for one, d in zip(zip(*parts), dims))
    return torch.stack(parts, dim)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    def mapped(*args):
        dims = in_dims if isinstance(in_dims, (tuple, list)) else [in_dims] * len(args)
        count = next(x.shape[d] for x, d in zip(args, dims) if d is not None and isinstance(x, torch.Tensor))
        return _stacked([func(*[_of_one(x, d, i) for x, d in zip(args, dims)]) for i in range(count)], out_dims)
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


@contextlib.contextmanager
def written_out(names):
    """While active, functions of torch.func and those that a compiler has taken among the file's names run as Python."""
    functions = getattr(torch, "func", None)
    kept = [(torch, {"vmap": vmap})] if hasattr(torch, "vmap") else []
    if functions:
        kept.append((functions, {"vmap": vmap, "grad": grad, "grad_and_value": grad_and_value}))
    before = [(place, {name: getattr(place, name) for name in new}) for place, new in kept]
    scripted = {name: item for name, item in names.items()
                if isinstance(item, torch.jit.ScriptFunction) and hasattr(item, "_torchdynamo_inline")}
    is_loaded = "torch._dynamo.eval_frame" in sys.modules  # which takes seconds
    stance = is_loaded and getattr(torch.compiler, "set_stance", None)
    try:
        for place, new in kept:
            vars(place).update(new)
        names.update({name: item._torchdynamo_inline for name, item in scripted.items()})
        with stance("force_eager") if stance else contextlib.nullcontext():
            yield
    finally:
        for place, old in before:
            vars(place).update(old)
        names.update(scripted)
