"""Products of matrices."""
import numpy as np

from case import case, node, normal

case([node('matmul', 'a', 'b')], np.matmul, a=normal(33, 40), b=normal(40, 17))
case([node('matmul', 'a', 'b')], np.matmul, a=normal(2, 1, 5, 4), b=normal(3, 4, 6))
case([node('matmul', 'a', 'b', transpose_a=True)], lambda a, b: np.einsum('ki,kj->ij', a, b),
     a=normal(7, 5), b=normal(7, 3))
case([node('matmul', 'a', 'b', transpose_b=True)], lambda a, b: np.einsum('bik,jk->bij', a, b),
     a=normal(4, 7, 5), b=normal(3, 5))
case([node('matmul', 'a', 'b', transpose_a=True, transpose_b=True)],
     lambda a, b: np.einsum('bki,bjk->bij', a, b), a=normal(4, 7, 5), b=normal(4, 3, 7))
case([node('linear', 'x', 'w')], lambda x, w: np.einsum('...k,nk->...n', x, w),
     x=normal(2, 3, 5), w=normal(7, 5))
case([node('linear', 'x', 'w', 'b')], lambda x, w, b: np.einsum('mk,nk->mn', x, w) + b,
     x=normal(20, 31), w=normal(9, 31), b=normal(9))
case([node('linear', 'x', 'w')], lambda x, w: w @ x, x=normal(31), w=normal(9, 31))
