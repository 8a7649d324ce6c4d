"""
Decompositions of linear algebra on small matrices, column by column: triangular systems,
Cholesky factors, inverses, determinants, powers; and products of blocks.
"""

import torch

from graph import Unknown

MOST_COLUMNS = 32


def _check(name, A):
    if A.shape[-1] > MOST_COLUMNS:
        raise Unknown(f"{name} of matrices with {A.shape[-1]} columns: at most {MOST_COLUMNS}")


def _row(x, i):
    return x[..., i:i + 1, :]


def _column(x, i):
    return x[..., i:i + 1]


def _solved_forward(A, B, is_unit):
    """A^-1 B for a lower triangle: each row that is known leaves the rows below it."""
    below, rows = torch.tril(A, -1), []
    for i in range(A.shape[-1]):
        row = _row(B, i) if is_unit else _row(B, i) / _column(_row(A, i), i)
        rows.append(row)
        B = B - _column(below, i) * row
    return torch.cat([row.expand(B.shape[:-2] + (1, B.shape[-1])) for row in rows], -2)


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    _check("solve_triangular", A)
    if not left:
        return solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular).mT
    if not upper:
        return _solved_forward(A, B, unitriangular)
    return _solved_forward(A.flip([-2, -1]), B.flip([-2]), unitriangular).flip([-2])


def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    A, upper = (A.mT, not upper) if transpose else (A, upper)
    return torch.return_types.triangular_solve((solve_triangular(A, b, upper=upper, unitriangular=unitriangular), A))


def cholesky(A, *, upper=False):
    _check("cholesky", A)
    place, columns = torch.arange(A.shape[-1], device=A.device).unsqueeze(-1), []
    for i in range(A.shape[-1]):
        column = torch.where(place >= i, _column(A, i), 0.0) / _column(_row(A, i), i).sqrt()
        columns.append(column)
        A = A - column * column.mT
    made = torch.cat(columns, -1)
    return made.mT if upper else made


def cholesky_solve(B, L, upper=False):
    L = L.mT if upper else L
    return solve_triangular(L.mT, solve_triangular(L, B, upper=False), upper=True)


def _eliminated(A, B):
    """A^-1 B and the determinant of A, by elimination with the largest pivot of each column."""
    width, place = A.shape[-1], torch.arange(A.shape[-1], device=A.device).unsqueeze(-1)
    both, determinant = torch.cat([A, B.expand(A.shape[:-1] + B.shape[-1:])], -1), 1
    for i in range(width):
        column = _column(both, i)
        largest = torch.where(place < i, -1.0, abs(column)).argmax(-2, keepdim=True)
        chosen, here = place == largest, place == i
        row, other = torch.where(chosen, both, 0.0).sum(-2, keepdim=True), _row(both, i)
        pivot = _column(row, i)
        determinant = determinant * torch.where(largest == i, pivot, -pivot)
        both = torch.where(chosen, other, both)
        row = row / pivot
        both = torch.where(here, row, both - torch.where(here, 0.0, _column(both, i)) * row)
    return both[..., width:], determinant.reshape(A.shape[:-2])


def solve(A, B, *, left=True):
    _check("solve", A)
    if not left:
        return solve(A.mT, B.mT).mT
    if B.dim() == 1 or (B.dim() == A.dim() - 1 and B.shape == A.shape[:-1]):
        return _eliminated(A, B.unsqueeze(-1))[0].squeeze(-1)
    if B.shape[:-2] != A.shape[:-2]:
        A = A.expand(torch.broadcast_shapes(A.shape[:-2], B.shape[:-2]) + A.shape[-2:])
    return _eliminated(A, B)[0]


def inv(A):
    _check("inv", A)
    return _eliminated(A, torch.eye(A.shape[-1], dtype=A.dtype, device=A.device))[0]


def det(A):
    _check("det", A)
    return _eliminated(A, _column(A, 0))[1]


def slogdet(A):
    made = det(A)
    return torch.return_types.slogdet((made.sign(), made.abs().log()))


def logdet(A):
    return det(A).log()


def matrix_power(A, n):
    if n < 0:
        return matrix_power(inv(A), -n)
    made = None
    while n:
        made = (A if made is None else made @ A) if n & 1 else made
        n, A = n >> 1, A @ A if n > 1 else A
    return torch.eye(A.shape[-1], dtype=A.dtype, device=A.device).expand(A.shape) if made is None else made


def block_diag(*tensors):
    tensors = [t.reshape([1] * (2 - t.dim()) + list(t.shape)) for t in tensors]
    width, at, rows = sum(t.shape[1] for t in tensors), 0, []
    for t in tensors:
        rows.append(torch.nn.functional.pad(t, (at, width - at - t.shape[1])))
        at += t.shape[1]
    return torch.cat(rows)


def vecdot(x, y, *, dim=-1):
    return (x * y).sum(dim)


FUNCTIONS = {f.__name__: f for f in (triangular_solve, cholesky, cholesky_solve, det, slogdet, logdet, matrix_power,
                                     block_diag)}
FUNCTIONS.update(inverse=inv)
_LINALG = (solve_triangular, cholesky, solve, inv, det, slogdet, matrix_power, vecdot)
FUNCTIONS.update({f"{prefix}{f.__name__}": f for f in _LINALG for prefix in ("", "linalg_")})
