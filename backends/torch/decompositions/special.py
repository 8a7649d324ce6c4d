"""
Decompositions of special functions: angles, gamma and error functions, Bessel functions.
Series and approximations are those of the Cephes library; each has an error below 1e-13 in double precision.
"""

import math

import torch

from graph import Unknown

# Lanczos' approximation of the gamma function with g = 7.
LANCZOS = (676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
           12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7)

# Chebyshev series of exp(-x) I0(x): in x / 2 - 2 up to 8, and in 32 / x - 2, times the root of x, from there on.
I0_NEAR = (
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16,
    1.71539128555513303061e-15, -1.16853328779934516808e-14, 7.67618549860493561688e-14,
    -4.85644678311192946090e-13, 2.95505266312963983461e-12, -1.72682629144155570723e-11,
    9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7,
    1.11738753912010371815e-6, -4.41673835845875056359e-6, 1.64484480707288970893e-5,
    -5.75419501008210370398e-5, 1.88502885095841655729e-4, -5.76375574538582365885e-4,
    1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2,
    1.71620901522208775349e-1, -3.04682672343198398683e-1, 6.76795274409476084995e-1)
I0_FAR = (
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17,
    3.46122286769746109310e-17, -2.82762398051658348494e-16, -3.42548561967721913462e-16,
    1.77256013305652638360e-15, 3.81168066935262242075e-15, -9.55484669882830764870e-15,
    -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11,
    -3.14991652796324136454e-11, 1.18891471078464383424e-11, 4.94060238822496958910e-10,
    3.39623202570838634515e-9, 2.26666899049817806459e-8, 2.04891858946906374183e-7,
    2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1)

# Bernoulli's numbers of even index, from the second on; and terms of series and fractions of gamma functions.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
MOST_TERMS = 60


def copysign(input, other):
    size = abs(input)
    if not isinstance(other, torch.Tensor):
        return size if math.copysign(1, other) > 0 else -size
    return torch.where(other < 0, -size, size)


def atan2(input, other):
    """The angle of the point (other, input)."""
    y, x = input, other
    steep = abs(y) > abs(x)
    above, below = torch.where(steep, x, y), torch.where(steep, y, x)
    slope = torch.where(abs(y) == abs(x), torch.sign(y) * torch.sign(x),  # also of infinities
                        above / torch.where(below == 0, 1.0, below))
    part = torch.atan(slope)
    behind = torch.where(x < 0, torch.where(y < 0, part - math.pi, part + math.pi), part)
    return torch.where(steep, torch.where(y < 0, -math.pi / 2 - part, math.pi / 2 - part), behind)


def angle(input):
    return torch.where(input != input, input, torch.where(input < 0, math.pi, 0.0))


def asin(input):
    return atan2(input, torch.sqrt((1 - input) * (1 + input)))


def acos(input):
    return atan2(torch.sqrt((1 - input) * (1 + input)), input)


def sinc(input):
    x = input * math.pi
    return torch.where(x == 0, 1.0, torch.sin(x) / torch.where(x == 0, 1.0, x))


def lgamma(input):
    """Below 1/2 by the reflection at it."""
    turned = input < 0.5
    x = torch.where(turned, -input, input - 1)
    total = sum((c / (x + (i + 1)) for i, c in enumerate(LANCZOS)), 0.99999999999980993)
    t = x + 7.5
    made = (x + 0.5) * (torch.log(t) - 1) - 7 + torch.log(total) + math.log(2 * math.pi) / 2
    wave = torch.where(turned, abs(torch.sin(math.pi * input)), 1.0)
    return torch.where(turned, math.log(math.pi) - torch.log(wave) - made, made)


def digamma(input):
    """By the asymptotic series from 8 on, and the reflection below 0."""
    turned = input < 0
    x = torch.where(turned, 1 - input, input)
    less = 0
    for i in range(8):
        less = less + 1 / (x + i)
    x = x + 8
    w = 1 / (x * x)
    series = w * (1 / 12 - w * (1 / 120 - w * (1 / 252 - w * (1 / 240 - w * (1 / 132)))))
    made = torch.log(x) - 0.5 / x - series - less
    angle = torch.where(turned, math.pi * input, 1.0)
    return torch.where(turned, made - math.pi * torch.cos(angle) / torch.sin(angle), made)


