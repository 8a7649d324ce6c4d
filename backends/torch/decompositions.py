"""
Decompositions of torch functions that problems have no operation for into functions that they have:
losses, norms over the batch, attention with its projections.  Each follows the definition in
PyTorch's documentation.
"""

import math

import torch
import torch.nn.functional as F

from einsum import einsum
from graph import Unknown
from recurrent import FUNCTIONS as RECURRENT
from resizing import FUNCTIONS as RESIZING
from selection import FUNCTIONS as SELECTION


def _reduced(loss, reduction):
    return {"none": lambda: loss, "mean": loss.mean, "sum": loss.sum}[reduction]()


def _weighted(loss, weight, reduction):
    if weight is not None and reduction == "mean":
        raise Unknown("a weighted mean")
    return _reduced(loss if weight is None else loss * weight, reduction)


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    difference = input - target
    return _weighted(difference * difference, weight, reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    return _weighted((input - target).abs(), weight, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    distance = (input - target).abs()
    near = distance.clamp(max=beta)
    return _reduced(near * near * (0.5 / beta) + (distance - near), reduction)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    distance = (input - target).abs()
    near = distance.clamp(max=delta)
    return _weighted(near * near * 0.5 + (distance - near) * delta, weight, reduction)


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None,
             reduction="mean"):
    if weight is not None:
        raise Unknown("nll_loss with weights")
    return _reduced(-input.gather(1, target.unsqueeze(1)).squeeze(1), reduction)


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None,
                  reduction="mean", label_smoothing=0.0):
    if weight is not None or input.dim() < 2:
        raise Unknown("cross_entropy with weights or without a batch")
    logs = torch.log_softmax(input, 1)
    if target.is_floating_point():
        loss = -(logs * target).sum(1)
    else:
        loss = nll_loss(logs, target, reduction="none")
    if label_smoothing:
        loss = loss * (1 - label_smoothing) - logs.mean(1) * label_smoothing
    return _reduced(loss, reduction)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    loss = target.exp() * (target - input) if log_target else target * (target.log() - input)
    if reduction == "batchmean":
        return loss.sum() / input.shape[0]
    return _reduced(loss, reduction)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None,
                         reduction="mean"):
    # PyTorch limits logarithms to at least -100 here.
    loss = -(target * input.log().clamp(min=-100) +
             (1 - target) * (1 - input).log().clamp(min=-100))
    return _reduced(loss if weight is None else loss * weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None,
                                     reduction="mean", pos_weight=None):
    if pos_weight is not None:
        raise Unknown("binary_cross_entropy_with_logits with pos_weight")
    loss = input - input * target + F.softplus(-input)
    return _reduced(loss if weight is None else loss * weight, reduction)


def _norm(x, p, dim, keepdim=False):
    if p == 2:
        return (x * x).sum(dim, keepdim).sqrt()
    if p == 1:
        return x.abs().sum(dim, keepdim)
    raise Unknown(f"a norm with p = {p}")


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    return _norm(x1 - x2 + eps, p, -1, keepdim)


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False,
                        size_average=None, reduce=None, reduction="mean"):
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = torch.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced((near - far + margin).relu(), reduction)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    lengths = [_norm(x, 2, dim, True).clamp(min=eps) for x in (x1, x2)]
    return ((x1 / lengths[0]) * (x2 / lengths[1])).sum(dim)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    return input / _norm(input, p, dim, True).clamp(min=eps)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    if dim is None and p in ("fro", 2, None):
        return (input * input).sum().sqrt()
    if dim is None:
        input, dim = input.flatten(), 0
    return _norm(input, 2 if p in ("fro", None) else p, dim, keepdim)


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    return norm(x, ord, dim, keepdim)


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
    correction = int(unbiased) if correction is None else correction
    return (torch.var(input, dim, correction=correction, keepdim=keepdim),
            input.mean(dim, keepdim))


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    product = torch.matmul(mat1, mat2)
    return (product if alpha == 1 else product * alpha) + (input if beta == 1 else input * beta)


def glu(input, dim=-1):
    kept, gate = input.chunk(2, dim)
    return kept * torch.sigmoid(gate)


