"""Graphs: values used twice, outputs used on the way."""
import numpy as np

from case import case, node, normal

case([node('add', 'x', 'r', out='h'), node('rms_norm', 'h', 'w', out='y', eps=1e-5)],
     lambda x, r, w: {'h': x + r, 'y': (x + r) / np.sqrt(((x + r) ** 2).mean(-1, keepdims=True)
                                                         + 1e-5) * w},
     x=normal(6, 40), r=normal(6, 40), w=normal(40))
case([node('mul', 'x', 'x', out='t'), node('sub', 't', 2, out='u'), node('mul', 't', 'u')],
     lambda x: x ** 4 - 2 * x ** 2, x=normal(100))
