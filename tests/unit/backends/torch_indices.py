"""Test that graphs say indices of all kinds, the bits of integers, infinite numbers and linear algebra."""
from unittest import mock

from decompositions import ordering
from torch_graphs import GraphCase

SPECIAL = "[math.nan, math.inf, -math.inf, 0.5, 0.0, -2.5]"


class Indices(GraphCase):
    """Models of indices, of whole numbers and of small matrices."""

    def test_positions_that_are_tensors(self):
        self.check("m, k = s.max(0)\nj = s.argmin()\n"
                   "return x[k], x[:, j], x[j, k], x[i, k, None], x[k - 5, :, 1:], x[..., j]",
                   x="torch.randn(5, 5, 3)", s="torch.randperm(5)[:3].float()", i="torch.randint(0, 5, (4,))")

    def test_index_tensors_beside_other_entries(self):
        self.check("return (x[i, :, j], x[:, i, None, j], x[None, i], x[i, None], x[:, 1, i], x[1, :, j], x[i, 0, j], "
                   "x[:, i, 1:, j], x[..., i[:, None], j], x[[0, 2], 1, :, 1:], x[i - 3, :, None, j])",
                   x="torch.randn(3, 4, 5, 6)", i="torch.randint(0, 3, (2,))", j="torch.randint(0, 4, (2,))")

    def test_assignments_at_index_tensors(self):
        self.check("y = x.clone()\ny[i] = v\ny[:, j] = 2\nz = x.clone()\nz[i, j] = v[:, 0]\nz[1:, j] *= 3\nz[i, :, None] += 1\n"
                   "w = x.clone()\nw[:, 2, i] = x[:, 0, :2] * 5\nw[i, :, j] = v[:, :, 0]\nreturn y, z, w",
                   x="torch.randn(4, 5, 3).movedim(2, 1)", i="torch.randperm(4)[:2]", j="torch.randperm(3)[:2]",
                   v="torch.randn(2, 3, 5)[:, :, :5].reshape(2, 3, 5)")

    def test_assignments_at_masks_and_positions(self):
        self.check("y = x.clone()\ny[:, m] = 7\ny[n] = v\nk = v.argmax()\nz = x.clone()\nz[0, k] = 9\nz[:, k - 4] = v[:3]\n"
                   "return y, z", x="torch.randn(3, 4)", m="torch.tensor([True, False, True, False])",
                   n="torch.tensor([False, True, True])", v="torch.randn(4)")

    def test_bits_of_integers(self):
        self.check("return (i >> 3, i >> k, 1 << k, i & 15, (i >> 4) & 0xF, i & 0x50, i & j, i | j, i ^ j, ~i, i ^ 5, "
                   "w ^ j, w & 0x7fffffff, (i * 2654435761) % 1024, (u & 12).int(), (u ^ u.flip(0)).int(), k << 2, 3 & k, i % 7, i // 3)",
                   i="torch.cat([torch.randint(0, 2**31 - 1, (20,)), torch.tensor([0, 1, -1, 2**31 - 1, -2**31])])",
                   j="torch.randint(-2**20, 2**30, (25,), dtype=torch.int32)", k="torch.randint(0, 20, (25,))",
                   w="torch.randint(-2**30, 2**30, (25,), dtype=torch.int32)", u="torch.randint(0, 255, (25,), dtype=torch.uint8)")

    def test_quotients_of_large_integers(self):
        self.check("return i // 3, i % 10, i // k, i % k, j // 7, j % -11, j // 1",
                   i="torch.randint(-2**31, 2**31 - 1, (50,), dtype=torch.int32)", k="torch.randint(1, 9, (50,), dtype=torch.int32)",
                   j="torch.randint(-2**52, 2**52, (50,))")

    def test_infinite_numbers(self):
        self.check("a = x.masked_fill(m, math.inf)\nb = torch.full_like(x, -math.inf).maximum(x)\n"
                   "c = torch.where(m, -math.inf, x) * 2\nd = F.pad(x, (1, 1), value=-math.inf)\n"
                   "return (a.min(1)[0], a.argmin(1), b, c.amax(1), c, torch.where(m, math.inf, -math.inf) + low, d, "
                   "F.pad(x, (0, 2), value=math.inf).amin(1), x.clamp(max=math.inf), torch.full((3,), torch.inf), "
                   "d.softmax(-1), torch.zeros(3).scatter_reduce(0, i, x[:, 0], 'amax', include_self=False))",
                   x="torch.randn(3, 4)", m="torch.randn(3, 4) > 0.7", low="torch.randn(4)", i="torch.tensor([0, 2, 2])")

    def test_numbers_that_are_not_finite(self):
        self.check("return (F.hardshrink(x), F.threshold(x, 0.1, -7), torch.remainder(x, y), torch.fmod(x, y), "
                   "torch.logaddexp(x, y), torch.isclose(x, y), torch.xlogy(x * 0, y), torch.atan2(x, y + 0.1), torch.angle(x), "
                   "torch.xlogy(2.5, y), torch.xlogy(0, y), torch.xlogy(x, 2.5), torch.bucketize(x, b), torch.bucketize(x, b, right=True), torch.erfinv(b), torch.lgamma(abs(y)))",
                   x=f"torch.tensor({SPECIAL}).repeat(6)", y=f"torch.tensor({SPECIAL}).unsqueeze(1).repeat(1, 6).flatten()",
                   b="torch.tensor([-1.0, 0.0, 0.5, 1.0])")

    def test_orders_of_numbers_that_are_not_finite(self):
        self.check("s, i = x.sort(dim=1, stable=True)\nd, j = x.sort(dim=1, descending=True, stable=True)\nm, k = x.median(1)\n"
                   "c, n = x.cummax(1)\nreturn (s, i, d, j, m, k, c, n, x.topk(3, 1)[0], x.topk(3, 1, False)[0], "
                   "x.kthvalue(3, 1)[0], x.quantile(0.3, 1), F.max_pool1d(x, 3, 2, return_indices=True)[1])", x=f"torch.tensor("
                   f"[{SPECIAL}, [1.0, 2.0, math.nan, 0.5, math.nan, -1.0], [3.0, -math.inf, 1.0, 2.0, 0.0, 7.0]])")

    def test_running_maxima_that_begin_at_minus_infinity(self):
        problem = self.check("m = torch.full((3, 1), -math.inf)\nl = torch.zeros(3, 1)\nfor s in x.split(2, 1):\n"
                             "    n = torch.maximum(m, s.amax(1, keepdim=True))\n"
                             "    l = l * (m - n).exp() + (s - n).exp().sum(1, keepdim=True)\n    m = n\nreturn m + l.log()",
                             x="torch.randn(3, 6)")
        self.assertNotIn("log", [node["op"] for node in problem["graph"]][:-2])

    def test_names_of_inputs_are_not_those_of_values(self):
        self.check("a = t1 + 1\nb = a * 2\nc = b - t3\nreturn c * y, t1 - 1", t1="torch.randn(4)", t3="torch.randn(4)",
                   y="torch.randn(4)")

    def test_equal_operations_are_one_node(self):
        problem = self.check("return (x * 2).exp() + (x * 2).sin(), x * 2, x * 2", x="torch.randn(4)")
        self.assertEqual([node["op"] for node in problem["graph"]], ["mul", "exp", "sin", "add", "reshape"])

    def test_graphs_that_are_too_long_are_unknown(self):
        body = "for i in range(4100):\n    x = x * i\nreturn x"
        self.assertEqual(self.describe(body, x="torch.randn(4)").problem("f32")["torch"]["unknown"],
                         ["case.py: a graph of 4100 operations: at most 4096"])

    def test_linear_algebra(self):
        self.check("L = torch.linalg.cholesky(a)\nreturn (L, torch.linalg.solve_triangular(L, x, upper=False), "
                   "torch.linalg.solve_triangular(a.triu(), x, upper=True, unitriangular=True), "
                   "torch.linalg.solve_triangular(a, x.mT, upper=True, left=False), torch.linalg.solve(a, x), "
                   "torch.linalg.solve(a, x[..., 0]), torch.linalg.inv(a), a.inverse(), torch.linalg.det(a), a.logdet(), "
                   "torch.linalg.slogdet(a.flip(1))[0], torch.linalg.matrix_power(a / 9, 3), a.matrix_power(0), "
                   "torch.cholesky_solve(x, L), torch.block_diag(x[0], x[1], x[0, 0]), torch.linalg.vecdot(x, x))",
                   a="(lambda r: r @ r.mT + torch.eye(4))(torch.randn(2, 4, 4))", x="torch.randn(2, 4, 3)")

    def test_more_functions_of_elements(self):
        self.check("return (torch.fmax(x / 0, y), torch.fmin(x, y), torch.heaviside(x.round(), y), torch.nansum(x / x.round(), 1) * 0, "
                   "torch.isin(i, torch.tensor([1, 3])), torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 15), "
                   "torch.trapezoid(x, dx=0.5), torch.trapz(x, y[0].cumsum(0)), torch.cov(x), torch.corrcoef(x), x.deg2rad(), "
                   "torch.signbit(x), torch.ldexp(x, i), torch.logaddexp2(x, y), torch.special.ndtr(x), torch.dist(x, y), "
                   "torch.pdist(x))", x="torch.randn(3, 5)", y="torch.rand(3, 5) + 0.1", i="torch.randint(0, 5, (3, 5))")

    def test_more_rearranged_elements(self):
        self.check("y = torch.as_tensor([3., 1, 2]) + x.new_tensor([1, 2, 5])\ni, j = torch.tril_indices(5, 5, -1)\n"
                   "split = getattr(torch, 'unravel_index', lambda k, shape: (k // 5, k % 5))\nz = x.clone()\nz.diagonal(1).mul_(2).add_(y)\nz[:, :3].diagonal().fill_(7)\n"
                   "return (torch.cartesian_prod(x[0], y), torch.atleast_2d(y), torch.atleast_3d(x), torch.diagflat(y), "
                   "torch.slice_scatter(x, x[:, :2] * 2, 1, 1, 3, 1), x.select_scatter(y, 1, 2), x.diagonal_scatter(y), z, "
                   "x.take(i), torch.vander(y, 4), split(i * 5 + j, (5, 5)), x.hsplit(5)[1], "
                   "torch.scalar_tensor(2.0) * x, (x.mT @ x)[i, j])",
                   x="torch.randn(3, 5)")

    def test_rows_in_order(self):
        self.check("s, i = x.sort(1, True)\nreturn (s, i, x.sort(1)[0], x.argsort(1), x.median(1)[0], j.sort(1)[0], "
                   "j.argsort(1, descending=True), x.quantile(0.3, 1))", x=f"torch.tensor({SPECIAL}).repeat(2).reshape(1, 12)",
                   j="torch.randint(-9, 9, (3, 5))")

    def test_elements_are_combined_at_an_index(self):
        problem = self.check("return (z.index_add(0, i, x, alpha=2), z.T.index_add(1, i, x.T), "
                             "z.scatter_add(0, i[:, None].expand(-1, 4), x))", x="torch.randn(20, 4)", z="torch.randn(5, 4)",
                             i="torch.randint(0, 5, (20,))")
        self.assertEqual([node["op"] for node in problem["graph"]].count("index_reduce"), 3)
        problem = self.check("return (z.scatter_add(1, j, y), z.scatter_reduce(1, j, y, 'amin'), z.scatter(1, j, y), "
                             "z.index_reduce(1, i, y, 'mean'))", z="torch.randn(3, 6)", y="torch.randn(3, 20)",
                             i="torch.randint(0, 6, (20,))", j="torch.randint(0, 6, (3, 20))")
        self.assertEqual([node["op"] for node in problem["graph"]].count("scatter_reduce"), 3)

    def test_combined_elements_keep_their_type(self):
        self.check("return (h.scatter_reduce(0, i, h[:4], 'mean'), u.scatter_reduce(0, i, u[:4], 'prod'), "
                   "torch.bincount(i, i, 6), torch.histc(x, 5, -0.5, 0.5))", h="torch.randint(-2, 3, (6,)).half()",
                   u="torch.randint(0, 4, (6,), dtype=torch.uint8)", i="torch.tensor([0, 5, 5, 2])", x="torch.randn(20)")

    @mock.patch.object(ordering, "MOST_COMPARED", 0)
    def test_unpooling_to_the_windows_of_a_pool(self):
        self.check("v, i = F.max_pool2d(x, 3, 2, 1, return_indices=True)\nw, j = F.max_pool2d(x, (2, 1), 3, return_indices=True)\n"
                   "return F.max_unpool2d(v, i, 3, 2, 1, x.shape), F.max_unpool2d(w * 2, j, (2, 1), 3, 0, x.shape)",
                   x="torch.randn(2, 2, 8, 7)")

    def test_few_sorted_numbers_are_compared_one_by_one(self):
        problem = self.check("return torch.bucketize(x, b), torch.searchsorted(b, x, right=True)", x="torch.randn(3, 4)",
                             b="torch.tensor([-1.0, 0.0, 0.5])")
        self.assertNotIn("sum", [node["op"] for node in problem["graph"]])

    def test_running_extremes_of_long_rows(self):
        self.check("v, i = x.cummax(1)\nreturn v, i, x.cummin(1)[1], x.logcumsumexp(1), k.cummax(0)[1]", x="torch.randn(1, 301)",
                   k="torch.randint(-9, 9, (40, 2))")
