"""Row by row."""
import numpy as np

from case import case, integers, node, normal

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


def scan(x, axis, step):
    """One element after the other."""
    x = np.moveaxis(x.copy(), axis, 0)
    for i in range(1, len(x)):
        x[i] = step(x[i - 1], x[i])
    return np.moveaxis(x, 0, axis)


for name, step in {'cumsum': np.add, 'cumprod': np.multiply}.items():
    for dim in (0, 1, -1):
        case([node(name, 'x', dim=dim)], lambda x, d=dim, s=step: scan(x, d, s), x=normal(6, 70, 5))
    case([node(name, 'x', dim=0)], lambda x, s=step: scan(x, 0, s), x=integers(-2, 3, 30))

for name, step in {'cummax': np.maximum, 'logcumsumexp': np.logaddexp}.items():
    for dim in (0, -1):
        case([node(name, 'x', dim=dim)], lambda x, d=dim, s=step: scan(x, d, s), x=normal(6, 70))
SPECIAL = np.array([0, 0, 1e-9, 20, 1e9, 0, 1, -1, 2])


def limited_scan(x, step):
    """Of the logarithms, some of which are infinite, and one NaN."""
    with np.errstate(all='ignore'):
        return np.clip(scan(np.log(x), 0, step), -1000, 1000)


for name, step in {'cummax': np.maximum, 'logcumsumexp': np.logaddexp}.items():
    case([node('log', 'x', out='t'), node(name, 't', dim=0, out='u'), node('clamp', 'u', min=-1000, max=1000)],
         lambda x, s=step: limited_scan(x, s), x=SPECIAL)

TIES = np.array([[2, -5, 1, 2, 7, 0, 1, -3, 4, 4]])
for falling, order in {False: [5, 2, 6, 0, 3, 8, 9, 4, 1, 7], True: [1, 7, 4, 8, 9, 0, 3, 2, 6, 5]}.items():
    case([node('log', 'x', out='t'), node('argsort', 't', dim=1, descending=falling)], lambda x, o=order: np.array([o]), x=TIES)
case([node('argsort', 'x', dim=0)], lambda x: np.argsort(x, 0, kind='stable'), x=integers(0, 9, 40, 3))
