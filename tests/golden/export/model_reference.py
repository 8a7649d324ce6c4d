"""linear_gelu, in PyTorch's own functions: the model that ModelNew replaces, in the form of KernelBench."""
import json

import torch
import torch.nn as nn
import torch.nn.functional as F

DIMS = {"K": 768, "M": 512, "N": 1024}
GRAPH = json.loads(r'''[{"in": ["x", "w", "b"], "op": "linear", "out": "t"}, {"approximate": "none", "in": ["t"], "op": "gelu", "out": "y"}]''')
DTYPES = {'f32': torch.float32, 'f16': torch.float16, 'bf16': torch.bfloat16, 'f64': torch.float64,
          'i32': torch.int32, 'i64': torch.int64, 'bool': torch.bool}


def make(shape, dtype, fill, a, b):
    """Random contents, from the generator that torch.manual_seed() sets."""
    if fill == 'normal':
        x = torch.randn(shape) * b + a
    elif fill == 'integers':
        x = torch.randint(int(a), int(b) + 1, shape)
    elif fill == 'constant':
        x = torch.full(shape, a)
    elif fill == 'permutation':
        x = torch.rand(shape).argsort(dim=-1)
    elif fill == 'mask':
        x = torch.rand(shape) < a
    elif fill == 'signs':
        x = 2 * (torch.rand(shape) < a).float() - 1
    else:
        x = torch.rand(shape) * (b - a) + a
    return x.to(DTYPES[dtype])


def hold(module, name, x):
    """Add a param to the model: a parameter if it is floating point, else a buffer."""
    if x.is_floating_point():
        module.register_parameter(name, nn.Parameter(x, requires_grad=False))
    else:
        module.register_buffer(name, x)


