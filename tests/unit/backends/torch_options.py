"""Test that graphs say what functions compute with options that models seldom give. Part of torch_modules.py."""
import unittest

import torch

from description import Description
from model_file import ModelFile
from torch_graphs import GraphCase


class Options(GraphCase):
    """Calls with options, each of its own kind."""

    def test_norms(self):
        self.check("n = torch.linalg.norm\nreturn (n(x, ord=math.inf, dim=1), n(x, -math.inf, 2), n(x, 0, dim=1), n(x, keepdim=True), "
                   "n(x[0], 1), n(x[0], ord=-1, keepdim=True), n(x, math.inf, dim=(0, 2)), torch.norm(x[0], 1), "
                   "torch.linalg.matrix_norm(x, -math.inf), torch.linalg.vector_norm(x, 3.5, dim=(0, 2)), torch.renorm(x, 2, 1, 1.5), "
                   "torch.linalg.cross(x, x.flip(0)), torch.linalg.diagonal(x), F.cosine_similarity(x, x[:, :1], dim=-2), "
                   "F.embedding(i, x[0].clone(), max_norm=1.0))", x="torch.randn(3, 4, 3)", i="torch.tensor([3, 0, 1])")

    def test_order(self):
        self.check("x = torch.where(m, torch.nan, x)\nreturn (x.nanmedian(), *x.nanmedian(1), x.nanmean(0), torch.nanquantile(x, 0.3, dim=1), "
                   "torch.nanquantile(x, self.q, 1, True), torch.quantile(x, self.q, dim=0, interpolation='nearest'), "
                   "*torch.mode(i, 1), torch.searchsorted(self.q, x, side='right'))",
                   "self.register_buffer('q', torch.tensor([0.1, 0.5, 0.9]))", x="torch.randn(4, 7)", m="torch.rand(4, 7) > 0.8",
                   i="torch.randint(0, 3, (4, 7))")

    def test_chosen_elements_beside_infinite_ones(self):
        self.check("a, i = x.topk(3)\nb, j = (-x).topk(3, largest=False)\nreturn a, b, i.sort(1)[0][:, 0], (j.sort(1)[0].diff() > 0)",
                   x="torch.tensor([[1.0, -math.inf, -math.inf, -math.inf], [-math.inf, math.nan, 2, -3e38]])")

    def test_statistics_and_slopes(self):
        self.check("return (torch.std(x, False), x.var(True), *torch.var_mean(x), torch.cov(x[:1]), torch.cov(x, aweights=self.w), "
                   "torch.cumulative_trapezoid(x, self.w), *torch.gradient(x, spacing=0.5), torch.gradient(x, spacing=(self.w,), dim=1)[0], "
                   "torch.histc(x, 5), torch.kron(x, self.w), x.diff(dim=1), (x > 0).diff())",
                   "self.w = torch.tensor([0.1, 0.4, 1.0, 1.1, 2.0])", x="torch.randn(4, 5)")

    def test_samples_of_grids(self):
        for size in ("5, 6", "4, 5, 6"):
            modes = ("bilinear", "nearest", "bicubic")[:3 if size == "5, 6" else 2]
            for mode in modes:
                self.check("return [F.grid_sample(x, g * 1.6, mode, pad, align) for mode, pad, align in (" + ", ".join(
                    f"('{mode}', '{pad}', {align})" for pad in ("zeros", "border", "reflection") for align in (True, False)) + ",)]",
                    x=f"torch.randn(2, 3, {size})", g="torch.rand(2, 3, 2, 2) * 2 - 1" if size == "5, 6" else
                    "torch.rand(2, 2, 3, 2, 3) * 2 - 1")

    def test_pooling(self):
        self.check("return (*F.adaptive_max_pool2d(x, (3, 2), True), F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, divisor_override=4), "
                   "*F.adaptive_max_pool1d(x[0], 4, True), F.avg_pool2d(x, 3, (2,), (1,), True, False, 4), x * torch.logspace(0, 1, 8))", x="torch.randn(2, 3, 7, 8)")

    def test_attention(self):
        self.check("return (*self.one(x, y, y, key_padding_mask=m, attn_mask=m[0, None].expand(3, 4)), *self.two(x[:, 0], y[:, 0], y[:, 0]))",
                   "self.one = nn.MultiheadAttention(4, 2, kdim=6, vdim=6, add_bias_kv=True, add_zero_attn=True)\n"
                   "self.two = nn.MultiheadAttention(4, 1, kdim=6, vdim=6)",
                   x="torch.randn(3, 2, 4)", y="torch.randn(4, 2, 6)", m="torch.arange(4).repeat(2, 1) > 2")

    def test_losses(self):
        self.check("return (F.multi_margin_loss(x, y, p=2, margin=0.7, weight=self.w), F.multi_margin_loss(x, y, reduction='none'), "
                   "F.multilabel_margin_loss(x, t), F.smooth_l1_loss(x, x * 2, beta=0.0))", "self.w = torch.rand(5)",
                   x="torch.randn(3, 5)", y="torch.tensor([0, 4, 2])", t="torch.tensor([[3, 0, -1, 1, 2], [-1] * 5, [0, 1, 2, 3, 4]])")

    def test_scattering(self):
        self.check("y = x.clone()\ny.masked_fill_(m, self.low)\nreturn (x.masked_fill(m, torch.tensor(-1e9)), y, x.masked_scatter(m, -x), "
                   "x.scatter(0, i, x * 2), x.scatter_reduce(1, i, x, 'amax'), x.put(i, x[:2, :2]), x.index_put((m,), self.low), "
                   "torch.repeat_interleave(x, self.n, 0, output_size=6), torch.diag_embed(x, 1), torch.diag(x[0], -2))",
                   "self.register_buffer('low', torch.tensor(-5.0))\nself.register_buffer('n', torch.tensor([2, 0, 4]))",
                   x="torch.randn(3, 4)", m="torch.rand(3, 4) > 0.6", i="torch.tensor([[0, 1], [2, 0]])")

    def test_matrices(self):
        self.check("return (torch.matrix_exp(x), *torch.linalg.qr(x), *torch.linalg.qr(x[:, :3], mode='complete'), "
                   "torch.linalg.inv_ex(x)[0], torch.cholesky_inverse(torch.linalg.cholesky(x @ x.mT)))",
                   x="torch.eye(4) * 3 + torch.randn(2, 4, 4) * 0.3")

    def test_statistics_that_batch_norms_keep(self):
        self.check("return self.norm(x)", "self.norm = nn.BatchNorm1d(4, momentum=None)", x="torch.randn(3, 4)")

    @unittest.skipUnless(hasattr(torch.Tensor, "untyped_storage"), "gradients need PyTorch 2.0")
    def test_gradients(self):
        self.check("with torch.enable_grad():\n    p = x.detach().requires_grad_(True)\n    r = p[:, None] - p[None]\n"
                   "    d = (r.square().sum(-1) + torch.eye(3)).sqrt()\n"
                   "    e = (torch.cos(d) / d * (d < 3)).sum() + F.gelu(p).max(1)[0].sum() + p.softmax(-1).log().mean()\n"
                   "    f, = torch.autograd.grad(e, p)\nreturn e.detach(), -f", x="torch.randn(3, 4)")
        self.check("with torch.enable_grad():\n    p = x.detach().requires_grad_(True)\n"
                   "    f = torch.autograd.grad(F.silu(self.net(p)).pow(2).sum(), [p], create_graph=True)[0]\n"
                   "    g = torch.autograd.grad((f * f).sum(), p)[0]\nreturn f.detach(), g",
                   "self.net = nn.Sequential(nn.Linear(4, 5), nn.LayerNorm(5), nn.Softplus(), nn.Linear(5, 2))", x="torch.randn(3, 4)")
        body = "with torch.enable_grad():\n    p = x.detach().requires_grad_(True)\n    return torch.autograd.grad(self.net(p).sum(), p)[0]"
        unknown = self.describe(body, "self.net = nn.Conv1d(3, 2, 2)", x="torch.randn(3, 4)").problem("f32")["torch"]["unknown"]
        self.assertEqual(unknown, ["case.py:15: the gradient by convolution_backward"])

    @unittest.skipUnless(hasattr(torch, "compiler"), "needs PyTorch 2.1")
    def test_functions_of_functions(self):
        self.check("f = lambda v: torch.tanh(v @ self.w).sum()\ng, e = torch.func.grad_and_value(f)(x)\n"
                   "return (g, e.detach(), torch.func.grad(lambda a, b: (a * b).sin().sum(), argnums=1)(x, x), "
                   "*torch.vmap(lambda a, b: (a * b, a.sum()), in_dims=(0, None), out_dims=(1, 0))(x, self.w), "
                   "self.twice(x))",
                   "self.w = nn.Parameter(torch.randn(4))\nself.twice = torch.compile(lambda t: t * 2, backend='eager')",
                   x="torch.randn(3, 4)")

    def test_contents_of_tensors_are_asked_for(self):
        unknown = self.describe("return x.narrow(0, i, 2)", x="torch.randn(4)", i="torch.tensor(1)").problem("f32")["torch"]["unknown"]
        self.assertRegex(unknown[0], r"case\.py:13: .*(the contents of a tensor decide|_local_scalar_dense)")

    @unittest.skipUnless(hasattr(torch, "compiler"), "needs PyTorch 2.1")
    def test_vmap_of_stacked_parameters(self):
        names = "{'weight': self.w, 'bias': self.b}"
        self.check(f"from torch.func import functional_call, vmap\ncall = lambda p, x: functional_call(self.one[0], p, (x,))\n"
                   f"return vmap(call, in_dims=(0, None))({names}, x), vmap(call, (dict(weight=0, bias=None), 0))("
                   f"{{'weight': self.w, 'bias': self.b[0]}}, x), torch.vmap(lambda p: p)({names})['bias']",
                   "self.w, self.b = nn.Parameter(torch.randn(3, 2, 4)), nn.Parameter(torch.randn(3, 2))\n"
                   "self.one = [nn.Linear(4, 2, device='meta')]", x="torch.randn(3, 4)")

    def test_masks_with_true_around(self):
        self.check("return F.pad(x > 0, (1, 0), value=True), F.pad(x, (1, 2), value=None)", x="torch.randn(3, 4)")

    def test_products_by_torch_mm(self):
        problem = self.check("return torch.mm(x, x.t())", x="torch.randn(3, 4)")
        self.assertEqual(problem["graph"][-1]["op"], "matmul")

    def test_a_function_that_makes_the_model(self):
        text = "import torch\ndef Model(n): return torch.nn.Linear(n, 2)\ndef get_init_inputs(): return [3]\n" \
               "def get_inputs(): return [torch.rand(4, 3)]"
        self.assertEqual(Description(ModelFile(text, "m.py")).problem("f32")["graph"][0]["in"][0], "input")
        text = text.replace("torch.nn.Linear(n, 2)", "torch.nn.Sequential(torch.nn.Linear(n, 2))")
        problem = Description(ModelFile(text, "m.py")).problem("f32")
        self.assertEqual(sorted(problem["tensors"]), ["input", "p0_bias", "p0_weight", "y"])
