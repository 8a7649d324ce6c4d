"""Pooling: window by window."""
import itertools
import math

import numpy as np

from case import case, node, normal


def windows(size, kernel, stride=None, padding=0, dilation=1, ceil_mode=False):
    """For each window its places, those in the padding too; PyTorch's rule for the last one."""
    stride = stride or kernel
    count = (size + 2 * padding - dilation * (kernel - 1) - 1) / stride
    starts = [i * stride - padding for i in range((math.ceil if ceil_mode else math.floor)(count) + 1)]
    return [range(s, s + dilation * (kernel - 1) + 1, dilation) for s in starts
            if s < size or not ceil_mode]


def adaptive_windows(size, count):
    return [range(math.floor(i * size / count), math.ceil((i + 1) * size / count))
            for i in range(count)]


def pool(x, lists, reduce):
    y = np.empty((*x.shape[:2], *(len(one) for one in lists)))
    for place in itertools.product(*(range(len(one)) for one in lists)):
        window = [one[p] for one, p in zip(lists, place)]
        inside = [[at for at in places if 0 <= at < n] for places, n in zip(window, x.shape[2:])]
        elements = x[(slice(None), slice(None), *np.ix_(*inside))].reshape(*x.shape[:2], -1)
        y[(slice(None), slice(None), *place)] = reduce(elements, window)
    return y


def largest(elements, window):
    return elements.max(-1)


def mean(elements, window):
    return elements.mean(-1)


def each(value, axes):
    return [value] * axes if not isinstance(value, list) else value


def check(op, x, kernel_size, count_include_pad=None, **attributes):
    axes = x.ndim - 2
    per_axis = [dict(zip(attributes, values))
                for values in zip(*(each(v, axes) for v in attributes.values()))] or [{}] * axes
    kernels = each(kernel_size, axes)
    lists = [windows(n, k, **a) for n, k, a in zip(x.shape[2:], kernels, per_axis)]
    ends = [n + a.get('padding', 0) for n, a in zip(x.shape[2:], per_axis)]

    def padded_mean(elements, window):
        count = math.prod(sum(at < end for at in places) for places, end in zip(window, ends))
        return elements.sum(-1) / count

    given = {} if count_include_pad is None else {'count_include_pad': count_include_pad}
    reduce = largest if 'max' in op else mean if count_include_pad is False else padded_mean
    case([node(op, 'x', kernel_size=kernel_size, **attributes, **given)],
         lambda x: pool(x, lists, reduce), x=x)


def check_adaptive(op, x, output_size):
    lists = [adaptive_windows(n, m) for n, m in zip(x.shape[2:], each(output_size, x.ndim - 2))]
    case([node(op, 'x', output_size=output_size)],
         lambda x: pool(x, lists, largest if 'max' in op else mean), x=x)


check('max_pool1d', normal(2, 3, 11), 3)
check('max_pool1d', normal(2, 3, 11) - 9, 4, stride=3, padding=2, dilation=2, ceil_mode=True)
check('max_pool2d', normal(2, 3, 8, 9), 2)
check('max_pool2d', normal(1, 2, 9, 10) - 9, [3, 2], stride=[2, 3], padding=[1, 0], dilation=[1, 2])
check('max_pool2d', normal(1, 2, 7, 8), 3, stride=2, ceil_mode=True)
check('max_pool2d', normal(40, 3, 20, 20), 2, stride=1)
check('max_pool3d', normal(2, 2, 5, 6, 7), [2, 3, 2], stride=2, padding=1)
check('avg_pool1d', normal(2, 3, 11), 3, stride=2, padding=1)
check('avg_pool1d', normal(2, 3, 10), 4, stride=3, padding=2, ceil_mode=True)
check('avg_pool2d', normal(2, 3, 8, 9), [3, 2])
check('avg_pool2d', normal(2, 3, 8, 9), 3, count_include_pad=False, stride=2, padding=1)
check('avg_pool2d', normal(2, 3, 9, 9), [4, 2], stride=3, padding=[2, 1], ceil_mode=True)
check('avg_pool2d', normal(2, 3, 9, 9), [4, 2], count_include_pad=False, stride=3, padding=[2, 1],
      ceil_mode=True)
check('avg_pool3d', normal(1, 2, 5, 6, 7), 3, stride=[1, 2, 3], padding=1)
for name in 'max', 'avg':
    check_adaptive(f'adaptive_{name}_pool1d', normal(2, 3, 11), 4)
    check_adaptive(f'adaptive_{name}_pool1d', normal(2, 3, 3), 7)
    check_adaptive(f'adaptive_{name}_pool2d', normal(2, 3, 7, 10), [3, 5])
    check_adaptive(f'adaptive_{name}_pool2d', normal(2, 3, 7, 10), 1)
    check_adaptive(f'adaptive_{name}_pool3d', normal(1, 2, 5, 6, 7), [2, 6, 3])
