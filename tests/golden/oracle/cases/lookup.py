"""Elements whose places are told by an index."""
import numpy as np

from case import RNG, case, integers, node, normal


def gather(x, index, dim):
    y = np.empty(index.shape)
    for place in np.ndindex(*index.shape):
        at = list(place)
        at[dim] = index[place]
        y[place] = x[tuple(at)]
    return y


def index_copy(x, index, source):
    y = x.copy()
    for i, row in zip(index, source):
        y[i] = row
    return y


def combined(x, index, source, dim, join):
    """Each element of the source goes to where its index says, or that of its row."""
    y = x.copy()
    for place in np.ndindex(*source.shape):
        at = list(place)
        at[dim] = index[place if index.ndim > 1 else place[dim]]
        if 0 <= at[dim] < x.shape[dim]:
            y[tuple(at)] = join(y[tuple(at)], source[place])
    return y


case([node('gather', 'x', 'i', dim=0)], lambda x, i: gather(x, i, 0), x=normal(6, 5),
     i=integers(0, 6, 9, 4))
case([node('gather', 'x', 'i', dim=-1)], lambda x, i: gather(x, i, 2), x=normal(40, 5, 7),
     i=integers(0, 7, 40, 5, 30))
case([node('index_select', 'x', 'i', dim=1)], lambda x, i: np.stack([x[:, k] for k in i], 1),
     x=normal(4, 6, 5), i=integers(0, 6, 9))
case([node('embedding', 'i', 'w')], lambda i, w: w[i], i=integers(0, 50, 3, 40), w=normal(50, 60))
case([node('embedding', 'i', 'w')], lambda i, w: w[i], i=np.array(3), w=normal(5, 4))
case([node('embedding', 'i', 'w')], lambda i, w: np.array([w[1], [np.nan] * 4, [np.nan] * 4]),
     i=np.array([1, 5, -1]), w=normal(5, 4))
case([node('index_copy', 'x', 'i', 's', dim=0)], index_copy, x=normal(9, 3, 4),
     i=RNG.permutation(9)[:5], s=normal(5, 3, 4))
case([node('index_copy', 'x', 'i', 's', dim=0)], index_copy, x=normal(9), i=np.array([2, 7, 2]),
     s=normal(3))
case([node('index_copy', 'x', 'i', 's', dim=-1)],
     lambda x, i, s: index_copy(x.T, i, s.T).T, x=normal(4, 9), i=np.array([8, 0]), s=normal(4, 2))

for reduce, join in {'sum': np.add, 'amax': np.maximum}.items():
    case([node('index_reduce', 'x', 'i', 's', dim=1, reduce=reduce)],
         lambda x, i, s, j=join: combined(x, i, s, 1, j), x=normal(3, 5, 4), i=np.array([4, 0, 4, 7, -1, 2, 4]), s=normal(3, 7, 4))
    case([node('scatter_reduce', 'x', 'i', 's', dim=-1, reduce=reduce)],
         lambda x, i, s, j=join: combined(x, i, s, 1, j), x=normal(6, 9), i=integers(0, 9, 4, 30), s=normal(4, 30))
