"""
Decompositions of torch functions that problems have no operation for into functions that they have.  Each module
has those of one field; this file has norms over the batch, products and attention with its projections, and find(),
which chooses.  Each follows the definition in PyTorch's documentation.
"""

import math

import torch
import torch.nn.functional as F

from graph import Unknown

from . import (bits, complex_numbers, fourier, indexing, linear_algebra, losses, norms, ordering, pointwise,
               pooling_indices, rearranging, sampling, scattering, special)
from .einsum import einsum
from .recurrent import FUNCTIONS as RECURRENT
from .resizing import FUNCTIONS as RESIZING
from .selection import FUNCTIONS as SELECTION


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False,
               momentum=0.1, eps=1e-5):
    """batch_norm in training mode, which is the default: it uses the statistics of the batch."""
    axes = [axis for axis in range(input.dim()) if axis != 1]
    shape = [-1] + [1] * (input.dim() - 2)
    centred = input - (input.mean(axes, keepdim=True) if training
                       else running_mean.reshape(shape))
    var = (centred * centred).mean(axes, keepdim=True) if training else running_var.reshape(shape)
    out = centred * (var + eps).rsqrt()
    out = out if weight is None else out * weight.reshape(shape)
    return out if bias is None else out + bias.reshape(shape)


def var_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    dim, unbiased = (None, dim) if isinstance(dim, bool) else (dim, unbiased)
    correction = int(unbiased) if correction is None else correction
    axes = tuple(range(input.dim())) if dim is None else dim
    return torch.var(input, axes, correction=correction, keepdim=keepdim), input.mean(axes, keepdim)


def std_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    var, mean = var_mean(input, dim, unbiased, keepdim, correction=correction)
    return var.sqrt(), mean


def _as_one(extreme):
    """any() and all(): the largest or the smallest of masks."""
    def function(input, dim=None, keepdim=False):
        seen = input if input.dtype == torch.bool else input != 0
        return extreme(seen, tuple(range(input.dim())) if dim is None else dim, keepdim)
    return function


def count_nonzero(input, dim=None):
    return (input != 0).sum() if dim is None else (input != 0).sum(dim)


def aminmax(input, *, dim=None, keepdim=False):
    dim = tuple(range(input.dim())) if dim is None else dim
    return torch.return_types.aminmax((input.amin(dim, keepdim), input.amax(dim, keepdim)))


def glu(input, dim=-1):
    kept, gate = input.chunk(2, dim)
    return kept * torch.sigmoid(gate)


