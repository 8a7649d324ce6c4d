"""Rules (rules.py) for convolutions and pooling."""

from graph import Unknown

RULES = {}


def _each(value, axes):
    return list(value) if isinstance(value, (tuple, list)) else [value] * axes


def _padding(padding, weight, stride, dilation, axes):
    """The padding as numbers, also for "same" and "valid"."""
    if padding == "valid":
        return [0] * axes
    if padding != "same":
        return _each(padding, axes)
    spans = [d * (k - 1) for d, k in zip(_each(dilation, axes), weight.shape[2:])]
    if any(span % 2 for span in spans) or set(_each(stride, axes)) != {1}:
        raise Unknown("padding that differs between the two sides")
    return [span // 2 for span in spans]


def _check_batch(input, axes):
    if input.dim() != axes + 2:
        raise Unknown("a convolution or pooling without a batch")


def _convolution(axes):
    def write(g, result, input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        _check_batch(input, axes)
        return g.node(f"conv{axes}d", [input, weight] + ([] if bias is None else [bias]),
                      stride=_each(stride, axes), dilation=_each(dilation, axes), groups=groups,
                      padding=_padding(padding, weight, stride, dilation, axes))
    return write


def _transposed(axes):
    def write(g, result, input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
              dilation=1):
        _check_batch(input, axes)
        return g.node(f"conv_transpose{axes}d", [input, weight] + ([] if bias is None else [bias]),
                      stride=_each(stride, axes), padding=_each(padding, axes),
                      output_padding=_each(output_padding, axes), dilation=_each(dilation, axes),
                      groups=groups)
    return write


def _max_pool(axes):
    def write(g, result, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
              return_indices=False):
        _check_batch(input, axes)
        if return_indices:
            raise Unknown("pooling that returns the indices of its maxima")
        return g.node(f"max_pool{axes}d", [input], kernel_size=_each(kernel_size, axes),
                      stride=_each(stride or kernel_size, axes), padding=_each(padding, axes),
                      dilation=_each(dilation, axes), ceil_mode=ceil_mode)
    return write


def _avg_pool(axes):
    def write(g, result, input, kernel_size, stride=None, padding=0, ceil_mode=False,
              count_include_pad=True, divisor_override=None):
        _check_batch(input, axes)
        if divisor_override:
            raise Unknown("pooling with divisor_override")
        return g.node(f"avg_pool{axes}d", [input], kernel_size=_each(kernel_size, axes),
                      stride=_each(stride or kernel_size, axes), padding=_each(padding, axes),
                      ceil_mode=ceil_mode, count_include_pad=count_include_pad)
    return write


def _adaptive(op, axes):
    def write(g, result, input, output_size, return_indices=False):
        _check_batch(input, axes)
        if return_indices:
            raise Unknown("pooling that returns the indices of its maxima")
        return g.node(op, [input], output_size=list(result.shape[2:]))
    return write


for _axes in (1, 2, 3):
    RULES[f"conv{_axes}d"] = _convolution(_axes)
    RULES[f"conv_transpose{_axes}d"] = _transposed(_axes)
    RULES[f"max_pool{_axes}d"] = _max_pool(_axes)
    RULES[f"avg_pool{_axes}d"] = _avg_pool(_axes)
    for _kind in ("max", "avg"):
        _op = f"adaptive_{_kind}_pool{_axes}d"
        RULES[_op] = _adaptive(_op, _axes)
