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


MOST_SQUARED = 16  # times that matrix_exp() doubles the matrix


def matrix_exp(A):
    """A series for the matrix that is divided by a power of two until its norm is at most 1, which is then squared."""
    norm = A.abs().sum(-2, True).amax(-1, True)
    times = torch.ceil(torch.log2(norm.clamp(min=1))).clamp(0, MOST_SQUARED)
    A = A / torch.exp2(times)
    made = term = torch.eye(A.shape[-1], dtype=A.dtype, device=A.device).expand(A.shape)
    for i in range(1, 13):
        term = term @ A / i
        made = made + term
    for i in range(MOST_SQUARED):
        made = torch.where(times > i, made @ made, made)
    return made


def cholesky_inverse(L, upper=False):
    return cholesky_solve(torch.eye(L.shape[-1], dtype=L.dtype, device=L.device), L, upper)


def _checked(function):
    """With a second result, which is 0 for matrices that have the first."""
    def of_matrix(A, *args, check_errors=False, **kwargs):
        made = function(A, *args, **kwargs)
        return made, torch.zeros(A.shape[:-2], dtype=torch.int32)
    of_matrix.__name__ = f"{function.__name__}_ex"
    return of_matrix


def qr(A, mode="reduced"):
    """By Householder's reflections, with LAPACK's signs; also the factors of the old torch.qr."""
    _check("qr", A)
    rows, columns = A.shape[-2:]
    place = torch.arange(rows, device=A.device).unsqueeze(-1)
    q = torch.eye(rows, dtype=A.dtype, device=A.device).expand([*A.shape[:-2], rows, rows])
    for i in range(min(rows - 1, columns)):
        x = torch.where(place >= i, _column(A, i), 0.0)
        first, length = _row(x, i), (x * x).sum(-2, keepdim=True).sqrt()
        end = torch.where(first > 0, -length, length)
        v = torch.where(place == i, x - end, x)
        size = (v * v).sum(-2, keepdim=True)
        turn = v * (2 / torch.where(size == 0, 1.0, size))
        A, q = A - turn @ (v.mT @ A), q - (q @ v) @ turn.mT
    least = min(rows, columns)
    r = torch.triu(A if mode == "complete" else A[..., :least, :])
    return torch.return_types.linalg_qr((q if mode == "complete" else q[..., :least], r))


def block_diag(*tensors):
    tensors = [t.reshape([1] * (2 - t.dim()) + list(t.shape)) for t in tensors]
    width, at, rows = sum(t.shape[1] for t in tensors), 0, []
    for t in tensors:
        rows.append(torch.nn.functional.pad(t, (at, width - at - t.shape[1])))
        at += t.shape[1]
    return torch.cat(rows)


def vecdot(x, y, *, dim=-1):
    return (x * y).sum(dim)


FUNCTIONS = {f.__name__: f for f in (triangular_solve, cholesky, cholesky_solve, cholesky_inverse, det, slogdet, logdet,
                                     matrix_power, block_diag)}
FUNCTIONS.update(inverse=inv)
_LINALG = (solve_triangular, cholesky, solve, inv, det, slogdet, matrix_power, vecdot, matrix_exp, qr, _checked(cholesky),
           _checked(inv), _checked(solve))
FUNCTIONS.update({f"{prefix}{f.__name__}": f for f in _LINALG for prefix in ("", "linalg_")})
