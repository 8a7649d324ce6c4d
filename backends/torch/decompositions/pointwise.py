"""
Decompositions of functions of single elements: rounding, remainders, logarithms and
exponentials to other bases, hyperbolic functions, activations, and tests for numbers that are not finite.
"""

import math

import torch

from graph import Unknown

WHOLE = 2.0 ** 23  # float32 numbers from here on are whole
MOST_DIVISIONS = 46  # of Euclid's algorithm for two integers of 32 bits
MOST_ONE_BY_ONE = 16  # sorted numbers that are compared one after the other
ROUNDS = {torch.int32: 2, torch.int64: 3}  # quotients of 24 bits each; 1 for integers of fewer bits


def trunc(input):
    """By an integer, for the part of a number that has a fraction."""
    if not input.is_floating_point():
        return input
    near = input.clamp(-WHOLE, WHOLE)
    return near.to(torch.int32).to(input.dtype) + (input - near)


def floor(input):
    if not input.is_floating_point():
        return input
    whole = trunc(input)
    return whole - ((input < 0) & (whole > input)).to(input.dtype)  # rounding decides nothing where it is positive


def ceil(input):
    return -floor(-input) if input.is_floating_point() else input


def frac(input):
    return input - trunc(input)


def round(input, *, decimals=0):
    """To the nearest whole number, halves to the even one."""
    if decimals:
        scale = 10.0 ** decimals
        return round(input * scale) / scale
    if not input.is_floating_point():
        return input
    one = torch.where(input < 0, -1.0, 1.0).to(input.dtype)
    near = trunc(input + one * 0.5)  # halves away from zero; certain near whole numbers, where a floor is not
    off, odd = abs(near - input), near - trunc(near * 0.5) * 2
    return near - torch.where((off > 0.5) | ((off == 0.5) & (odd != 0)), one, 0.0)


def _is_real(*operands):
    return any(o.is_floating_point() if isinstance(o, torch.Tensor) else isinstance(o, float)
               for o in operands)


def _sign(number):
    return torch.sign(number) if isinstance(number, torch.Tensor) else 1 if number > 0 else -1


def _divided(a, b, is_positive=False):
    """
    Floor of the quotient, and the remainder.  Integers are divided in float32, whose error the remainder shows:
    it is divided again, until the quotient is at most one off.
    """
    if _is_real(a, b):
        quotient = floor(a / b)
        if not isinstance(b, torch.Tensor):
            return quotient, a - quotient * b
        quotient = torch.where((quotient == 0) & (a * b < 0), -1.0, quotient)  # a quotient by infinity
        return quotient, torch.where(quotient == 0, a, a - quotient * b)
    whole, widest = torch.result_type(a, b), a.dtype if isinstance(a, torch.Tensor) else torch.int64
    quotient, left = 0, a
    for _ in range(ROUNDS.get(widest, 1)):
        more = (left / b).to(whole)
        quotient, left = more + quotient, left - more * b
    if is_positive or not isinstance(b, torch.Tensor) and b > 0:
        is_low, is_high = left < 0, left >= b
    else:
        is_low, is_high = left * _sign(b) < 0, abs(left) >= abs(b)
    return (torch.where(is_low, quotient - 1, torch.where(is_high, quotient + 1, quotient)),
            torch.where(is_low, left + b, torch.where(is_high, left - b, left)))


def remainder(input, other):
    return _divided(input, other)[1]


def floor_divide(input, other, is_positive=False):
    """Floor of the quotient; `is_positive`: all numbers of `other` are."""
    return _divided(input, other, is_positive)[0]


def fmod(input, other):
    if not _is_real(input, other):
        return _sign(input) * remainder(abs(input), abs(other))
    quotient = trunc(input / other)
    left = input - quotient * other
    return torch.where(quotient == 0, input, left) if isinstance(other, torch.Tensor) else left


def divided_and_rounded(input, other, *, rounding_mode):
    """torch.div with a rounding mode."""
    if rounding_mode == "floor":
        return floor_divide(input, other)
    if not _is_real(input, other):
        return _sign(input) * _sign(other) * floor_divide(abs(input), abs(other), True)
    return trunc(input / other)


def celu(input, alpha=1.0, inplace=False):
    return torch.nn.functional.elu(input / alpha) * alpha


def softshrink(input, lambd=0.5):
    return input - input.clamp(-lambd, lambd)


