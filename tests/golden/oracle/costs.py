"""Floating-point operations and bytes, counted from the definitions: 2 for a multiply-add, 1 for every
other arithmetic operation, comparison and transcendental function; what only moves is free."""
import itertools
import math

# What is done to one element, in words that are counted.
ELEMENTWISE = {
    'add': 'add', 'sub': 'sub', 'mul': 'mul', 'div': 'div', 'pow': 'pow', 'minimum': 'min', 'maximum': 'max',
    'eq': 'compare', 'ne': 'compare', 'lt': 'compare', 'le': 'compare', 'gt': 'compare', 'ge': 'compare',
    'where': '', 'cast': '', 'dropout': '', 'abs': 'abs', 'neg': 'neg', 'sign': 'sign', 'relu': 'max',
    'clamp': 'max min', 'leaky_relu': 'compare mul', 'elu': 'compare exp sub mul', 'selu': 'compare exp sub mul',
    'gelu': 'div erf add mul mul', 'silu': 'neg exp add div', 'mish': 'exp add log tanh mul',
    'sigmoid': 'neg exp add div', 'softplus': 'exp add log', 'softsign': 'abs add div', 'hardtanh': 'max min',
    'hardswish': 'add max min mul div', 'hardsigmoid': 'div add max min', 'tanh': 'tanh', 'exp': 'exp',
    'log': 'log', 'sqrt': 'sqrt', 'rsqrt': 'rsqrt', 'sin': 'sin', 'cos': 'cos', 'atan': 'atan', 'erf': 'erf',
    'rope': 'mul multiply add',  # of each pair: two products and a sum, for each of its two
}
# To each element of the operand.
ALONG = {
    'sum': 'add', 'mean': 'add', 'max': 'max', 'min': 'min', 'prod': 'mul', 'var': 'sub multiply add',
    'argmax': 'max', 'argmin': 'min', 'logsumexp': 'max sub exp add', 'cumsum': 'add', 'cumprod': 'mul',
    'cummax': 'max', 'logcumsumexp': 'sub exp add', 'argsort': 'compare',
    'softmax': 'max sub exp add div', 'log_softmax': 'max sub exp add sub',
    'rms_norm': 'multiply add mul', 'layer_norm': 'add sub multiply add mul', 'batch_norm': 'multiply add',
    'group_norm': 'add sub multiply add mul', 'instance_norm': 'add sub multiply add mul',
}
# To each element of the state in a step, beside the product.
CELLS = {
    'rnn': 'add tanh', 'gru': 'add neg exp add div ' * 2 + 'mul add tanh sub mul mul add',
    'lstm': 'add neg exp add div ' * 3 + 'add tanh mul mul add tanh mul',
}
VIEWS = ('reshape', 'flatten', 'squeeze', 'unsqueeze', 'permute', 'transpose', 'slice', 'expand')
MOVEMENTS = (*VIEWS, 'concat', 'pad', 'gather', 'index_select', 'embedding', 'index_copy')
ADDITIONS = ('index_reduce', 'scatter_reduce')  # one for each element of the source
LOOKUPS = ('gather', 'index_select', 'embedding', 'index_copy')  # what they read depends on the indices


def axes_of(value, count, fallback):
    value = fallback if value is None else value
    return (value,) * count if isinstance(value, int) else tuple(value) * (count if len(value) == 1 else 1)


def count_taps(size, out, kernel, node, pooling):
    """Elements of windows that are no padding, by looking at each place of each window."""
    n = len(size)
    stride = axes_of(node.get('stride'), n, kernel if pooling else 1)
    padding, dilation = axes_of(node.get('padding'), n, 0), axes_of(node.get('dilation'), n, 1)
    return sum(all(0 <= p * s - q + k * d < m for p, s, q, k, d, m in
                   zip(place, stride, padding, offset, dilation, size))
               for place in itertools.product(*map(range, out))
               for offset in itertools.product(*map(range, kernel)))


