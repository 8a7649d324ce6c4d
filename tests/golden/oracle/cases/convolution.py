"""Convolutions: every product of a weight and an element is added where it belongs."""
import itertools

import numpy as np

from case import case, node, normal


def places(shape):
    return itertools.product(*(range(n) for n in shape))


def each(value, axes):
    return (value,) * axes if isinstance(value, int) else tuple(value)


def convolve(x, w, b=None, stride=1, padding=0, dilation=1, groups=1):
    axes = x.ndim - 2
    stride, padding, dilation = (each(v, axes) for v in (stride, padding, dilation))
    x = np.pad(x, [(0, 0), (0, 0)] + [(p, p) for p in padding])
    size = [(x.shape[2 + i] - dilation[i] * (w.shape[2 + i] - 1) - 1) // stride[i] + 1
            for i in range(axes)]
    y = np.zeros((x.shape[0], w.shape[0], *size))
    for sample, channel in places(y.shape[:2]):
        group = channel // (w.shape[0] // groups)
        for place in places(size):
            for k in places(w.shape[2:]):
                at = tuple(p * s + i * d for p, s, i, d in zip(place, stride, k, dilation))
                for i in range(w.shape[1]):
                    y[(sample, channel, *place)] += \
                        x[(sample, group * w.shape[1] + i, *at)] * w[(channel, i, *k)]
    return y if b is None else y + b.reshape(-1, *[1] * axes)


def spread(x, w, b=None, stride=1, padding=0, output_padding=0, dilation=1, groups=1):
    """The transpose: every element goes to all places that a convolution would take it from."""
    axes = x.ndim - 2
    stride, padding, more, dilation = (each(v, axes) for v in
                                       (stride, padding, output_padding, dilation))
    size = [(x.shape[2 + i] - 1) * stride[i] - 2 * padding[i] + dilation[i] * (w.shape[2 + i] - 1)
            + more[i] + 1 for i in range(axes)]
    y = np.zeros((x.shape[0], w.shape[1] * groups, *size))
    for sample, channel in places(x.shape[:2]):
        group = channel // (x.shape[1] // groups)
        for place in places(x.shape[2:]):
            for k in places(w.shape[2:]):
                at = tuple(p * s + i * d - q
                           for p, s, i, d, q in zip(place, stride, k, dilation, padding))
                if all(0 <= a < n for a, n in zip(at, size)):
                    for o in range(w.shape[1]):
                        y[(sample, group * w.shape[1] + o, *at)] += \
                            x[(sample, channel, *place)] * w[(channel, o, *k)]
    return y if b is None else y + b.reshape(-1, *[1] * axes)


def check(op, expected, x, w, *bias, **attributes):
    inputs = dict(zip(('x', 'w', 'b'), (x, w, *bias)))
    case([node(op, *inputs, **attributes)],
         lambda *arrays: expected(*arrays, **attributes), **inputs)


check('conv1d', convolve, normal(2, 3, 11), normal(4, 3, 3))
check('conv1d', convolve, normal(2, 4, 11), normal(6, 2, 3), normal(6),
      stride=2, padding=3, dilation=2, groups=2)
check('conv2d', convolve, normal(2, 3, 6, 7), normal(4, 3, 3, 2), normal(4))
check('conv2d', convolve, normal(1, 2, 8, 9), normal(3, 2, 3, 3), stride=2, padding=1)
check('conv2d', convolve, normal(2, 4, 7, 8), normal(4, 1, 3, 2), normal(4),
      stride=[2, 1], padding=[0, 2], dilation=[1, 3], groups=4)
check('conv2d', convolve, normal(1, 5, 4, 4), normal(3, 5, 1, 1))
check('conv3d', convolve, normal(1, 2, 4, 5, 6), normal(3, 2, 2, 3, 1), normal(3), padding=1)
check('conv3d', convolve, normal(2, 2, 5, 4, 5), normal(2, 1, 2, 2, 2),
      stride=[1, 2, 2], padding=[1, 0, 2], dilation=[2, 1, 3], groups=2)
check('conv_transpose1d', spread, normal(2, 3, 5), normal(3, 4, 3))
check('conv_transpose1d', spread, normal(2, 4, 5), normal(4, 3, 3), normal(6),
      stride=3, padding=1, output_padding=2, dilation=2, groups=2)
check('conv_transpose2d', spread, normal(2, 3, 4, 5), normal(3, 2, 3, 2), normal(2), stride=2)
check('conv_transpose2d', spread, normal(1, 4, 4, 3), normal(4, 1, 2, 3),
      stride=[1, 2], padding=[1, 2], output_padding=[1, 0], dilation=[2, 1], groups=4)
check('conv_transpose3d', spread, normal(1, 2, 3, 2, 4), normal(2, 3, 2, 3, 2), normal(3),
      stride=2, padding=1, output_padding=1)
check('conv_transpose3d', spread, normal(2, 2, 2, 3, 2), normal(2, 1, 2, 1, 3), groups=2,
      dilation=[1, 2, 1])

# More places than the oracle takes into one product.
case([node('conv2d', 'x', 'w', padding=1)],
     lambda x, w: sum(np.einsum('oi,nihw->nohw', w[:, :, a, b],
                                np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])[:, :, a:a + 40, b:b + 700])
                      for a in range(3) for b in range(3)),
     x=normal(1, 8, 40, 700), w=normal(2, 8, 3, 3))
