"""Calls on "meta" tensors, including functions that an older PyTorch does not support there."""


def _pooled(length, kernel, stride, padding, dilation, ceil_mode):
    """The length of one axis after pooling, by the formula in the documentation of MaxPool3d."""
    span = length + 2 * padding - dilation * (kernel - 1) - 1
    steps = -(-span // stride) if ceil_mode else span // stride
    if ceil_mode and steps * stride >= length + padding:
        steps -= 1
    return steps + 1


def _max_pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
              return_indices=False):
    axes = 3
    each = [v if isinstance(v, (tuple, list)) else [v] * axes
            for v in (kernel_size, stride or kernel_size, padding, dilation)]
    space = [_pooled(n, *window, ceil_mode) for n, *window in zip(input.shape[-axes:], *each)]
    return input.new_empty(list(input.shape[:-axes]) + space)


BY_HAND = {"max_pool3d": _max_pool}


def call(name, function, args, kwargs):
    """Call `function`, or compute the shape of its result here if PyTorch cannot."""
    try:
        return function(*args, **kwargs)
    except NotImplementedError:
        if name not in BY_HAND or kwargs.get("return_indices"):
            raise
    return BY_HAND[name](*args, **kwargs)