def _lp_pool(pool, axes):
    """The p-norm of each window; PyTorch drops windows that reach beyond the end."""
    def function(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        if ceil_mode or norm_type not in (1, 2):
            raise Unknown("lp_pool with ceil_mode, or of other norms than 1 and 2")
        sizes = [kernel_size] * axes if isinstance(kernel_size, int) else kernel_size
        powers = input if norm_type == 1 else input * input
        total = pool(powers, kernel_size, stride).relu() * math.prod(sizes)
        return total if norm_type == 1 else total.sqrt()
    function.__name__ = f"lp_pool{axes}d"
    return function


def outer(input, vec2):
    return input.unsqueeze(1) * vec2.unsqueeze(0)


def dot(input, tensor):
    return (input * tensor).sum()


def mv(input, vec):
    return torch.matmul(input, vec.unsqueeze(1)).squeeze(1)


def stack(tensors, dim=0):
    return torch.cat([t.unsqueeze(dim) for t in tensors], dim)


def _windows(x, dim, size, step):
    """Windows along an axis; their elements become the last axis."""
    dim %= x.dim()
    count = (x.shape[dim] - size) // step + 1
    if size == step:
        shape = list(x.shape)
        return x.narrow(dim, 0, count * size).reshape(
            shape[:dim] + [count, size] + shape[dim + 1:]).movedim(dim + 1, -1)
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
    parts = []
    for i in range(high):
        for j in range(wide):
            top, left = i * down, j * across
            parts.append(x[..., top:top + (taken[0] - 1) * rows + 1:rows,
                           left:left + (taken[1] - 1) * columns + 1:columns])
    made = torch.stack(parts, -3)
    return made.reshape(list(input.shape[:-3]) + [input.shape[-3] * high * wide, taken[0] * taken[1]])


def unfold(input, *args, **kwargs):
    """Tensor.unfold(dimension, size, step), or F.unfold(kernel_size, dilation=...)."""
    if len(args) == 3 or "size" in kwargs:
        given = dict(zip(("dimension", "size", "step"), args), **kwargs)
        return _windows(input, given["dimension"], given["size"], given["step"])
    return _patches(input, *args, **kwargs)


def im2col(input, kernel_size, dilation, padding, stride):
    return _patches(input, kernel_size, dilation, padding, stride)


def multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight,
                                 in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p,
                                 out_proj_weight, out_proj_bias, training=True,
                                 key_padding_mask=None, need_weights=True, attn_mask=None,
                                 use_separate_proj_weight=False, *unused, **also_unused):
    if (use_separate_proj_weight or bias_k is not None or add_zero_attn or query.dim() != 3 or
            key_padding_mask is not None or attn_mask is not None):
        raise Unknown("multi_head_attention_forward with masks, bias_k, add_zero_attn or separate "
                      "weights, or without a batch")
    count, batch, width = query.shape
    biases = [None] * 3 if in_proj_bias is None else in_proj_bias.chunk(3)
    split = lambda x: x.reshape(x.shape[0], batch * num_heads, width // num_heads).transpose(0, 1)
    q, k, v = (split(F.linear(x, w, bias)) for x, w, bias in
               zip((query, key, value), in_proj_weight.chunk(3), biases))
    scores = torch.softmax(torch.matmul(q, k.transpose(1, 2)) / math.sqrt(width // num_heads), -1)
    mixed = torch.matmul(scores, v).transpose(0, 1).reshape(count, batch, width)
    weights = scores.reshape(batch, num_heads, count, -1).mean(1) if need_weights else None
    return F.linear(mixed, out_proj_weight, out_proj_bias), weights


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
    mse_loss, l1_loss, smooth_l1_loss, huber_loss, nll_loss, cross_entropy, kl_div,
    binary_cross_entropy, binary_cross_entropy_with_logits, pairwise_distance,
    triplet_margin_loss, cosine_similarity, normalize, norm, vector_norm, batch_norm,
    var_mean, addmm, glu, _lp_pool(F.avg_pool1d, 1), _lp_pool(F.avg_pool2d, 2), outer, dot, mv, stack, unfold, im2col, multi_head_attention_forward)}
FUNCTIONS["linalg_vector_norm"] = vector_norm
FUNCTIONS["einsum"] = einsum
for _more in (RECURRENT, RESIZING, SELECTION):
    FUNCTIONS.update(_more)
