#!/usr/bin/python3
"""Compares the oracle with NumPy, operation by operation.  usage: check.py DRIVER

Every operation of kforge must have a case here.  A case is a graph over small random tensors and a
function that computes its outputs in another way.
"""
import json
import math
import subprocess
import sys

import numpy as np

RNG = np.random.default_rng(20261120)
CASES = []


def case(graph, expected, **inputs):
    """Inputs are arrays; `expected` maps them, in this order, to the one output y or to a dict."""
    CASES.append((graph, expected, inputs))


def node(op, *operands, out='y', **attributes):
    return {'op': op, 'in': list(operands), 'out': out, **attributes}


def normal(*shape):
    return RNG.normal(size=shape)


def positive(*shape):
    return RNG.uniform(0.1, 3, size=shape)


def integers(low, high, *shape):
    return RNG.integers(low, high, size=shape)


TYPES = {'f': 'f64', 'i': 'i64', 'b': 'bool'}


def run(driver):
    process = subprocess.Popen([driver], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    operations = json.loads(process.stdout.readline())
    failures = [f'{op}: no case' for op in sorted(set(operations) - covered())]
    for graph, expected, inputs in CASES:
        failures += check(process, graph, expected, inputs)
    process.stdin.close()
    if process.wait() != 0:
        failures.append(f'the driver ended with {process.returncode}')
    for failure in failures:
        print(failure)
    print(f'{len(operations)} operations, {len(CASES)} cases, {len(failures)} failures')
    return 1 if failures else 0


def covered():
    return {one['op'] for graph, _, _ in CASES for one in graph}


def check(process, graph, expected, inputs):
    wanted = expected(*inputs.values())
    wanted = wanted if isinstance(wanted, dict) else {'y': wanted}
    wanted = {name: np.asarray(value) for name, value in wanted.items()}
    tensors = {name: {'role': 'input', 'dtype': TYPES[value.dtype.kind], 'shape': list(value.shape),
                      'fill': {'constant': 0}} for name, value in inputs.items()}
    for name, value in wanted.items():
        tensors[name] = {'role': 'output', 'dtype': OUTPUT_TYPES.get(graph[-1].get('dtype'),
                                                                     TYPES[value.dtype.kind]),
                         'shape': list(value.shape)}
    problem = {'kforge': 1, 'name': 'case', 'summary': '', 'dims': {}, 'tensors': tensors,
               'graph': graph, 'tolerance': {'class': 'f32'}}
    values = {name: np.asarray(value, dtype=float).ravel().tolist()
              for name, value in inputs.items()}
    process.stdin.write(json.dumps({'problem': problem, 'values': values}) + '\n')
    process.stdin.flush()
    answer = json.loads(process.stdout.readline() or '{"error": "the driver ended"}')
    if 'error' in answer:
        return [f'{graph}: {answer["error"]}']
    return [f'{graph}: {name} differs by {difference(answer[name], value):.3g}'
            for name, value in wanted.items() if difference(answer[name], value) > 1e-11]


def difference(got, wanted):
    """The largest difference, relative to the largest value; infinite for NaN and infinities."""
    got = np.array([math.nan if x is None else x for x in got], dtype=float)
    wanted = np.asarray(wanted, dtype=float).ravel()
    distance = np.abs(got - wanted).max() / max(1e-300, np.abs(wanted).max())
    return distance if np.isfinite(distance) else math.inf


OUTPUT_TYPES = {'f16': 'f16', 'bf16': 'bf16', 'f32': 'f32', 'i32': 'i32', 'bool': 'bool'}


# Elementwise.

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
case([node('minimum', 'x', 'z')], np.minimum, x=normal(30), z=normal(30))
case([node('maximum', 'x', 0)], lambda x: np.maximum(x, 0), x=normal(30))
case([node('where', 'c', 'x', 'z')], np.where,
     c=integers(0, 2, 5, 1) == 1, x=normal(5, 4), z=normal(4))
case([node('add', 'x', 'z')], np.add, x=integers(-9, 9, 5), z=integers(-9, 9, 5))

for dtype, numpy_type in {'f16': np.float16, 'f32': np.float32, 'i32': np.int32}.items():
    case([node('cast', 'x', dtype=dtype)],
         lambda x, numpy_type=numpy_type: x.astype(numpy_type), x=100 * normal(200))
case([node('cast', 'x', dtype='bf16')], lambda x: bf16(x), x=100 * normal(200))
case([node('cast', 'x', dtype='bool')], lambda x: x != 0, x=integers(-1, 2, 20))


def bf16(x):
    """From float32 by adding just under half of the last kept place; ties go to even."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16
    return bits.astype(np.uint32).view(np.float32)


# Reductions.

def logsumexp(x, axis=None, keepdims=False):
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


REDUCTIONS = {'sum': np.sum, 'mean': np.mean, 'max': np.max, 'min': np.min, 'prod': np.prod,
              'logsumexp': logsumexp}
for name, function in REDUCTIONS.items():
    case([node(name, 'x')], function, x=normal(4, 5, 6))
    case([node(name, 'x', dim=-1)], lambda x, f=function: f(x, axis=-1), x=normal(70, 301))
    case([node(name, 'x', dim=[2, 0])], lambda x, f=function: f(x, axis=(0, 2)),
         x=normal(4, 5, 6, 3))
    case([node(name, 'x', dim=1, keepdim=True)], lambda x, f=function: f(x, axis=1, keepdims=True),
         x=normal(4, 5, 6))
case([node('var', 'x', dim=[0, 2])], lambda x: np.var(x, axis=(0, 2), ddof=1), x=normal(4, 5, 6))
case([node('var', 'x', correction=0)], np.var, x=normal(4, 5, 6) + 1e3)
for name, function in {'argmax': np.argmax, 'argmin': np.argmin}.items():
    case([node(name, 'x')], function, x=integers(0, 20, 5, 30))
    case([node(name, 'x', dim=0, keepdim=True)],
         lambda x, f=function: f(x, axis=0)[None], x=normal(9, 30))
case([node('logsumexp', 'x', dim=0)], lambda x: 1e4 + np.log(np.array([2.0])),
     x=np.array([[1e4], [1e4]]))


# Row by row.

def softmax(x, axis):
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


for dim in (0, 1, -1):
    case([node('softmax', 'x', dim=dim)], lambda x, d=dim: softmax(x, d), x=2 * normal(6, 70, 5))
    case([node('log_softmax', 'x', dim=dim)], lambda x, d=dim: np.log(softmax(x, d)),
         x=2 * normal(6, 70, 5))
case([node('softmax', 'x', dim=0)], lambda x: np.array([0.5, 0.5]), x=np.array([1e4, 1e4]))
case([node('rms_norm', 'x', eps=0.1)], lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 0.1),
     x=normal(20, 300))
case([node('rms_norm', 'x', 'w')],
     lambda x, w: x / np.sqrt((x * x).mean((1, 2), keepdims=True) + 1e-5) * w,
     x=normal(5, 6, 7), w=normal(6, 7))
case([node('layer_norm', 'x', 'w', 'b')],
     lambda x, w, b: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * w
     + b, x=normal(3, 4, 50) + 10, w=normal(50), b=normal(50))
case([node('layer_norm', 'x', normalized_shape=[4, 50], eps=1e-3)],
     lambda x: (x - x.mean((1, 2), keepdims=True)) / np.sqrt(x.var((1, 2), keepdims=True) + 1e-3),
     x=normal(3, 4, 50))

# Products.

case([node('matmul', 'a', 'b')], np.matmul, a=normal(33, 40), b=normal(40, 17))
case([node('matmul', 'a', 'b')], np.matmul, a=normal(2, 1, 5, 4), b=normal(3, 4, 6))
case([node('matmul', 'a', 'b', transpose_a=True)], lambda a, b: np.einsum('ki,kj->ij', a, b),
     a=normal(7, 5), b=normal(7, 3))
case([node('matmul', 'a', 'b', transpose_b=True)], lambda a, b: np.einsum('bik,jk->bij', a, b),
     a=normal(4, 7, 5), b=normal(3, 5))
case([node('matmul', 'a', 'b', transpose_a=True, transpose_b=True)],
     lambda a, b: np.einsum('bki,bjk->bij', a, b), a=normal(4, 7, 5), b=normal(4, 3, 7))
case([node('linear', 'x', 'w')], lambda x, w: np.einsum('...k,nk->...n', x, w),
     x=normal(2, 3, 5), w=normal(7, 5))
case([node('linear', 'x', 'w', 'b')], lambda x, w, b: np.einsum('mk,nk->mn', x, w) + b,
     x=normal(20, 31), w=normal(9, 31), b=normal(9))
case([node('linear', 'x', 'w')], lambda x, w: w @ x, x=normal(31), w=normal(9, 31))

# Graphs: values used twice, outputs used on the way.

case([node('add', 'x', 'r', out='h'), node('rms_norm', 'h', 'w', out='y', eps=1e-5)],
     lambda x, r, w: {'h': x + r, 'y': (x + r) / np.sqrt(((x + r) ** 2).mean(-1, keepdims=True)
                                                         + 1e-5) * w},
     x=normal(6, 40), r=normal(6, 40), w=normal(40))
case([node('mul', 'x', 'x', out='t'), node('sub', 't', 2, out='u'), node('mul', 't', 'u')],
     lambda x: x ** 4 - 2 * x ** 2, x=normal(100))

if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(run(sys.argv[1]))