def erfinv(input):
    """A formula of Winitzki's, then steps of Halley's method."""
    log = torch.log((1 - input) * (1 + input))
    half = 2 / (math.pi * 0.147) + log / 2
    x = torch.sign(input) * torch.sqrt(torch.sqrt(half * half - log / 0.147) - half)
    for _ in range(3):
        step = (torch.erf(x) - input) * torch.exp(x * x) * (math.sqrt(math.pi) / 2)
        x = x - step / (1 + x * step)
    return torch.where(abs(input) == 1, input / (1 - abs(input)), x)


def _chebyshev(x, factors):
    before, last = 0.0, 0.0
    for factor in factors:
        before, last, older = x * before - last + factor, before, last
    return (before - older) / 2


def i0e(input):
    """exp(-|x|) I0(x)"""
    x = abs(input)
    near = _chebyshev(torch.clamp(x, max=8.0) / 2 - 2, I0_NEAR)
    far = torch.clamp(x, min=8.0)
    return torch.where(x <= 8, near, _chebyshev(32 / far - 2, I0_FAR) * torch.rsqrt(far))


def i0(input):
    return torch.exp(abs(input)) * i0e(input)


def erfcx(input):
    """exp(x^2) erfc(x): by a continued fraction from 2 on, and by the reflection below 0."""
    x = abs(input)
    near, far = x.clamp(max=2.0), x.clamp(min=2.0)
    made = far
    for i in range(60, 0, -1):
        made = far + i / 2 / made
    made = torch.where(x < 2, torch.exp(near * near) * (1 - torch.erf(near)), 1 / (made * math.sqrt(math.pi)))
    return torch.where(input < 0, 2 * torch.exp(input * input) - made, made)


def log_ndtr(input):
    """The logarithm of the normal distribution, below -1 by erfcx()."""
    low = input.clamp(max=-1.0)
    tail = torch.log(erfcx(-low * math.sqrt(0.5)) / 2) - low * low / 2
    return torch.where(input < -1, tail, torch.log1p(-(1 - torch.erf(input.clamp(min=-1.0) * math.sqrt(0.5))) / 2))


def ndtri(input):
    return erfinv(2 * input - 1) * math.sqrt(2)


def i1e(input):
    """exp(-|x|) I1(x): by the series up to 12, and by the one in 1 / x from there on."""
    x = abs(input)
    near, far = x.clamp(max=12.0), x.clamp(min=12.0)
    square, term, total = near * near / 4, near / 2, near / 2
    for i in range(1, 40):
        term = term * square / (i * (i + 1))
        total = total + term
    part, series = 1.0, 1.0
    for i in range(1, 14):
        part = -part * (4 - (2 * i - 1) ** 2) / (i * 8 * far)
        series = series + part
    made = torch.where(x <= 12, total * torch.exp(-near), series * torch.rsqrt(2 * math.pi * far))
    return torch.where(input < 0, -made, made)


def i1(input):
    return torch.exp(abs(input)) * i1e(input)


def zeta(x, q):
    """The sum of (q + i) ** -x by Euler's and Maclaurin's formula, for x above 1."""
    made, terms = 0, 20
    for i in range(terms):
        made = made + (q + i) ** -x
    end = q + terms
    made = made + end ** (1 - x) / (x - 1) + end ** -x / 2
    rising, factor = x, 2.0
    for i, bernoulli in enumerate(BERNOULLI):
        made = made + bernoulli / factor * rising * end ** -(x + 2 * i + 1)
        rising = rising * (x + 2 * i + 1) * (x + 2 * i + 2)
        factor *= (2 * i + 3) * (2 * i + 4)
    return made + torch.sqrt(x - 1) * 0 if isinstance(x, torch.Tensor) else made


def polygamma(n, input):
    """The n-th derivative of digamma(), for numbers above 0."""
    n, input = (input, n) if isinstance(n, torch.Tensor) else (n, input)
    if n == 0:
        return digamma(input)
    return zeta(float(n + 1), input) * ((-1) ** (n + 1) * math.factorial(n))


def mvlgamma(input, p):
    made = p * (p - 1) / 4 * math.log(math.pi)
    for i in range(p):
        made = made + torch.lgamma(input - i / 2)
    return made


