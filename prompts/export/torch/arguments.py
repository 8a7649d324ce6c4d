def find(model, key):
    """Find the tensor of the model that a key such as 'layer.weight' names."""
    for part in key.split('.'):
        model = model[int(part)] if isinstance(model, (list, tuple)) else getattr(model, part)
    return model


def place_of(key):
    """The modules on the way to a tensor, and its name in the last one."""
    *modules, name = key.split('.')
    return modules, name


def find_held(model, modules, name, key):
    """The same by what modules hold, which takes a tenth of the time of asking for attributes."""
    owner = model
    try:
        for one in modules:
            owner = owner._modules[one]
        x = owner._parameters.get(name)
        x = owner._buffers.get(name) if x is None else x
    except (AttributeError, KeyError):
        x = None
    return find(model, key) if x is None else x


def pairs(x):
    """Return complex numbers as kernels read them, as pairs along a last axis."""
    return torch.view_as_real(x) if x.is_complex() else x


def is_same(a, b):
    """Return whether an argument is the one that the kernels were made for; of tensors only the shape counts."""
    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor):
        return getattr(a, 'shape', None) == getattr(b, 'shape', None)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(map(is_same, a.values(), b.values()))
    if hasattr(a, '__qualname__') and hasattr(b, '__qualname__'):  # of two copies of the file
        code = getattr(a, '__code__', None), getattr(b, '__code__', None)
        return a is b or a.__qualname__ == b.__qualname__ and code[0] == code[1]
    if hasattr(a, '__dict__') and type(a).__qualname__ == type(b).__qualname__:
        return is_same(vars(a), vars(b))
    same = a == b
    return bool(same.all() if hasattr(same, 'all') else same)


def bound(signature, args, kwargs):
    """The arguments of a call in the order of the signature, those by default included."""
    if signature is None:
        return list(args), kwargs
    made = signature.bind(*args, **kwargs)
    made.apply_defaults()
    return list(made.args), made.kwargs


def signature_of(function):
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # a function that Python does not know enough of
        return None


def takes(made, given):
    """Return whether kernels for numbers of one type take those of another one: floating point only from narrower types."""
    if not made.is_floating_point or made == given:
        return not given.is_complex
    return given.is_floating_point and torch.finfo(given).bits < torch.finfo(made).bits


def narrower(given):
    """The type of all numbers in floating point, if it is not the one that the kernels were made for; else None."""
    kinds = {(x.dtype, DTYPES[dtype]) for x, (_, role, dtype, *_) in zip(given, GIVEN)
             if role != 'constant' and DTYPES[dtype].is_floating_point}
    types = {one for one, _ in kinds}
    return types.pop() if len(types) == 1 and any(one != made for one, made in kinds) else None


def arranged(form, made):
    """The outputs in the form in which Model.forward returns them."""
    if form is None or isinstance(form, int):
        return None if form is None else made[form]
    kind, parts = form
    if kind == 'dict':
        return {key: arranged(one, made) for key, one in parts}
    if kind not in ('tuple', 'list'):
        return made[parts].to(getattr(torch, kind))
    return (tuple if kind == 'tuple' else list)(arranged(one, made) for one in parts)


def modes(model):
    """The norms whose mode decides whether they use the statistics of the batch, and their mode now."""
    return [(one, one.training) for one in model.modules()
            if isinstance(one, torch.nn.modules.batchnorm._NormBase) and one.track_running_stats]


def why_no_batch(x, shape):
    """Say why kernels made for this shape do not take `x` as a batch of another size."""
    return f', and for no other batch: {BATCH["why_not"]}' if BATCH['why_not'] and x.shape[1:] == shape[1:] else ''