def hardshrink(input, lambd=0.5):
    return torch.where(abs(input) <= lambd, 0.0, input)


def threshold(input, threshold, value, inplace=False):
    return torch.where(input <= threshold, float(value), input)


def rrelu(input, lower=1 / 8, upper=1 / 3, training=False, inplace=False):
    if training:
        raise Unknown("rrelu with random slopes")
    return torch.nn.functional.leaky_relu(input, (lower + upper) / 2)


def lerp(input, end, weight):
    return input + (end - input) * weight


def addcmul(input, tensor1, tensor2, *, value=1):
    product = tensor1 * tensor2
    return input + (product if value == 1 else product * value)


def addcdiv(input, tensor1, tensor2, *, value=1):
    quotient = tensor1 / tensor2
    return input + (quotient if value == 1 else quotient * value)


def logaddexp(input, other):
    apart = torch.where(input == other, 0.0, abs(input - other))  # also of equal infinities
    return torch.maximum(input, other) + torch.log1p(torch.exp(-apart))


def isnan(input):
    return input != input


def isfinite(input):
    if not input.is_floating_point():
        return torch.ones(input.shape, dtype=torch.bool)
    return abs(input) <= torch.finfo(input.dtype).max


def isinf(input):
    if not input.is_floating_point():
        return torch.zeros(input.shape, dtype=torch.bool)
    return abs(input) > torch.finfo(input.dtype).max


def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    if not input.is_floating_point():
        return input
    most = torch.finfo(input.dtype).max
    low, high = (-most if neginf is None else neginf), (most if posinf is None else posinf)
    made = torch.where(input > most, high, torch.where(input < -most, low, input))
    return torch.where(input != input, nan, made)


def isclose(input, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    apart = abs(input - other)
    close = apart <= abs(other) * rtol + atol
    if not input.is_floating_point():
        return close
    same = (input == other) | ((input != input) & (other != other)) if equal_nan else input == other
    return same | (close & isfinite(apart))


def xlogy(input, other):
    if not isinstance(other, torch.Tensor):
        if other <= 0:
            raise Unknown("xlogy of a number that is not positive")
        return input * math.log(other)
    if not isinstance(input, torch.Tensor):
        input = input + torch.zeros_like(other)
    return torch.where((input == 0) & (other == other), 0.0, input * torch.log(other))


def entr(input):
    """-x log(x); 0 for 0, and minus infinity, the logarithm of 0, below it."""
    return torch.where(input < 0, torch.log(torch.relu(input)), -xlogy(input, input))


def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    """How many of the sorted numbers are below each number, or not above it; all are below NaN."""
    right = side == "right" if side is not None else right
    if sorter is not None:
        sorted_sequence = sorted_sequence.gather(-1, sorter)
    input = input if isinstance(input, torch.Tensor) else torch.full([], input, dtype=sorted_sequence.dtype)
    length = sorted_sequence.shape[-1]
    if sorted_sequence.dim() == 1 and 0 < length <= MOST_ONE_BY_ONE:
        made = length - sum(((one > input) if right else (one >= input)).long() for one in sorted_sequence.unbind())
        return made.int() if out_int32 else made
    rows = sorted_sequence if sorted_sequence.dim() == 1 else sorted_sequence.unsqueeze(-2)
    number = input.unsqueeze(-1)
    made = length - ((rows > number) if right else (rows >= number)).sum(-1)
    return made.int() if out_int32 else made


def bucketize(input, boundaries, *, out_int32=False, right=False):
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def fmax(input, other):
    return torch.where(input != input, other, torch.where(other != other, input, torch.maximum(input, other)))


def fmin(input, other):
    return -fmax(-input, -other)


def heaviside(input, values):
    return torch.where(input == 0, values, (input > 0).to(input.dtype))


def nansum(input, dim=None, keepdim=False, *, dtype=None):
    return torch.where(input != input, 0.0, input).sum(dim, keepdim, dtype=dtype)


def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    return nansum(input, dim, keepdim, dtype=dtype) / (input == input).sum(dim, keepdim)


def isin(elements, test_elements, *, assume_unique=False, invert=False):
    if not isinstance(test_elements, torch.Tensor):
        return (elements == test_elements) ^ invert
    found = (elements.unsqueeze(-1) == test_elements.flatten()).any(-1)
    return ~found if invert else found


def _quantized(input, scale, zero_point, quant_min, quant_max):
    places = (round(input / scale) + zero_point).clamp(quant_min, quant_max)
    return (places - zero_point) * scale


def masked_fill(input, mask, value):
    """With a tensor of one number."""
    return torch.where(mask, value.to(input.dtype), input)


def masked_scatter(input, mask, source):
    """The elements of the source in turn where the mask is true."""
    mask = mask.expand(input.shape)
    place = mask.flatten().to(torch.int64).cumsum(0) - 1
    taken = source.flatten()[place.clamp(0, source.numel() - 1)].reshape(input.shape)
    return torch.where(mask, taken, input)


def fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max):
    return _quantized(input, scale, zero_point, quant_min, quant_max)


def fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max):
    shape = [-1] + [1] * (input.dim() - 1 - axis % input.dim())
    return _quantized(input, scale.reshape(shape), zero_point.reshape(shape), quant_min, quant_max)


def _trapezoids(y, x, dx, dim):
    """Twice the areas between neighbours."""
    count = y.shape[dim] - 1
    both = y.narrow(dim, 0, count) + y.narrow(dim, 1, count)
    width = (1 if dx is None else dx) if x is None else torch.diff(x, dim=dim if x.dim() > 1 else -1)
    if x is not None and x.dim() == 1:
        width = width.reshape([-1] + [1] * (y.dim() - 1 - dim % y.dim()))
    return both * width


def trapezoid(y, x=None, *, dx=None, dim=-1):
    return _trapezoids(y, x, dx, dim).sum(dim) / 2


def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    return _trapezoids(y, x, dx, dim).cumsum(dim) / 2


def gradient(input, *, spacing=None, dim=None, edge_order=1):
    """Differences between neighbours; at the ends to the one neighbour or, of order 2, to two."""
    axes = [dim] if isinstance(dim, int) else list(range(input.dim())) if dim is None else list(dim)
    spacing = list(spacing) if isinstance(spacing, (tuple, list)) else [1 if spacing is None else spacing] * len(axes)
    return tuple(_slopes(input, axis % input.dim(), steps, edge_order) for axis, steps in zip(axes, spacing))


def _slopes(x, axis, spacing, edge_order):
    is_even, last = not isinstance(spacing, torch.Tensor) or not spacing.dim(), x.shape[axis] - 2
    if edge_order == 2 and not is_even:
        raise Unknown("gradient with edge_order 2 between places of a tensor")
    steps = spacing if is_even else torch.diff(spacing).reshape([-1] + [1] * (x.dim() - 1 - axis))
    slopes = torch.diff(x, dim=axis) / steps
    before, after = slopes.narrow(axis, 0, last), slopes.narrow(axis, 1, last)
    if is_even:
        middle = (before + after) / 2
    else:
        left, right = steps.narrow(0, 0, last), steps.narrow(0, 1, last)
        middle = (before * right + after * left) / (left + right)
    low, high = slopes.narrow(axis, 0, 1), slopes.narrow(axis, last, 1)
    if edge_order == 2:
        low = low + (low - slopes.narrow(axis, 1, 1)) / 2
        high = high + (high - slopes.narrow(axis, last - 1, 1)) / 2
    return torch.cat([low, middle, high], axis)


def cov(input, *, correction=1, fweights=None, aweights=None):
    rows = input if input.dim() > 1 else input.reshape(1, -1)
    weights = [w.to(rows.dtype) for w in (fweights, aweights) if w is not None]
    weight = math.prod(weights[1:], start=weights[0]) if weights else torch.ones([], dtype=rows.dtype)
    total = weight.sum() if weights else rows.shape[1]
    centred = rows - (rows * weight).sum(1, keepdim=True) / total
    lost = correction if aweights is None else correction * (weight * aweights).sum() / total
    made = (centred * weight) @ centred.mT / (max(total - lost, 0) if not weights else (total - lost).clamp(min=0))
    return made.squeeze()


def corrcoef(input):
    made = cov(input)
    if made.dim() < 2:
        return made / made
    sd = made.diagonal().sqrt()
    return (made / sd.unsqueeze(1) / sd.unsqueeze(0)).clamp(-1, 1)


def float_power(input, exponent):
    double = lambda x: x.double() if isinstance(x, torch.Tensor) else float(x)
    return torch.pow(double(input), double(exponent))


def logit(input, eps=None):
    x = input if eps is None else input.clamp(eps, 1 - eps)
    return torch.log(x / (1 - x))


