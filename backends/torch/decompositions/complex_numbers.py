"""
Decompositions of functions of complex tensors.  A problem has none: the value of a complex
tensor is that of view_as_real(), whose last axis has the real and the imaginary parts.
"""

import torch

MOVED = ("view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "transpose", "swapaxes", "permute",
         "movedim", "expand", "expand_as", "repeat", "__getitem__", "narrow", "select", "roll", "flip", "sum", "mean",
         "cumsum", "contiguous", "clone", "detach", "neg", "__neg__", "t", "index_select", "pad", "tril", "triu",
         "diagonal", "zeros_like", "view_as", "reshape_as", "broadcast_to", "resolve_conj", "resolve_neg")
SEVERAL = ("chunk", "split", "unbind", "split_with_sizes")


def is_complex(item):
    """True for a complex tensor, number or type, also in a list."""
    if isinstance(item, (list, tuple)):
        return any(is_complex(one) for one in item)
    if isinstance(item, torch.Tensor):
        return item.dtype.is_complex
    return isinstance(item, complex) or isinstance(item, torch.dtype) and item.is_complex


def parts(item):
    """The real and the imaginary part; 0 for that of a real tensor."""
    if isinstance(item, torch.Tensor) and item.dtype.is_complex:
        return torch.view_as_real(item).unbind(-1)
    return (item.real, item.imag) if isinstance(item, complex) else (item, 0)


def joined(real, imaginary):
    """torch.complex()"""
    like = next(x for x in (real, imaginary) if isinstance(x, torch.Tensor))
    real, imaginary = (x if isinstance(x, torch.Tensor) else torch.full_like(like, x) for x in (real, imaginary))
    return torch.view_as_complex(torch.stack(torch.broadcast_tensors(real, imaginary), -1))


def polar(abs, angle):
    return joined(abs * torch.cos(angle), abs * torch.sin(angle))


def _alike(item):
    """An operand of the same shape, for what only its shape is read of."""
    return parts(item)[0] if isinstance(item, torch.Tensor) else item


def _moved(function):
    """The same function of both parts."""
    def each(input, *args, **kwargs):
        others = [_alike(a) for a in args]
        return joined(*[function(part, *others, **kwargs) for part in parts(input)])
    return each


def _several(function):
    def each(input, *args, **kwargs):
        return tuple(joined(*pair) for pair in zip(*[function(part, *args, **kwargs) for part in parts(input)]))
    return each


def cat(tensors, dim=0):
    return joined(*[torch.cat(list(one), dim) for one in zip(*[parts(t) for t in tensors])])


def _product(multiply):
    def product(input, other):
        (a, b), (c, d) = parts(input), parts(other)
        if not is_complex(other):
            return joined(multiply(a, c), multiply(b, c))
        if not is_complex(input):
            return joined(multiply(a, c), multiply(a, d))
        return joined(multiply(a, c) - multiply(b, d), multiply(a, d) + multiply(b, c))
    return product


def _sum(input, other, *, alpha=1):
    (a, b), (c, d) = parts(input), parts(other)
    return joined(a + c * alpha, b + d * alpha)


def sub(input, other, *, alpha=1):
    return _sum(input, other, alpha=-alpha)


mul = _product(torch.mul)


def div(input, other):
    if not is_complex(other):
        return joined(*[part / other for part in parts(input)])
    c, d = parts(other)
    size = c * c + d * d
    return mul(input, joined(c / size, -d / size) if isinstance(c, torch.Tensor) else 1 / other)


def einsum(equation, *operands):
    operands = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    made = operands[0]
    if len(operands) == 1:
        return joined(*[torch.einsum(equation, part) for part in parts(made)])
    return _product(lambda a, b: torch.einsum(equation, a, b))(*operands)


def conj(input):
    real, imaginary = parts(input)
    return joined(real, -imaginary)


def absolute(input):
    real, imaginary = parts(input)
    return torch.sqrt(real * real + imaginary * imaginary)


def exp(input):
    real, imaginary = parts(input)
    return polar(torch.exp(real), imaginary)


def setitem(input, index, value):
    """The value after input[index] = value."""
    made = [part.clone() for part in parts(input)]
    for part, new in zip(made, parts(value)):
        part[index] = new
    return joined(*made)


def _filled(name):
    def function(*size, dtype=None, **kwargs):
        return joined(getattr(torch, name)(*size), 0)
    function.__name__ = name
    return function


def convert(input, *args, **kwargs):
    """A type that is complex, or a device."""
    return input if is_complex(input) else joined(input, 0)


def _of_one_part(name):
    return getattr(torch, name, None) or getattr(torch.Tensor, name, None) or torch.nn.functional.pad


FUNCTIONS = {**{name: _moved(_of_one_part(name)) for name in MOVED},
             **{name: _several(getattr(torch.Tensor, name)) for name in SEVERAL}}
FUNCTIONS.update(
    T=_moved(lambda x: x.T), mT=_moved(lambda x: x.transpose(-2, -1)), mH=lambda x: conj(x.transpose(-2, -1)),
    zeros=_filled("zeros"), ones=_filled("ones"), empty=_filled("zeros"), __setitem__=setitem, einsum=einsum, exp=exp, square=lambda x: mul(x, x), reciprocal=lambda x: div(1, x), real=lambda x: parts(x)[0],
    imag=lambda x: parts(x)[1], angle=lambda x: torch.atan2(*parts(x)[::-1]))
SAME = {cat: "cat concat concatenate", mul: "mul multiply __mul__ __rmul__", sub: "sub subtract __sub__",
        _sum: "add __add__ __radd__", div: "div divide true_divide __truediv__", conj: "conj conj_physical",
        _product(torch.matmul): "matmul __matmul__ bmm mm", absolute: "abs absolute __abs__",
        convert: "to type type_as cfloat", lambda a, b: sub(b, a): "rsub __rsub__",
        lambda a, b: div(b, a): "__rtruediv__", FUNCTIONS["mH"]: "adjoint"}
for _function, _names in SAME.items():
    FUNCTIONS.update(dict.fromkeys(_names.split(), _function))

# Functions of real tensors that make complex ones.
MAKERS = {"complex": joined, "polar": polar}
READABLE = {"view_as_real", "view_as_complex"}


def find(name, args, kwargs):
    """The decomposition of a call with a complex operand; None for other calls."""
    return FUNCTIONS.get(name) if is_complex(list(args)) or is_complex(list(kwargs.values())) else None
