"""Test that graphs say complex numbers, Fourier transforms, special functions and numbers of few bits."""
import unittest

import torch

from torch_graphs import GraphCase


class Numbers(GraphCase):
    """Models of numbers that problems do not have, or of functions of them."""

    def test_complex_numbers(self):
        self.check("z = torch.complex(x, y)\nw = torch.polar(abs(x) + 1, y)\nq = z * w / (w.conj() + 2) - 1j * x\n"
                   "m = torch.view_as_complex(torch.stack([x, y], -1)).t() @ torch.cat([z, w], 1)\n"
                   "return q.abs(), q.angle(), q.real, m.imag, torch.view_as_real(q.exp()[:, None, 1:]).flatten(2)",
                   x="torch.randn(3, 4)", y="torch.randn(3, 4)")

    def test_complex_state(self):
        self.check("z = torch.view_as_complex(x.reshape(2, 3, 4, 2)) * self.turns[None, :3]\n"
                   "return torch.view_as_real(z).flatten(-2)",
                   "a = torch.outer(torch.arange(5).float(), torch.rand(4))\n"
                   "self.register_buffer('turns', torch.polar(torch.ones_like(a), a))", x="torch.randn(2, 3, 8)")

    def test_parts_of_complex_numbers_are_replaced(self):
        self.check("z = torch.zeros(2, 3, dtype=torch.cfloat)\nz[:, 1:] = torch.complex(x, x * 2)\nreturn z.real, z.imag",
                   x="torch.randn(2, 2)")

    def test_state_that_has_contents(self):
        self.check("return x * self.w + self.b + torch.arange(end=3) + self.twin",
                   "self.w = nn.Parameter(torch.Tensor(2, 3))\nself.twin = self.w\nnn.init.xavier_uniform_(self.w)\n"
                   "self.register_buffer('b', torch.Tensor([1.0, 2.0, 3.0]))", x="torch.Tensor(2, 3).fill_(2)")

    def test_fourier_transforms(self):
        self.check("z = torch.fft.rfft2(x, norm='ortho')\nreturn (torch.fft.fft(x, dim=1).imag, "
                   "torch.fft.irfft2(z * self.w, s=(5, 6), norm='ortho'), torch.fft.ifft(z, n=7, dim=-2).abs(), "
                   "torch.fft.fftshift(x, -1))", "self.w = nn.Parameter(torch.randn(5, 4))", x="torch.randn(2, 5, 6)")
        self.check("return torch.stft(x, 8, 3, window=self.window, return_complex=True).abs()",
                   "self.window = torch.hann_window(8)", x="torch.randn(2, 20)")

    def test_numbers_that_are_repeated(self):
        self.check("n = (torch.tensor(3.0) * torch.ones(())).to(x)\nm = n.expand(4)\n"
                   "return torch.cat([m, n.log()[None] + n]), m.sum() + x, m.mean() * x, torch.cat([x, n.view(1, 1)], 1)",
                   x="torch.randn(1, 3)")

    def test_special_functions(self):
        self.check("return (torch.atan2(y, x), torch.atan(x), torch.asin(y), torch.acos(y), torch.sinc(x), "
                   "torch.erfinv(y), torch.copysign(x, y), torch.special.expit(x))",
                   x="torch.randn(40) * 3", y="torch.rand(40) * 1.9 - 0.95")
        self.check("return torch.lgamma(x), torch.digamma(x), torch.i0(x), torch.special.i0e(x * 9)",
                   x="(torch.rand(40) * 4 + 0.1).double()")

    def test_more_special_functions(self):
        self.check("s = torch.special\nreturn (s.i1(x), s.i1e(x * 5), s.erfcx(x), s.log_ndtr(x * 4), s.ndtri(p), torch.polygamma(2, p), "
                   "s.bessel_j0(x * 9), s.bessel_j1(x * 3), torch.mvlgamma(p + 2, 3), s.gammainc(p * 5, x.abs()), "
                   "s.legendre_polynomial_p(p, 4), s.zeta(p + 1.5, p), s.logit(p, eps=0.2))",
                   x="torch.randn(40).double()", p="(torch.rand(40) * 0.9 + 0.05).double()")

    def test_integers(self):
        self.check("return (i @ j, torch.gcd(i, i.flip(0)), torch.lcm(i, i.flip(0)), torch.fmod(i, 3), i.topk(2)[0], "
                   "torch.div(i, -3, rounding_mode='trunc'), i.cummax(1)[0], i.isfinite(), i.float().float_power(2), "
                   "torch.zeros(2, 4, dtype=torch.long).scatter_reduce(1, i % 4, i, 'amin', include_self=False))",
                   i="torch.tensor([[5, -4, 9], [0, 12, 6]])", j="torch.arange(12).reshape(3, 4)")

    def test_numbers_of_few_bits(self):
        self.check("w = (self.q.float() - self.zero) * self.scale\nreturn F.linear(x, w), (self.q >> 1).int(), c.long() + 1",
                   "self.register_buffer('q', torch.randint(-128, 128, (3, 5)).to(torch.int8))\n"
                   "self.register_buffer('zero', torch.tensor(3, dtype=torch.uint8))\nself.scale = 0.1",
                   x="torch.randn(2, 5)", c="torch.randint(0, 256, (4,), dtype=torch.uint8)")

    def test_outputs_of_few_bits(self):
        problem = self.check("s = x.abs().amax() / 127\nreturn (x / s).round().to(torch.int8), s, (c + 250), (x * 300).to(torch.int16)",
                             x="torch.randn(2, 5)", c="torch.randint(0, 256, (4,), dtype=torch.uint8)")
        self.assertEqual(problem["torch"]["outputs"], ["tuple", [["int8", 0], 1, ["uint8", 2], ["int16", 3]]])
        self.assertEqual(self.check("return x.to(torch.int8)", x="torch.randn(2, 5)")["torch"]["outputs"], ["int8", 0])

    @unittest.skipUnless(hasattr(torch, "float8_e4m3fn"), "this PyTorch has no floats of 8 bits")
    def test_floats_of_8_bits(self):
        for name in ("float8_e4m3fn", "float8_e5m2"):
            self.check(f"q = (x * self.wide).to(torch.{name})\n"
                       "return q.float(), q.to(torch.bfloat16).float() @ self.w.float().t() * self.scale",
                       f"w = torch.randn(4, 60)\nself.register_buffer('w', (w * 20).to(torch.{name}))\n"
                       "self.scale = 0.05\nself.register_buffer('wide', 2.0 ** torch.arange(-20, 40).div(6))",
                       x="torch.randn(33, 60).clamp(-4, 4)")
            self.check(f"return x.to(torch.{name}).float()",
                       x=f"torch.arange(256).to(torch.uint8).view(torch.{name}).float().nan_to_num(0, 0, 0) * 1.0625")

    @unittest.skipUnless(hasattr(torch, "float8_e4m3fn"), "this PyTorch has no floats of 8 bits")
    def test_products_of_floats_of_8_bits(self):
        call = "return torch._scaled_mm(x.to(torch.float8_e4m3fn), self.w.t(), self.a, self.b, {}out_dtype=torch.float32)"
        init = "self.register_buffer('w', torch.randn(16, 32).to(torch.float8_e4m3fn))\nself.a = self.b = torch.tensor(0.5)"
        self.check(call.format(""), init, x="torch.randn(16, 32)")
        problem = self.describe(call.format("scale_result=self.a, "), init, x="torch.randn(16, 32)").problem("f32")
        self.assertIn("_scaled_mm with scale_result", problem["torch"]["unknown"][0])

    def test_pooling_that_returns_places(self):
        self.check("v, i = F.max_pool2d(x, (3, 2), 2, (1, 0), return_indices=True)\n"
                   "w, j = self.pool(x)\nreturn v, i, F.max_unpool2d(w, j, 2, output_size=x.shape)",
                   "self.pool = nn.MaxPool2d(2, return_indices=True)", x="torch.randn(2, 3, 6, 7)")

    def test_resizing_by_cubics_and_smoothing(self):
        self.check("return (F.interpolate(x, scale_factor=1.6, mode='bicubic'), "
                   "F.interpolate(x, (3, 9), mode='bicubic', align_corners=True), "
                   "F.interpolate(x, (3, 4), mode='bilinear', antialias=True), "
                   "F.interpolate(x, (9, 3), mode='bicubic', antialias=True), F.lp_pool1d(abs(x[0]), 3, 2))",
                   x="torch.randn(2, 3, 7, 8)")

    def test_masks_and_fills(self):
        self.check("m = torch.ones(3, dtype=torch.bool).scatter_(0, i, False)\nv, j = x.masked_fill(m, -math.inf).topk(1)\n"
                   "return v, j, x.new_full((2, 3), 4.0) + x, F.cross_entropy(x.view(-1, 3), t.view(-1))",
                   x="torch.randn(2, 3)", i="torch.tensor([1])", t="torch.randint(0, 3, (2,))")