def gcd(input, other):
    """Euclid's algorithm, as often as the slowest pair of 32 bits takes."""
    a, b = torch.broadcast_tensors(abs(input), abs(other))
    for _ in range(MOST_DIVISIONS):
        last, none = b, b == 0
        b = torch.where(none, 0, a - floor_divide(a, torch.where(none, 1, b), True) * b)
        a = torch.where(none, a, last)
    return a


def lcm(input, other):
    divisor = gcd(input, other)
    return abs(floor_divide(input, torch.where(divisor == 0, 1, divisor), True) * other)


def logspace(start, end, steps, base=10.0, *, dtype=None, device=None, **kwargs):
    made = torch.pow(float(base), torch.linspace(start, end, steps, device=device))
    return made if dtype is None else made.to(dtype)


def hypot(input, other):
    """The square of a quotient does not overflow. Limits keep 0 and infinity from being divided by themselves."""
    a, b = abs(input), abs(other)
    large = torch.maximum(a, b)
    limits = torch.finfo(torch.float64 if large.dtype == torch.float64 else torch.float32)
    share = torch.minimum(a, b) / large.clamp(limits.tiny, limits.max)
    return large * torch.sqrt(1 + share * share)


def asinh(input):
    """From 2^24 on, the root of x^2 + 1 is |x|."""
    size = abs(input)
    near = size.clamp(max=2.0**24)
    return torch.sign(input) * torch.log(size + torch.maximum(size, torch.sqrt(near * near + 1)))


SIMPLE = {
    "exp2": lambda input: torch.exp(input * math.log(2)),
    "expm1": lambda input: torch.exp(input) - 1,
    "log2": lambda input: torch.log(input) / math.log(2),
    "log10": lambda input: torch.log(input) / math.log(10),
    "erfc": lambda input: 1 - torch.erf(input),
    "tan": lambda input: torch.sin(input) / torch.cos(input),
    "sinh": lambda input: (torch.exp(input) - torch.exp(-input)) / 2,
    "cosh": lambda input: (torch.exp(input) + torch.exp(-input)) / 2,
    "acosh": lambda input: torch.log(input + torch.sqrt(input - 1) * torch.sqrt(input + 1)),
    "atanh": lambda input: (torch.log(1 + input) - torch.log(1 - input)) / 2,
    "deg2rad": lambda input: input * (math.pi / 180),
    "rad2deg": lambda input: input * (180 / math.pi),
    "signbit": lambda input: input < 0,
    "isposinf": lambda input: input > torch.finfo(input.dtype).max,
    "isneginf": lambda input: input < -torch.finfo(input.dtype).max,
    "ldexp": lambda input, other: input * 2.0 ** other,
    "logaddexp2": lambda input, other: logaddexp(input * math.log(2), other * math.log(2)) / math.log(2),
    "ndtr": lambda input: (1 + torch.erf(input * math.sqrt(0.5))) / 2,
    "xlog1py": lambda input, other: xlogy(input, 1 + other),
}
for _name, _function in SIMPLE.items():
    _function.__name__ = _name

FUNCTIONS = {f.__name__: f for f in (
    trunc, floor, ceil, frac, round, remainder, floor_divide, fmod, celu, softshrink, hardshrink,
    threshold, rrelu, lerp, addcmul, addcdiv, logaddexp, hypot, asinh, isnan, isfinite, isinf, nan_to_num,
    isclose, xlogy, entr, searchsorted, bucketize, fmax, fmin, heaviside, nansum, nanmean, isin, trapezoid,
    cumulative_trapezoid, gradient, cov, corrcoef, float_power, logit, gcd, lcm, logspace, masked_scatter, fake_quantize_per_tensor_affine, fake_quantize_per_channel_affine)}
FUNCTIONS.update(SIMPLE)
FUNCTIONS.update(fix=trunc, trapz=trapezoid, special_ndtr=SIMPLE["ndtr"], special_xlog1py=SIMPLE["xlog1py"],
                 special_xlogy=xlogy, special_entr=entr, special_logit=logit, arcsinh=asinh,
                 arccosh=SIMPLE["acosh"], arctanh=SIMPLE["atanh"],
                 __mod__=remainder, __floordiv__=floor_divide,
                 __rmod__=lambda input, other: remainder(other, input),
                 __rfloordiv__=lambda input, other: floor_divide(other, input))