def size(value):
    """Evaluate an attribute that is an expression over the dimensions; its division floors."""
    if isinstance(value, list):
        return [size(one) for one in value]
    if not isinstance(value, str):
        return value
    words = {'min': min, 'max': max, 'ceildiv': lambda a, b: -(-a // b), 'align': lambda a, b: -(-a // b) * b}
    return eval(value.replace('/', '//'), words, dict(DIMS))


def parse(name, value):
    if name == 'dtype':
        return DTYPES[value]
    return value if name in ('approximate', 'nonlinearity', 'reduce') else size(value)


def rms_norm(x, weight=None, normalized_shape=None, eps=1e-5):
    axes = len(normalized_shape or (weight.shape if weight is not None else x.shape[-1:]))
    mean = (x * x).mean(dim=tuple(range(-axes, 0)), keepdim=True)
    y = x * torch.rsqrt(mean + eps)
    return y if weight is None else y * weight


def layer_norm(x, weight=None, bias=None, normalized_shape=None, eps=1e-5):
    shape = normalized_shape or (weight.shape if weight is not None else x.shape[-1:])
    return F.layer_norm(x, list(shape), weight, bias, eps)


def rope(x, cos, sin, interleaved=False):
    if interleaved:
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def attention(q, k, v, mask=None, scale=None, is_causal=False, enable_gqa=False):
    if enable_gqa:
        k, v = (t.repeat_interleave(q.shape[-3] // t.shape[-3], dim=-3) for t in (k, v))
    scores = q @ k.mT * (scale or q.shape[-1] ** -0.5)
    if is_causal:
        scores = scores.masked_fill(torch.ones_like(scores).tril() == 0, float('-inf'))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float('-inf')) if not mask.is_floating_point() else scores + mask
    return torch.nan_to_num(torch.softmax(scores, dim=-1)) @ v  # a row whose mask is all false is 0


def next_state(op, x, z, states, nonlinearity):
    """The states after a step with gates x, where z is the product of the hidden state."""
    if op == 'rnn':
        return [getattr(torch, nonlinearity)(x + z)]
    if op == 'lstm':
        i, f, g, o = (x + z).chunk(4, dim=-1)
        cell = torch.sigmoid(f) * states[1] + torch.sigmoid(i) * torch.tanh(g)
        return [torch.sigmoid(o) * torch.tanh(cell), cell]
    (xr, xu, xn), (zr, zu, zn) = x.chunk(3, dim=-1), z.chunk(3, dim=-1)
    update = torch.sigmoid(xu + zu)
    return [(1 - update) * torch.tanh(xn + torch.sigmoid(xr + zr) * zn) + update * states[0]]


def recurrent(op):
    count = 2 if op == 'lstm' else 1

    def function(gates, weight, *others, reverse=False, nonlinearity='tanh'):
        states, bias = list(others[:count]), others[count] if len(others) > count else None
        made = [None] * len(gates)
        for t in range(len(gates))[::-1 if reverse else 1]:
            states = next_state(op, gates[t], F.linear(states[0], weight, bias), states, nonlinearity)
            made[t] = torch.stack(states)
        return torch.stack(made, dim=1) if count > 1 else torch.cat(made)
    return function


def cut(x, dim, start=0, end=None, step=1):
    places = [slice(None)] * x.dim()
    if step < 0:  # from the last element on
        x, step = x.flip(dim), -step
    places[dim] = slice(start, end, step)
    return x[tuple(places)]


def axes(x, dim):
    """The axes that `dim` names, as numbers from 0, in descending order."""
    dims = range(x.dim()) if dim is None else dim if isinstance(dim, list) else [dim]
    return sorted((d % x.dim() for d in dims), reverse=True)


def prod(x, dim=None, keepdim=False):
    for d in axes(x, dim):
        x = x.prod(dim=d, keepdim=keepdim)
    return x


def squeeze(x, dim=None):
    for d in axes(x, dim):
        x = x.squeeze(d)
    return x


def matmul(a, b, transpose_a=False, transpose_b=False):
    return torch.matmul(a.mT if transpose_a else a, b.mT if transpose_b else b)


def combined(x, index, source, dim, reduce):
    rows, place = x.shape[dim], index.long()
    place = torch.where((place >= 0) & (place < rows), place, rows)  # others go to a row that is left out
    more = torch.cat([x, x.narrow(dim, 0, 1)], dim)
    return torch.scatter_reduce(more, dim, place, source, reduce).narrow(dim, 0, rows)


# Operations that differ from the function of that name in torch or torch.nn.functional.
FUNCTIONS = {
    'max': torch.amax, 'min': torch.amin, 'adaptive_max_pool1d': F.adaptive_max_pool1d,
    'concat': lambda *x, dim=0: torch.cat(x, dim=dim),
    'cast': lambda x, dtype: x.to(dtype),
    'dropout': lambda x, p=0.5: x,
    'matmul': matmul, 'rms_norm': rms_norm, 'layer_norm': layer_norm, 'rope': rope, 'slice': cut,
    'scaled_dot_product_attention': attention,
    **{op: recurrent(op) for op in ('rnn', 'lstm', 'gru')},
    'group_norm': lambda x, w=None, b=None, num_groups=1, eps=1e-5: F.group_norm(x, num_groups, w, b, eps),
    'batch_norm': lambda x, m, v, w=None, b=None, eps=1e-5: F.batch_norm(x, m, v, w, b, eps=eps),
    'instance_norm': lambda x, w=None, b=None, eps=1e-5: F.instance_norm(x, weight=w, bias=b, eps=eps),
    'gather': lambda x, index, dim: torch.gather(x, dim, index.long()),
    'index_select': lambda x, index, dim: torch.index_select(x, dim, index.long()),
    'index_copy': lambda x, index, source, dim: torch.index_copy(x, dim, index.long(), source),
    'index_reduce': lambda x, index, source, dim, reduce='sum': combined(
        x, index.reshape([-1 if d == dim % x.dim() else 1 for d in range(x.dim())]).expand_as(source), source, dim, reduce),
    'scatter_reduce': lambda x, index, source, dim, reduce='sum': combined(x, index, source, dim, reduce),
    'cummax': lambda x, dim: torch.cummax(x, dim)[0],
    'argsort': lambda x, dim, descending=False: torch.argsort(x, dim=dim, descending=descending, stable=True),
    'embedding': lambda index, weight: F.embedding(index.long(), weight),
    'prod': prod, 'squeeze': squeeze,
    'logsumexp': lambda x, dim=None, keepdim=False: torch.logsumexp(x, axes(x, dim), keepdim),
    'var': lambda x, dim=None, correction=1, keepdim=False: torch.var(x, axes(x, dim), correction=correction,
                                                                      keepdim=keepdim),
    'expand': lambda x, size: x.expand(size), 'reshape': lambda x, shape: x.reshape(shape),
    'permute': lambda x, dims: x.permute(dims),
    'pad': lambda x, pad, value=0.0: F.pad(x, pad, value=value),
    'where': lambda c, x, y: torch.where(c != 0, *as_tensors(c, x, y)),
    'minimum': lambda x, y: torch.minimum(*as_tensors(None, x, y)),
    'maximum': lambda x, y: torch.maximum(*as_tensors(None, x, y)),
    **{name: lambda x, y, compare=getattr(torch, name): compare(*as_tensors(None, x, y))
       for name in ('eq', 'ne', 'lt', 'le', 'gt', 'ge')},
    'clamp': lambda x, min=None, max=None: torch.clamp(x, min, max),
}


def as_tensors(other, x, y):
    """Give a number the type of the tensors beside it."""
    like = next((t for t in (x, y) if isinstance(t, torch.Tensor)), other)
    return [t if isinstance(t, torch.Tensor) else torch.tensor(t, dtype=like.dtype, device=like.device) for t in (x, y)]


def compute(node, values):
    """Compute one node of the graph, and store its result in `values`, by name."""
    operands = [values[one] if isinstance(one, str) else one for one in node['in']]
    attributes = {key: parse(key, value) for key, value in node.items() if key not in ('op', 'in', 'out')}
    name = node['op']
    function = FUNCTIONS.get(name) or getattr(torch, name, None) or getattr(F, name)
    values[node['out']] = function(*operands, **attributes)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        hold(self, 'w', make([1024, 768], 'f32', 'normal', 0, 0.036))
        hold(self, 'b', make([1024], 'f32', 'normal', 0, 0.036))

    def forward(self, x):
        values = {'x': x, 'w': self.w, 'b': self.b, }
        for node in GRAPH:
            compute(node, values)
        return values['y'].to(DTYPES['f32'])


def get_inputs():
    return [make([512, 768], 'f32', 'uniform', -1, 1)]


def get_init_inputs():
    return []
