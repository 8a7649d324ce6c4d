"""Element by element, with broadcasting."""
import math

import numpy as np

from case import case, integers, node, normal, positive

erf = np.vectorize(math.erf)


def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), 1 - 1 / (1 + np.exp(-np.abs(x))))


def selu(x):
    return np.where(x > 0, 1.0507009873554805 * x,
                    1.0507009873554805 * 1.6732632423543772 * (np.exp(x) - 1))


UNARY = {
    'abs': np.abs,
    'neg': np.negative,
    'sign': np.sign,
    'relu': lambda x: np.maximum(x, 0),
    'leaky_relu': lambda x: np.where(x > 0, x, 0.01 * x),
    'elu': lambda x: np.where(x > 0, x, np.exp(x) - 1),
    'selu': selu,
    'gelu': lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2))),
    'silu': lambda x: x * sigmoid(x),
    'mish': lambda x: x * np.tanh(np.log1p(np.exp(x))),
    'sigmoid': sigmoid,
    'softplus': lambda x: np.logaddexp(0, x),
    'softsign': lambda x: x / (1 + np.abs(x)),
    'hardtanh': lambda x: np.clip(x, -1, 1),
    'hardswish': lambda x: np.where(x <= -3, 0, np.where(x >= 3, x, x * (x + 3) / 6)),
    'hardsigmoid': lambda x: np.clip(x / 6 + 0.5, 0, 1),
    'tanh': np.tanh,
    'exp': np.exp,
    'sin': np.sin,
    'cos': np.cos,
    'atan': np.arctan,
    'erf': erf,
}
for name, function in UNARY.items():
    case([node(name, 'x')], function, x=3 * normal(37, 5))
for name, function in {'log': np.log, 'sqrt': np.sqrt, 'rsqrt': lambda x: x ** -0.5}.items():
    case([node(name, 'x')], function, x=positive(41))

case([node('leaky_relu', 'x', negative_slope=0.2)], lambda x: np.maximum(x, 0.2 * x), x=normal(50))
case([node('elu', 'x', alpha=0.5)], lambda x: np.where(x > 0, x, 0.5 * np.expm1(x)), x=normal(50))
case([node('gelu', 'x', approximate='tanh')],
     lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))),
     x=normal(60))
case([node('softplus', 'x', beta=2, threshold=3)],
     lambda x: np.where(2 * x > 3, x, np.log1p(np.exp(2 * x)) / 2), x=3 * normal(60))
case([node('hardtanh', 'x', min_val=-0.5, max_val=2)], lambda x: np.clip(x, -0.5, 2), x=normal(60))
case([node('clamp', 'x', min=-0.5)], lambda x: np.maximum(x, -0.5), x=normal(60))
case([node('clamp', 'x', min=-0.5, max=0.25)], lambda x: np.clip(x, -0.5, 0.25), x=normal(60))
case([node('clamp', 'x', max=3)], lambda x: np.minimum(x, 3), x=integers(-9, 9, 20))
case([node('silu', 'x')], lambda x: np.array([-0.0, 800.0]), x=np.array([-800.0, 800.0]))
case([node('softplus', 'x', threshold=1e4)], lambda x: np.array([0.0, 800.0]),
     x=np.array([-800.0, 800.0]))

case([node('add', 'x', 'y0')], np.add, x=normal(3, 1, 5), y0=normal(4, 1))
case([node('add', 'x', 'x', alpha=3)], lambda x: 4 * x, x=normal(3, 5))
case([node('sub', 1, 'x')], lambda x: 1 - x, x=normal(3, 5))
case([node('sub', 'x', 'z', alpha=2)], lambda x, z: x - 2 * z, x=normal(7), z=normal(2, 7))
case([node('mul', 'x', 'z')], np.multiply, x=normal(2, 3, 1, 5), z=normal(4, 1))
case([node('mul', 'x', 'z')], np.multiply, x=normal(9000), z=normal())
case([node('div', 'x', 'z')], np.divide, x=normal(6), z=positive(6))
case([node('pow', 'x', 3)], lambda x: x * x * x, x=normal(6))
case([node('pow', 'x', 'z')], lambda x, z: np.exp(z * np.log(x)), x=positive(6), z=normal(6))
case([node('maximum', 'x', 'z')], np.maximum, x=normal(4, 1), z=normal(3))
case([node('div', 'x', 'z')], lambda x, z: (x / z).astype(np.float32),
     x=8 * integers(-9, 9, 20), z=2 ** integers(0, 4, 20))
for name in ('sub', 'mul', 'minimum', 'maximum'):
    function = {'sub': np.subtract, 'mul': np.multiply, 'minimum': np.minimum, 'maximum': np.maximum}[name]
    case([node(name, 'x', 'z')], function, x=integers(-9, 9, 20), z=integers(-9, 9, 4, 1))
for name, function in {'abs': np.abs, 'neg': np.negative, 'sign': np.sign,
                       'relu': lambda x: np.maximum(x, 0)}.items():
    case([node(name, 'x')], function, x=integers(-9, 9, 20))
case([node('minimum', 'x', 'z')], np.minimum, x=normal(30), z=normal(30))
case([node('maximum', 'x', 0)], lambda x: np.maximum(x, 0), x=normal(30))
case([node('where', 'c', 'x', 'z')], np.where,
     c=integers(0, 2, 5, 1) == 1, x=normal(5, 4), z=normal(4))
case([node('add', 'x', 'z')], np.add, x=integers(-9, 9, 5), z=integers(-9, 9, 5))

NUMPY_TYPES = {'f16': np.float16, 'f32': np.float32, 'f64': np.float64, 'i32': np.int32, 'i64': np.int64}
for dtype, numpy_type in NUMPY_TYPES.items():
    for x in (100 * normal(200), integers(-900, 900, 50), integers(0, 2, 20) == 1):
        case([node('cast', 'x', dtype=dtype)],
             lambda x, numpy_type=numpy_type: x.astype(numpy_type), x=x)
for x in (100 * normal(200), integers(-900, 900, 50), integers(0, 2, 20) == 1):
    case([node('cast', 'x', dtype='bf16')], lambda x: bf16(x), x=x)
for x in (np.round(normal(50)), integers(-1, 2, 20), integers(0, 2, 20) == 1):
    case([node('cast', 'x', dtype='bool')], lambda x: x != 0, x=x)
# From the edges of the 16-bit types: to infinity, to subnormals, to zero.
case([node('cast', 'x', dtype='f16')], lambda x: x.astype(np.float16),
     x=np.array([65519.0, -65504.0, 6e-8, 2.9e-8, 5.97e-8, 1 / 3]))
case([node('dropout', 'x', p=0.3)], lambda x: x, x=normal(50))


def bf16(x):
    """From float32 by adding just under half of the last kept place; ties go to even."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16
    return bits.astype(np.uint32).view(np.float32)

# Comparisons, of tensors that are equal in places, with a number, and of masks.
COMPARISONS = {'eq': np.equal, 'ne': np.not_equal, 'lt': np.less, 'le': np.less_equal, 'gt': np.greater,
               'ge': np.greater_equal}
for name, function in COMPARISONS.items():
    case([node(name, 'a', 'b')], function, a=integers(-2, 3, 9, 5).astype(float), b=integers(-2, 3, 5).astype(float))
    case([node(name, 'x', 1)], lambda x, f=function: f(x, 1), x=integers(-2, 3, 20))