def igamma(input, other):
    """The share of the gamma function's integral up to `other`: a series where it converges soon, else a fraction."""
    a, x = torch.broadcast_tensors(input, other)
    scale = torch.exp(a * torch.log(torch.where(x == 0, 1.0, x)) - x - torch.lgamma(a))
    near, far = torch.minimum(x, a + 1), torch.maximum(x, a + 1)
    term = total = 1 / a
    for i in range(1, MOST_TERMS):
        term = term * near / (a + i)
        total = total + term
    fraction = far + 2 * MOST_TERMS + 1 - a
    for i in range(MOST_TERMS, 0, -1):
        fraction = far + 2 * i - 1 - a - i * (i - a) / fraction
    made = torch.where(x < a + 1, scale * total, 1 - scale / fraction)
    return torch.where(x == 0, 0.0, made) + torch.sqrt(torch.minimum(a, x)) * 0  # NaN of numbers below 0


def igammac(input, other):
    return 1 - igamma(input, other)


def _bessel(order):
    """J0 or J1: by the trapezoidal rule on an integral over a turn up to 24, by Hankel's series from there on."""
    def function(input):
        x = abs(input)
        near, far, made, steps = x.clamp(max=24.0), x.clamp(min=24.0), 0, 32
        for i in range(steps):
            angle = (i + 0.5) * math.pi / steps
            made = made + torch.cos(near * math.sin(angle) - order * angle)
        mu, term, even, odd = 4 * order * order, 1.0, 1.0, 0.0
        for i in range(1, 12):
            term = term * (mu - (2 * i - 1) ** 2) / (i * 8 * far)
            sign = -1 if i % 4 in (2, 3) else 1
            even, odd = (even, odd + sign * term) if i % 2 else (even + sign * term, odd)
        turn = far - (2 * order + 1) * math.pi / 4
        wave = torch.sqrt(2 / (math.pi * far)) * (torch.cos(turn) * even - torch.sin(turn) * odd)
        made = torch.where(x <= 24, made / steps, wave)
        return torch.where(input < 0, -made, made) if order else made
    function.__name__ = f"bessel_j{order}"
    return function


def _polynomial(first, step):
    """An orthogonal polynomial of a known degree by its recurrence."""
    def function(input, n):
        if not isinstance(n, int):
            raise Unknown("an orthogonal polynomial whose degree is a tensor")
        before, last = torch.ones_like(input), first(input)
        if n < 1:
            return before * (n == 0)
        for i in range(1, n):
            before, last = last, step(input, i, last, before)
        return last
    return function


_twice = lambda x, i, last, before: 2 * x * last - before
POLYNOMIALS = {
    "chebyshev_polynomial_t": _polynomial(lambda x: x, _twice),
    "chebyshev_polynomial_u": _polynomial(lambda x: 2 * x, _twice),
    "chebyshev_polynomial_v": _polynomial(lambda x: 2 * x - 1, _twice),
    "chebyshev_polynomial_w": _polynomial(lambda x: 2 * x + 1, _twice),
    "hermite_polynomial_h": _polynomial(lambda x: 2 * x, lambda x, i, last, before: 2 * x * last - 2 * i * before),
    "hermite_polynomial_he": _polynomial(lambda x: x, lambda x, i, last, before: x * last - i * before),
    "laguerre_polynomial_l": _polynomial(
        lambda x: 1 - x, lambda x, i, last, before: ((2 * i + 1 - x) * last - i * before) / (i + 1)),
    "legendre_polynomial_p": _polynomial(
        lambda x: x, lambda x, i, last, before: ((2 * i + 1) * x * last - i * before) / (i + 1)),
}


FUNCTIONS = {f.__name__: f for f in (copysign, atan2, angle, asin, acos, sinc, lgamma, digamma, erfinv, i0e, i0)}
_SPECIAL = (i1, i1e, erfcx, log_ndtr, ndtri, zeta, polygamma, _bessel(0), _bessel(1))
FUNCTIONS.update({f"{prefix}{f.__name__}": f for f in _SPECIAL for prefix in ("", "special_")})
FUNCTIONS.update({f"{prefix}{name}": f for name, f in POLYNOMIALS.items() for prefix in ("", "special_")})
FUNCTIONS.update(mvlgamma=mvlgamma, multigammaln=mvlgamma, special_multigammaln=mvlgamma, igamma=igamma, igammac=igammac,
                 gammainc=igamma, gammaincc=igammac, special_gammainc=igamma, special_gammaincc=igammac)
FUNCTIONS.update(arctan2=atan2, arcsin=asin, arccos=acos, gammaln=lgamma, psi=digamma, special_gammaln=lgamma,
                 special_digamma=digamma, special_erfinv=erfinv, special_i0=i0, special_i0e=i0e, special_sinc=sinc)
