"""Rules (rules.py) for convolutions and pooling."""

import math

from graph import Unknown

RULES = {}


def _each(value, axes):
    value = list(value) if isinstance(value, (tuple, list)) else [value]
    return value * axes if len(value) == 1 else value


def _padding(g, input, padding, weight, stride, dilation, axes):
    """The operand and the padding as numbers, also for "same" and "valid"; "same" may pad the end by one more."""
    if padding == "valid":
        return input, [0] * axes
    if padding != "same":
        return input, _each(padding, axes)
    if set(_each(stride, axes)) != {1}:
        raise Unknown("padding to the same size with a stride")
    spans = [d * (k - 1) for d, k in zip(_each(dilation, axes), weight.shape[2:])]
    if any(span % 2 for span in spans):
        more = [side for span in reversed(spans) for side in (0, span % 2)]
        input = g.node("pad", [input], pad=more, value=0)
    return input, [span // 2 for span in spans]


def _with_batch(axes, write):
    """The rule `write` also for an operand without a batch, which becomes a batch of one."""
    def rule(g, result, input, *args, **kwargs):
        if input.dim() == axes + 2:
            return write(g, result, input, *args, **kwargs)
        made = write(g, result, g.node("unsqueeze", [input], dim=0), *args, **kwargs)
        return g.node("reshape", [made], shape=list(result.shape))
    return rule


def _convolution(axes):
    def write(g, result, input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        input, sides = _padding(g, input, padding, weight, stride, dilation, axes)
        return g.node(f"conv{axes}d", [input, weight] + ([] if bias is None else [bias]),
                      stride=_each(stride, axes), dilation=_each(dilation, axes), groups=groups,
                      padding=sides)
    return _with_batch(axes, write)


def _transposed(axes):
    def write(g, result, input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
              dilation=1):
        return g.node(f"conv_transpose{axes}d", [input, weight] + ([] if bias is None else [bias]),
                      stride=_each(stride, axes), padding=_each(padding, axes),
                      output_padding=_each(output_padding, axes), dilation=_each(dilation, axes),
                      groups=groups)
    return _with_batch(axes, write)


def _max_pool(axes):
    def write(g, result, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
              return_indices=False):
        if return_indices:
            raise Unknown("pooling that returns the indices of its maxima")
        return g.node(f"max_pool{axes}d", [input], kernel_size=_each(kernel_size, axes),
                      stride=_each(stride or kernel_size, axes), padding=_each(padding, axes),
                      dilation=_each(dilation, axes), ceil_mode=ceil_mode)
    return _with_batch(axes, write)


def _avg_pool(axes):
    def write(g, result, input, kernel_size, stride=None, padding=0, ceil_mode=False,
              count_include_pad=True, divisor_override=None):
        window = _each(kernel_size, axes)
        if divisor_override and ceil_mode:  # zeros beyond the end, which count as nothing
            steps, sides = _each(stride or kernel_size, axes), _each(padding, axes)
            spans = [(n - 1) * step + k - m - side for n, step, k, m, side in
                     zip(result.shape[-axes:], steps, window, input.shape[-axes:], sides)]
            input = g.node("pad", [input], pad=[x for side, span in list(zip(sides, spans))[::-1]
                                                for x in (side, max(span, side))], value=0)
            padding, ceil_mode = 0, False
        made = g.node(f"avg_pool{axes}d", [input], kernel_size=window,
                      stride=_each(stride or kernel_size, axes), padding=_each(padding, axes),
                      ceil_mode=ceil_mode, count_include_pad=count_include_pad or bool(divisor_override))
        return g.node("mul", [made, math.prod(window) / divisor_override]) if divisor_override else made
    return _with_batch(axes, write)


def _adaptive(op, axes):
    def write(g, result, input, output_size, return_indices=False):
        if return_indices:
            raise Unknown("pooling that returns the indices of its maxima")
        return g.node(op, [input], output_size=list(result.shape[-axes:]))
    return _with_batch(axes, write)


for _axes in (1, 2, 3):
    RULES[f"conv{_axes}d"] = _convolution(_axes)
    RULES[f"conv_transpose{_axes}d"] = _transposed(_axes)
    RULES[f"max_pool{_axes}d"] = _max_pool(_axes)
    RULES[f"avg_pool{_axes}d"] = _avg_pool(_axes)
    for _kind in ("max", "avg"):
        _op = f"adaptive_{_kind}_pool{_axes}d"
        RULES[_op] = _adaptive(_op, _axes)
