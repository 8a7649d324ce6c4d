"""Along axes."""
import numpy as np

from case import case, integers, node, normal

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
