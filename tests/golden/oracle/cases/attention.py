"""Attention, query by query, and rotary embeddings as products of complex numbers."""
import numpy as np

from case import case, integers, node, normal

OP = 'scaled_dot_product_attention'


def attend(q, k, v, allowed=lambda i, j: True, added=lambda i, j: 0, scale=None):
    """One query matrix; `allowed` and `added` are functions of query and key."""
    scale = q.shape[1] ** -0.5 if scale is None else scale
    y = np.zeros((len(q), v.shape[1]))
    for i, query in enumerate(q):
        weights = np.array([np.exp(scale * (query @ key) + added(i, j)) if allowed(i, j) else 0
                            for j, key in enumerate(k)])
        y[i] = weights @ v / weights.sum() if weights.sum() > 0 else 0
    return y


def heads(q, k, v, **options):
    group = q.shape[1] // k.shape[1]
    return np.array([[attend(q[b, h], k[b, h // group], v[b, h // group],
                             **{name: option(b, h) for name, option in options.items()})
                      for h in range(q.shape[1])] for b in range(len(q))])


def causal(b, h):
    return lambda i, j: j <= i


case([node(OP, 'q', 'k', 'v')], attend, q=normal(5, 8), k=normal(7, 8), v=normal(7, 3))
case([node(OP, 'q', 'k', 'v', scale=0.3)], lambda q, k, v: heads(q, k, v, scale=lambda b, h: 0.3),
     q=normal(2, 3, 5, 8), k=normal(2, 3, 6, 8), v=normal(2, 3, 6, 4))
for queries, keys in ((6, 6), (4, 7), (7, 4)):
    case([node(OP, 'q', 'k', 'v', is_causal=True)],
         lambda q, k, v: heads(q, k, v, allowed=causal),
         q=normal(1, 2, queries, 4), k=normal(1, 2, keys, 4), v=normal(1, 2, keys, 4))
case([node(OP, 'q', 'k', 'v', enable_gqa=True, is_causal=True)],
     lambda q, k, v: heads(q, k, v, allowed=causal),
     q=normal(2, 6, 5, 4), k=normal(2, 2, 5, 4), v=normal(2, 2, 5, 3))
case([node(OP, 'q', 'k', 'v', 'm')],
     lambda q, k, v, m: heads(q, k, v, added=lambda b, h: lambda i, j: m[h, 0, j]),
     q=normal(2, 3, 5, 4), k=normal(2, 3, 6, 4), v=normal(2, 3, 6, 4), m=normal(3, 1, 6))
case([node(OP, 'q', 'k', 'v', 'm')],
     lambda q, k, v, m: heads(q, k, v, allowed=lambda b, h: lambda i, j: m[b, 0, i, j]),
     q=normal(2, 3, 5, 4), k=normal(2, 3, 6, 4), v=normal(2, 3, 6, 4),
     m=integers(0, 3, 2, 1, 5, 6) > 0)
case([node(OP, 'q', 'k', 'v', 'm')], lambda q, k, v, m: np.zeros((2, 4)),
     q=normal(2, 4), k=normal(3, 4), v=normal(3, 4), m=np.zeros((2, 3), bool))


def turn(pairs, cosine, sine):
    """Pairs along the last axis."""
    turned = (pairs[..., 0] + 1j * pairs[..., 1]) * (cosine + 1j * sine)
    return np.stack([turned.real, turned.imag], -1)


def rope(x, cosine, sine):
    half = x.shape[-1] // 2
    turned = turn(np.stack([x[..., :half], x[..., half:]], -1), cosine, sine)
    return np.concatenate([turned[..., 0], turned[..., 1]], -1)


def rope_interleaved(x, cosine, sine):
    return turn(x.reshape(*x.shape[:-1], -1, 2), cosine, sine).reshape(x.shape)


case([node('rope', 'x', 'c', 's')], rope, x=normal(50, 3, 64), c=normal(50, 1, 32), s=normal(50, 1, 32))
case([node('rope', 'x', 'c', 's')], rope, x=normal(2, 3, 6), c=normal(3), s=normal(3, 3))
case([node('rope', 'x', 'c', 's', interleaved=True)], rope_interleaved,
     x=normal(50, 3, 64), c=normal(50, 1, 32), s=normal(50, 1, 32))
