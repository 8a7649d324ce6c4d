"""Norms of [batch, channels, ...]."""
import numpy as np

from case import case, node, normal, positive


def standard(x, eps):
    return (x - x.mean()) / np.sqrt(x.var() + eps)


def group_norm(x, groups, eps=1e-5):
    y = np.empty_like(x)
    for sample in range(len(x)):
        for members in np.split(np.arange(x.shape[1]), groups):
            y[sample, members] = standard(x[sample, members], eps)
    return y


def channels(values, x):
    return values.reshape(-1, *[1] * (x.ndim - 2))


for shape in ((3, 6), (2, 6, 5), (2, 6, 3, 4), (2, 6, 2, 3, 2)):
    case([node('batch_norm', 'x', 'm', 'v')],
         lambda x, m, v: (x - channels(m, x)) / np.sqrt(channels(v, x) + 1e-5),
         x=normal(*shape), m=normal(6), v=positive(6))
case([node('batch_norm', 'x', 'm', 'v', 'w', 'b', eps=0.1)],
     lambda x, m, v, w, b: (x - channels(m, x)) * channels(w / np.sqrt(v + 0.1), x)
     + channels(b, x), x=normal(3, 5, 40, 50), m=normal(5), v=positive(5), w=normal(5), b=normal(5))
for groups in (1, 2, 6):
    case([node('group_norm', 'x', 'w', 'b', num_groups=groups)],
         lambda x, w, b, g=groups: group_norm(x, g) * channels(w, x) + channels(b, x),
         x=3 * normal(2, 6, 4, 5) + 7, w=normal(6), b=normal(6))
case([node('group_norm', 'x', num_groups=3, eps=0.2)], lambda x: group_norm(x, 3, 0.2),
     x=normal(2, 6))
case([node('instance_norm', 'x')], lambda x: group_norm(x, 6), x=normal(2, 6, 70))
case([node('instance_norm', 'x', 'w', 'b', eps=1e-3)],
     lambda x, w, b: group_norm(x, 4, 1e-3) * channels(w, x) + channels(b, x),
     x=normal(3, 4, 5, 6), w=normal(4), b=normal(4))