def _lp_pool(pool, axes):
    """The p-norm of each window, as PyTorch has it: of x ** p, without abs."""
    def function(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        sizes = [kernel_size] * axes if isinstance(kernel_size, int) else kernel_size
        powers = input if norm_type == 1 else input * input if norm_type == 2 else input ** norm_type
        total = pool(powers, kernel_size, stride, 0, ceil_mode).relu() * math.prod(sizes)
        return total if norm_type == 1 else total.sqrt() if norm_type == 2 else total ** (1.0 / norm_type)
    function.__name__ = f"lp_pool{axes}d"
    return function


def _plus(input, product, beta, alpha):
    product = product if alpha == 1 else product * alpha
    if beta == 0:
        return product
    return product + (input if beta == 1 else input * beta)


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    return _plus(input, torch.matmul(mat1, mat2), beta, alpha)


def addmv(input, mat, vec, *, beta=1, alpha=1):
    return _plus(input, torch.mv(mat, vec), beta, alpha)


def addr(input, vec1, vec2, *, beta=1, alpha=1):
    return _plus(input, torch.outer(vec1, vec2), beta, alpha)


def _scaled_mm(input, mat2, scale_a, scale_b, bias=None, scale_result=None, out_dtype=None, use_fast_accum=False):
    """The product of matrices of 8-bit floats, each with a scale or one for each row."""
    if scale_result is not None:
        raise Unknown("_scaled_mm with scale_result")
    made = torch.matmul(input.float(), mat2.float()) * scale_a * scale_b
    made = made if bias is None else made + bias.float()
    return made.to(out_dtype or input.dtype)


def _int_mm(input, mat2):
    return torch.matmul(input.to(torch.int32), mat2.to(torch.int32))


def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    return _plus(input, torch.matmul(batch1, batch2), beta, alpha)


def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    return _plus(input, torch.matmul(batch1, batch2).sum(0), beta, alpha)


def outer(input, vec2):
    return input.unsqueeze(1) * vec2.unsqueeze(0)


def dot(input, tensor):
    return (input * tensor).sum()


def mv(input, vec):
    return torch.matmul(input, vec.unsqueeze(1)).squeeze(1)


def inner(input, other):
    if not input.dim() or not other.dim():
        return input * other
    return tensordot(input, other, ([-1], [-1]))


def tensordot(a, b, dims=2):
    """The axes to sum become the last of one matrix and the first of the other."""
    if isinstance(dims, int):
        dims = (list(range(a.dim() - dims, a.dim())), list(range(dims)))
    first, second = ([d % x.dim() for d in ([axes] if isinstance(axes, int) else axes)]
                     for axes, x in zip(dims, (a, b)))
    rows = [d for d in range(a.dim()) if d not in first]
    columns = [d for d in range(b.dim()) if d not in second]
    summed = math.prod(a.shape[d] for d in first)
    left = a.permute(rows + first).reshape([-1, summed])
    right = b.permute(second + columns).reshape([summed, -1])
    return torch.matmul(left, right).reshape([a.shape[d] for d in rows] + [b.shape[d] for d in columns])


def kron(input, other):
    rank = max(input.dim(), other.dim())
    input, other = (x.reshape([1] * (rank - x.dim()) + list(x.shape)) for x in (input, other))
    for axis in range(input.dim()):
        input, other = input.unsqueeze(2 * axis + 1), other.unsqueeze(2 * axis)
    product = input * other
    return product.reshape([m * n for m, n in zip(product.shape[::2], product.shape[1::2])])


def bilinear(input1, input2, weight, bias=None):
    made = torch.einsum("...i,oij,...j->...o", input1, weight, input2)
    return made if bias is None else made + bias


def multi_dot(tensors, *, out=None):
    made = tensors[0]
    for other in tensors[1:]:
        made = torch.matmul(made, other)
    return made


def stack(tensors, dim=0):
    return torch.cat([t.unsqueeze(dim) for t in tensors], dim)


# Windows with more elements than this are gathered; a slice for each element would be a graph of its own.
MOST_SLICES = 32


def _gathered(x, dim, count, size, step):
    places = torch.arange(count).unsqueeze(1) * step + torch.arange(size)
    shape = list(x.shape)
    return x.index_select(dim, places.reshape(-1)).reshape(
        shape[:dim] + [count, size] + shape[dim + 1:]).movedim(dim + 1, -1)


def _of_blocks(x, dim, count, size, step):
    """Windows that consist of whole blocks, each a part of several windows, which are read as lines."""
    block, shape = math.gcd(size, step), list(x.shape)
    x = x.narrow(dim, 0, (count - 1) * step + size).reshape(shape[:dim] + [-1, block] + shape[dim + 1:])
    if size == step:
        return x.movedim(dim + 1, -1)
    skip = lambda i: tuple([slice(None)] * dim + [slice(i, i + (count - 1) * (step // block) + 1, step // block)])
    made = torch.stack([x[skip(i)] for i in range(size // block)], dim + 1)
    return made.reshape(shape[:dim] + [count, size] + shape[dim + 1:]).movedim(dim + 1, -1)


def _windows(x, dim, size, step):
    """Windows along an axis; their elements become the last axis."""
    dim %= x.dim()
    count, blocks = (x.shape[dim] - size) // step + 1, size // math.gcd(size, step)
    if blocks < size and blocks <= min(count, MOST_SLICES):
        return _of_blocks(x, dim, count, size, step)
    if min(size, count) > MOST_SLICES and not complex_numbers.is_complex(x):
        return _gathered(x, dim, count, size, step)
    if size <= count:
        skip = lambda i: tuple([slice(None)] * dim + [slice(i, i + (count - 1) * step + 1, step)])
        return torch.stack([x[skip(i)] for i in range(size)], -1)
    return torch.stack([x.narrow(dim, i * step, size).movedim(dim, -1) for i in range(count)], dim)


def _patches(input, kernel_size, dilation=1, padding=0, stride=1):
    """F.unfold: the windows of images as columns."""
    (high, wide), (down, across), (above, beside), (rows, columns) = (
        v if isinstance(v, (tuple, list)) else (v, v)
        for v in (kernel_size, dilation, padding, stride))
    x = F.pad(input, (beside, beside, above, above))
    taken = [((x.shape[axis - 2] - step * (size - 1) - 1) // stride + 1) for axis, size, step, stride
             in ((0, high, down, rows), (1, wide, across, columns))]
    shape = list(input.shape[:-3]) + [input.shape[-3] * high * wide, taken[0] * taken[1]]
    if high * wide > MOST_SLICES or (high, wide, down, across) == (rows, columns, 1, 1):
        x = _windows(x, -2, down * (high - 1) + 1, rows)[..., ::down]
        x = _windows(x, -2, across * (wide - 1) + 1, columns)[..., ::across]
        return x.movedim((-4, -3), (-2, -1)).reshape(shape)
    parts = []
    for i in range(high):
        for j in range(wide):
            top, left = i * down, j * across
            parts.append(x[..., top:top + (taken[0] - 1) * rows + 1:rows,
                           left:left + (taken[1] - 1) * columns + 1:columns])
    return torch.stack(parts, -3).reshape(shape)


def unfold(input, *args, **kwargs):
    """Tensor.unfold(dimension, size, step), or F.unfold(kernel_size, dilation=...)."""
    if len(args) == 3 or "size" in kwargs:
        given = dict(zip(("dimension", "size", "step"), args), **kwargs)
        return _windows(input, given["dimension"], given["size"], given["step"])
    return _patches(input, *args, **kwargs)


def im2col(input, kernel_size, dilation, padding, stride):
    return _patches(input, kernel_size, dilation, padding, stride)


def _heads(x, count):
    """[length, batch, width] as [batch, head, length, width of a head]."""
    length, batch, width = x.shape
    return x.reshape(length, batch, count, width // count).permute(1, 2, 0, 3)


def _masked(scores, mask):
    """Keys that follow those of the mask, as biases and zeros do, are seen."""
    more = scores.shape[-1] - mask.shape[-1]
    if more:
        mask = torch.cat([mask, torch.zeros([*mask.shape[:-1], more], dtype=mask.dtype)], -1)
    return scores.masked_fill(mask, -math.inf) if mask.dtype == torch.bool else scores + mask


def multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight,
                                 in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p,
                                 out_proj_weight, out_proj_bias, training=True,
                                 key_padding_mask=None, need_weights=True, attn_mask=None,
                                 use_separate_proj_weight=False, q_proj_weight=None,
                                 k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None,
                                 average_attn_weights=True, is_causal=False):
    if dropout_p and training:
        raise Unknown("multi_head_attention_forward with dropout")
    if query.dim() == 2:
        parts = [x.unsqueeze(1) for x in (query, key, value)]
        mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        made, shown = multi_head_attention_forward(
            *parts, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, 0.0,
            out_proj_weight, out_proj_bias, False, mask, need_weights, attn_mask, use_separate_proj_weight,
            q_proj_weight, k_proj_weight, v_proj_weight, static_k, static_v, average_attn_weights, is_causal)
        return made.squeeze(1), None if shown is None else shown.squeeze(0)
    count, batch, width = query.shape
    weights = ((q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else
               in_proj_weight.chunk(3))
    biases = [None] * 3 if in_proj_bias is None else in_proj_bias.chunk(3)
    q, k, v = (F.linear(x, w, bias) for x, w, bias in zip((query, key, value), weights, biases))
    if bias_k is not None:
        k, v = (torch.cat([x, more.expand(1, batch, width)]) for x, more in ((k, bias_k), (v, bias_v)))
    q, k, v = (_heads(x, num_heads) for x in (q, k, v))
    k, v = (x if own is None else own.reshape([batch, num_heads, *own.shape[1:]])
            for x, own in ((k, static_k), (v, static_v)))
    if add_zero_attn:
        k, v = (F.pad(x, (0, 0, 0, 1)) for x in (k, v))
    scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(width // num_heads)
    if attn_mask is not None:
        each = attn_mask.dim() == 3
        scores = _masked(scores, attn_mask.reshape([batch, num_heads, count, -1]) if each else attn_mask)
    if key_padding_mask is not None:
        scores = _masked(scores, key_padding_mask.reshape([batch, 1, 1, -1]))
    scores = torch.softmax(scores, -1)
    mixed = torch.matmul(scores, v).permute(2, 0, 1, 3).reshape(count, batch, width)
    shown = None if not need_weights else scores.mean(1) if average_attn_weights else scores
    return F.linear(mixed, out_proj_weight, out_proj_bias), shown


def _attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
               enable_gqa=False):
    """scaled_dot_product_attention, for a PyTorch without it."""
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    if enable_gqa:
        key, value = (x.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
                      for x in (key, value))
    scores = query @ key.transpose(-2, -1) * scale
    if is_causal:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
        scores = scores.masked_fill(~seen, -math.inf)
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -math.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    return torch.softmax(scores, -1) @ value


def scaled_dot_product_attention(query, *args, **kwargs):
    if torch.overrides.has_torch_function((query,)):
        return torch.overrides.handle_torch_function(
            scaled_dot_product_attention, (query,), query, *args, **kwargs)
    return _attention(query, *args, **kwargs)


def add_missing():
    """Add scaled_dot_product_attention to an older PyTorch, for files that use it."""
    if not hasattr(F, "scaled_dot_product_attention"):
        F.scaled_dot_product_attention = scaled_dot_product_attention


FUNCTIONS = {f.__name__: f for f in (
    batch_norm, var_mean, std_mean, count_nonzero, aminmax, addmm, addmv, addr, _scaled_mm, _int_mm, baddbmm, addbmm, glu,
    _lp_pool(F.avg_pool1d, 1), _lp_pool(F.avg_pool2d, 2), outer, dot, mv, inner, tensordot, kron, bilinear,
    multi_dot, stack, unfold, im2col, einsum, multi_head_attention_forward)}
FUNCTIONS.update(any=_as_one(torch.amax), all=_as_one(torch.amin), ger=outer, vdot=dot, linalg_multi_dot=multi_dot)
for _more in (RECURRENT, RESIZING, SELECTION, losses.FUNCTIONS, norms.FUNCTIONS, pointwise.FUNCTIONS,
              rearranging.FUNCTIONS, ordering.FUNCTIONS, scattering.FUNCTIONS, sampling.FUNCTIONS, bits.FUNCTIONS,
              special.FUNCTIONS, fourier.FUNCTIONS, linear_algebra.FUNCTIONS, pooling_indices.FUNCTIONS,
              complex_numbers.MAKERS):
    FUNCTIONS.update(_more)
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    axes = list(range(-len(normalized_shape), 0))
    centred = input - input.mean(axes, keepdim=True)
    made = centred * ((centred * centred).mean(axes, keepdim=True) + eps).rsqrt()
    made = made if weight is None else made * weight
    return made if bias is None else made + bias


# Functions whose gradients read numbers that no call of the trace makes.
FOR_GRADIENTS = {"layer_norm": layer_norm, "scaled_dot_product_attention": _attention}
DIVISIONS = {"div", "divide", "true_divide"}


def find(name, kwargs, args=()):
    """The decomposition of a call, or None."""
    if name in FOR_GRADIENTS and torch.is_grad_enabled():
        return FOR_GRADIENTS[name]
    if name == "__getitem__" and indexing.is_read(args):
        return indexing.getitem
    if name == "__setitem__" and indexing.is_written(args):
        return indexing.setitem
    if name in ("masked_fill", "masked_fill_") and any(isinstance(x, torch.Tensor) for x in (*args[2:], *kwargs.values())):
        return pointwise.masked_fill
    if name == "embedding" and (len(args) > 3 or kwargs.get("max_norm") is not None):
        return norms.embedding
    if name in DIVISIONS and kwargs.get("rounding_mode"):
        return pointwise.divided_and_rounded
    return complex_numbers.find(name, args, kwargs) or bits.find(name, args) or FUNCTIONS.get(name)
