"""Elements at other places."""
import numpy as np

from case import case, integers, node, normal

case([node('reshape', 'x', shape=[6, -1])], lambda x: x.reshape(6, 20), x=normal(4, 5, 6))
case([node('reshape', 'x', shape=[])], lambda x: x.reshape(()), x=normal(1, 1))
case([node('reshape', 'x', shape=-1)], lambda x: x.ravel(), x=integers(0, 9, 3, 4))
case([node('flatten', 'x')], np.ravel, x=normal(4, 5, 6))
case([node('flatten', 'x')], np.ravel, x=normal())
case([node('flatten', 'x', start_dim=1)], lambda x: x.reshape(4, 30), x=normal(4, 5, 6))
case([node('flatten', 'x', start_dim=1, end_dim=-2)], lambda x: x.reshape(2, 60, 7),
     x=normal(2, 3, 4, 5, 7))
case([node('squeeze', 'x')], np.squeeze, x=normal(1, 4, 1, 5))
case([node('squeeze', 'x', dim=[0, 1])], lambda x: x[0], x=normal(1, 4, 1, 5))
case([node('unsqueeze', 'x', dim=-1)], lambda x: x[..., None], x=normal(4, 5))
case([node('unsqueeze', 'x', dim=1)], lambda x: x[:, None], x=normal(4, 5))
case([node('permute', 'x', dims=[2, 0, -2])], lambda x: np.einsum('abc->cab', x), x=normal(4, 5, 6))
case([node('transpose', 'x', dim0=0, dim1=-1)], lambda x: np.einsum('abc->cba', x),
     x=normal(30, 5, 40))
case([node('slice', 'x', dim=1, start=2)], lambda x: x[:, 2:], x=normal(4, 5))
case([node('slice', 'x', dim=-1, end=-1)], lambda x: x[:, :-1], x=normal(4, 5))
case([node('slice', 'x', dim=0, start=-8, end=99, step=3)], lambda x: x[-8:99:3], x=normal(10, 5))
case([node('expand', 'x', size=[3, -1, 5])], lambda x: np.broadcast_to(x, (3, 4, 5)), x=normal(4, 1))
case([node('concat', 'x', 'z', 'x', dim=1)], lambda x, z: np.concatenate([x, z, x], 1),
     x=normal(4, 5, 2), z=normal(4, 1, 2))
case([node('concat', 'x', 'z')], lambda x, z: np.array([*x, *z]), x=normal(4), z=normal(6))
case([node('pad', 'x', pad=[1, 2])], lambda x: np.pad(x, [(0, 0), (1, 2)]), x=normal(4, 5))
case([node('pad', 'x', pad=[0, 1, 2, 0], value=-3)],
     lambda x: np.pad(x, [(0, 0), (2, 0), (0, 1)], constant_values=-3), x=normal(3, 4, 5))
case([node('pad', 'x', pad=[-1, 2])], lambda x: np.pad(x[:, 1:], [(0, 0), (0, 2)]), x=normal(4, 5))
case([node('transpose', 'x', dim0=0, dim1=1, out='t'), node('reshape', 't', shape=[-1])],
     lambda x: x.ravel(order='F'), x=normal(4, 5))