def count_adaptive(size, out):
    return math.prod(sum(-(-(i + 1) * n // m) - i * n // m for i in range(m)) for n, m in zip(size, out))


def windows(node, shapes, out):
    op, x = node['op'], shapes[0]
    if op.startswith('adaptive'):
        return math.prod(x[:2]) * count_adaptive(x[2:], out[2:])
    if 'pool' in op:
        kernel = axes_of(node['kernel_size'], len(x) - 2, None)
        return math.prod(x[:2]) * count_taps(x[2:], out[2:], kernel, node, True)
    bias = math.prod(out) if len(shapes) == 3 else 0
    kernel, channels = shapes[1][2:], x[1] * out[1] // node.get('groups', 1)
    if 'transpose' in op:  # the operand's elements go where a convolution of the result takes from
        return 2 * x[0] * channels * count_taps(out[2:], x[2:], kernel, node, False) + bias
    return 2 * x[0] * channels * count_taps(x[2:], out[2:], kernel, node, False) + bias


def product(node, shapes, out):
    inner = shapes[0][-2] if node.get('transpose_a') else shapes[0][-1]
    return math.prod(out) * (2 * inner + (len(shapes) == 3))


def attention(node, shapes, out, inputs):
    """For each query and each key that it may see: two products, and 5 for the softmax."""
    queries, keys = shapes[0][-2], shapes[1][-2]
    seen = sum(j <= i for i in range(queries) for j in range(keys)) if node.get('is_causal') else queries * keys
    adds = len(inputs) > 3 and inputs[3].dtype.kind == 'f'
    return math.prod(shapes[0][:-2]) * seen * (2 * shapes[0][-1] + 2 * out[-1] + 5 + adds)


def recurrence(node, shapes, out):
    rows, width = shapes[1]
    bias = len(shapes) > (4 if node['op'] == 'lstm' else 3)
    state = math.prod(out[-3:])
    return state * (rows // width * (2 * width + bias) + len(CELLS[node['op']].split()))


def flops(node, inputs, out):
    """Of one operation over arrays, with a result of shape `out`."""
    op, shapes = node['op'], [x.shape for x in inputs]
    if op in MOVEMENTS:
        return 0
    if op in ADDITIONS:
        return math.prod(shapes[2])
    if op in ELEMENTWISE:
        return len(ELEMENTWISE[op].split()) * max(math.prod(out), math.prod(shapes[0]))
    if op in ALONG:
        affine = len(inputs) - 1 if op.endswith('_norm') and op != 'batch_norm' else 0
        return (len(ALONG[op].split()) + affine) * math.prod(shapes[0])
    if op in ('matmul', 'linear'):
        return product(node, shapes, out)
    if op == 'scaled_dot_product_attention':
        return attention(node, shapes, out, inputs)
    if op in CELLS:
        return recurrence(node, shapes, out)
    return windows(node, shapes, out)


def seen_by_windows(node, x, out):
    """Elements of the operand of a pooling that are in some window, by looking at each place of each window."""
    n = len(x) - 2
    kernel = axes_of(node['kernel_size'], n, None)
    stride, padding = axes_of(node.get('stride'), n, kernel), axes_of(node.get('padding'), n, 0)
    dilation = axes_of(node.get('dilation'), n, 1)
    return math.prod(x[:2]) * math.prod(
        len({at for p in range(out[2 + i]) for k in range(kernel[i])
             if 0 <= (at := p * stride[i] - padding[i] + k * dilation[i]) < x[2 + i]}) for i in range(n))


def kept_by_padding(node, x):
    pairs = list(zip(node['pad'][::2], node['pad'][1::2]))
    return math.prod(size + min(before, 0) + min(after, 0)
                     for size, (before, after) in zip(reversed(x), pairs + [(0, 0)] * (len(x) - len(pairs))))


def moved(node, inputs, shape, size):
    """Bytes in and out, for a result with elements of `size` bytes; None where the indices decide."""
    if node['op'] in LOOKUPS:
        return None
    out = math.prod(shape), size
    read = sum(x.size * x.itemsize for x in {id(x): x for x in inputs}.values())
    if node['op'] in VIEWS:
        read = min(inputs[0].size, out[0]) * inputs[0].itemsize
    elif '_pool' in node['op'] and not node['op'].startswith('adaptive'):
        read = seen_by_windows(node, inputs[0].shape, shape) * inputs[0].itemsize
    elif node['op'] == 'pad':
        read = kept_by_padding(node, inputs[0].shape) * inputs[0].itemsize
    return read + out[0] * out[1]
