"""
Test that the graph of a model computes what the model computes: each case is a model of a few lines, which is traced
without contents. The functions of an export to PyTorch then compute its graph on random data. Part of torch_modules.py.
"""
import os
import unittest

import torch

from description import SEED, Description
from graph import NARROW
from meta_mode import outputs_of
from model_file import ModelFile, as_stored, state_of

HERE = os.path.dirname(os.path.abspath(__file__))
EXPORT = os.path.join(HERE, "../../../prompts/export/torch")

TEXT = """
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, {names}):
        {body}

def get_inputs():
    return [{inputs}]

def get_init_inputs():
    return []
"""


def export_functions():
    """The functions as they stand in an exported file."""
    space = {"DIMS": {}, "torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    for name in ("data.py", "functions.py"):
        with open(os.path.join(EXPORT, name), encoding="utf-8") as file:
            exec(file.read(), space)
    return space


class GraphCase(unittest.TestCase):
    """Traces models of a few lines, and computes their graphs."""

    export = export_functions()

    @staticmethod
    def describe(body, init="pass", **inputs):
        text = TEXT.format(init="\n        ".join(init.split("\n")), body="\n        ".join(body.split("\n")),
                           names=", ".join(inputs), inputs=", ".join(inputs.values()))
        return Description(ModelFile(text, "case.py"))

    def check(self, body, init="pass", **inputs):
        described = self.describe(body, init, **inputs)
        problem = described.problem("f32")
        self.assertEqual(problem["torch"]["unknown"], [])
        with torch.no_grad():
            model, given = described.model_file.model(SEED), described.model_file.inputs(SEED)
            made = {**dict(enumerate(given)), **{key: kept.clone() for key, kept in state_of(model).items()}}
            values = {name: as_stored(made[key]) for name, key in described.keys.items()}
            values = {name: value.int() if value.dtype in NARROW else value for name, value in values.items()}
            values.update({name: torch.full(list(tensor.shape), number, dtype=tensor.dtype)
                           for name, (tensor, number) in described.tracer.constants().items()})
            for node in problem["graph"]:
                self.export["compute"](node, values)
            wanted = model(*[one.clone() for one in given])
        outputs = [name for name, tensor in problem["tensors"].items() if tensor["role"] == "output"]
        for name, want in zip(outputs, outputs_of(wanted), strict=True):
            want = want.int() if want.dtype in NARROW else as_stored(want)
            self.assertEqual((values[name].shape, values[name].dtype), (want.shape, want.dtype))
            self.assertTrue(torch.allclose(values[name].double(), want.double(), rtol=1e-4, atol=1e-5, equal_nan=True))
        return problem


class Graphs(GraphCase):
    """Models that are traced to whole graphs."""

    def test_data_keep_their_distribution(self):
        shown = self.describe("return (x - u) * z + s", x="torch.rand(4, 4) * torch.rand(())", u="torch.rand(4, 4)",
                              z="torch.randint(0, 2, (4,)).float() * 2 - 1", s="torch.randint(0, 2, (4,)).float() * 3")
        fills = {name: tensor.get("fill") for name, tensor in shown.problem("f32")["tensors"].items()}
        self.assertEqual([fills[name] for name in "xuzs"],
                         [{"uniform": [0, 0.5]}, {"uniform": [0, 1]}, {"signs": 0.5}, {"model": []}])

    def test_comparisons_and_masks(self):
        self.check("return (x > 0.5) & ~(x >= 1) | (x == i) ^ (y != x), x.masked_fill(i == 1, 2), 1 < i, i <= 0.5",
                   x="torch.randint(-1, 3, (4, 5)).float()", y="torch.randn(5)", i="torch.randint(0, 3, (4, 1))")
        self.check("seen = self.seen[:, :4, :4] == 0\nreturn x.masked_fill(seen, -math.inf).softmax(-1), "
                   "torch.relu(x.masked_fill(seen, -math.inf)), x.masked_fill(seen, -torch.inf).exp()",
                   "self.register_buffer('seen', torch.ones(6, 6).tril().view(1, 6, 6))", x="torch.randn(2, 4, 4)")
        self.check("return i.tril(1), torch.triu(i, -1), (i > 1).tril(), torch.eye(3, 4) + x",
                   i="torch.randint(0, 9, (2, 3, 4))", x="torch.randn(3, 4)")

    def test_assignments(self):
        self.check("y = torch.zeros(3, 4, 5)\ny[1] = x\ny[:, 1:3, 2] = x[0, 1:3]\ny[2, -1] = 7\ny[..., 4:] = x[:, :1]\n"
                   "z = x.clone()\nz[z < 0] = 0.5\nz[0, 0] = 3\nreturn y, z", x="torch.randn(4, 5)")
        self.check("self.state.copy_(x)\nh = torch.tanh(self.state)\nx.copy_(h[0])\nreturn h * x",
                   "self.state = torch.randn(3, 4)", x="torch.randn(3, 4)")

    def test_assignments_with_a_step(self):
        self.check("y = torch.zeros_like(x)\ny[:, ::2] = x[:, 1::2]\ny[:, 1::2] = -x[:, ::2]\ny[1::3, 2:7:4] = 9\n"
                   "return y", x="torch.randn(5, 8)")

    def test_changes_of_views(self):
        self.check("y = x.clone()\na, b = y.chunk(2, dim=1)\na += 1\ny[:, ::2] *= 3\nb.t()[0].clamp_(min=0)\n"
                   "c = y.view(2, 2, 6)\nc[1].zero_()\nc.transpose(0, 1).select(1, 0).narrow(1, 1, 2).fill_(4)\n"
                   "y.unbind(1)[-1].copy_(x[:, 0].floor())\ny[0].detach().round_()\nreturn y, a, b * 2, c",
                   x="torch.randn(4, 6)")

    def test_rounding_and_remainders(self):
        self.check("return (x.floor(), x.ceil(), x.round(), x.trunc(), x.frac(), x % 1.5, x // y, torch.fmod(x, y), "
                   "torch.div(x, y, rounding_mode='floor'), torch.div(x, 2, rounding_mode='trunc'), i % 3, i // 4, "
                   "i % -5, i % j, i // j, torch.round(x, decimals=1), i.clamp(-3, 4), i.clamp(max=2))",
                   x="torch.cat([torch.randn(20) * 3, torch.tensor([0.5, 1.5, 2.5, -0.5, -1.5, 3.0, -2.0, 7.0])])",
                   y="torch.rand(28) + 0.5", i="torch.arange(-14, 14)", j="torch.tensor([3, -3] * 14)")
        self.check("return x.floor(), x.ceil(), x.round(), x.trunc()", x="torch.tensor([1e9, -4e30, 8388607.5])")

    def test_functions_of_elements(self):
        self.check("return (F.celu(x, 0.7), F.softshrink(x, 0.3), F.hardshrink(x), F.threshold(x, 0.1, -7), "
                   "torch.lerp(x, y, 0.25), torch.addcmul(x, y, y, value=0.5), torch.addcdiv(x, y, p), "
                   "torch.logaddexp(x, y), torch.nan_to_num(x / 0, 1, 5), x.isnan(), torch.hypot(x, y), "
                   "x.exp2(), x.expm1(), p.log2(), p.log10(), x.tan(), x.sinh(), x.cosh(), x.asinh(), "
                   "torch.special.erfc(x), F.rrelu(x), torch.fmod(x, 1))",
                   x="torch.randn(3, 5)", y="torch.randn(3, 5)", p="torch.rand(3, 5) + 0.1")

    def test_squares_that_float32_does_not_hold(self):
        self.check("return torch.hypot(x, y), x.asinh(), abs(x).acosh()", x="torch.tensor([3e30, -2e25, 5e-30, 0, 7.])",
                   y="torch.tensor([-4e30, 1e-9, 12e-30, 0, -math.inf])")

    def test_rearranged_elements(self):
        self.check("return (F.pixel_shuffle(x, 2), F.pixel_unshuffle(x, 3), nn.ChannelShuffle(4)(x), x.mT, "
                   "torch.flip(x, dims=[1, -1]), x.flip(0), x.roll(5), x.rot90(1, (2, 3)), x.diff(dim=1), "
                   "x.diagonal(1, 2, 3), x[0, 0].diag(), x[0, 0, 0].diag_embed(), torch.vstack([x[0, 0], x[0, 1]]), "
                   "torch.column_stack([x[0, 0, 0], x[0, 0, 1]]), torch.meshgrid(x[0, 0, 0], x[0, 0, :, 0])[1])",
                   x="torch.randn(2, 8, 6, 9)")
        self.check("return (F.pad(x[0], (2, 1), 'reflect'), F.pad(x, (2, 1, 0, 3), 'replicate'), "
                   "F.pad(x, (1, -2, 3, 1), 'circular'), F.fold(self.blocks(x), (4, 5), (2, 3), stride=2, padding=1))",
                   "self.blocks = lambda x: x.flatten(1)[:, :54].reshape(2, 6, 9)", x="torch.randn(2, 3, 4, 5)")

    def test_products_and_reductions(self):
        self.check("return (torch.baddbmm(x, x, x, beta=0.5), torch.addbmm(x[0], x, x, alpha=2), "
                   "torch.addmv(x[0, 0], x[1], x[0, 1]), torch.tensordot(x, x, ([1], [2])), torch.inner(x[0], x[1]), "
                   "torch.kron(x[0], x[1]), F.bilinear(x[0], x[1], x, x[0, 0]), torch.cdist(x, x + 1, p=1), "
                   "x.norm(p=3, dim=1), x.norm(math.inf), (x > 1).any(), (x > -2).all(1), x.aminmax(dim=0)[1], "
                   "torch.std_mean(x, 1)[0], x.count_nonzero(1), x.sum(1, dtype=torch.float64))",
                   x="torch.randn(4, 4, 4)")

    def test_more_losses(self):
        self.check("return (F.cross_entropy(x, y, self.w, ignore_index=2), F.cross_entropy(x, y, ignore_index=1), "
                   "F.cross_entropy(x, y, self.w, label_smoothing=0.2), F.cross_entropy(x, p, label_smoothing=0.1), "
                   "F.nll_loss(x, y, ignore_index=0, reduction='sum'), F.margin_ranking_loss(x, p, s, 0.2), "
                   "F.binary_cross_entropy_with_logits(x, p, pos_weight=self.w), F.soft_margin_loss(x, s), "
                   "F.hinge_embedding_loss(x, s), F.cosine_embedding_loss(x, p, s[:, 0], 0.1), "
                   "F.poisson_nll_loss(x, p), F.gaussian_nll_loss(x, p, p + 1), F.multilabel_soft_margin_loss(x, p))",
                   "self.w = torch.tensor([0.5, 1.0, 2.0])", x="torch.randn(6, 3)", p="torch.rand(6, 3)",
                   y="torch.tensor([0, 2, 1, 1, 0, 2])", s="torch.randn(6, 3).sign()")

    def test_masks_of_attention(self):
        self.check("late = torch.full((5, 5), float('-inf')).triu(1)\n"
                   "y, w = self.layer(x, x, x, attn_mask=late, key_padding_mask=p, average_attn_weights=False)\n"
                   "return y, w, (x @ x.mT + late).softmax(-1), torch.where(p[:, None], -math.inf, x @ x.mT).softmax(-1)",
                   "self.layer = nn.MultiheadAttention(4, 2, batch_first=True)", x="torch.randn(2, 5, 4)",
                   p="torch.tensor([[False] * 5, [False, False, False, True, True]])")

    def test_windows_without_a_batch_and_of_even_sizes(self):
        self.check("return (F.conv1d(x, self.w, padding='same'), F.avg_pool1d(x, 3, 2, 1), F.max_pool1d(x, 2), "
                   "F.adaptive_avg_pool1d(x, 3), F.conv1d(x[None], self.w, padding='same', dilation=3), "
                   "F.avg_pool2d(x[None], 2, divisor_override=3))",
                   "self.w = nn.Parameter(torch.randn(2, 3, 4))", x="torch.randn(3, 7)")

    def test_resizing(self):
        self.check("up = lambda **how: F.interpolate(x, **how)\n"
                   "return (up(scale_factor=2), up(size=(5, 11)), up(scale_factor=2, mode='bilinear'), "
                   "up(size=(9, 3), mode='bilinear', align_corners=True), up(size=7), x.repeat_interleave(3, 1), "
                   "torch.repeat_interleave(x, 2))", x="torch.randn(2, 3, 4, 7)")
        self.check("return F.interpolate(x, 8, mode='nearest-exact'), F.interpolate(x, 4, mode='area')", x="torch.randn(2, 3, 6)")
        self.check("return F.interpolate(x, scale_factor=1.5, mode='linear')", x="torch.randn(2, 3, 6)")

    def test_no_rounding_chooses_elements_of_linear_resizing(self):
        for how in ("(9, 4), mode='bilinear'", "(13, 5), mode='bilinear', align_corners=True", "(9, 1), mode='bicubic'", "scale_factor=2, mode='bicubic'",
                    "(1, 7), mode='bicubic', align_corners=True"):
            with self.subTest(how):
                problem = self.check(f"return F.interpolate(x, {how})", x="torch.randn(2, 3, 6, 7)")
                makers, found = {node["out"]: node for node in problem["graph"]}, []
                names = [node["in"][1] for node in problem["graph"] if node["op"] == "index_select"]
                while names:
                    node = makers.get(names.pop(), {"op": "", "in": []})
                    found.append((node["op"], node.get("dtype")))
                    names += [one for one in node["in"] if isinstance(one, str)]
                self.assertFalse({("div", None), ("cast", "f32"), ("floor", None)} & set(found))

    def test_chosen_elements(self):
        self.check("v, i = torch.topk(x, 3)\nw, j = x.topk(2, dim=0, largest=False)\n"
                   "return (v, i, w, j, torch.zeros_like(x).scatter(1, i, v), x.scatter_add(1, i, v), "
                   "x.scatter(0, j, 5.0), F.one_hot(i, 7) * 2)", x="torch.randperm(35).float().reshape(5, 7)")

    def test_numbers_alone(self):
        problem = self.check("most = torch.log(torch.tensor(1. / 0.01))\nreturn torch.clamp(x, max=most).exp() * "
                             "torch.sqrt(torch.tensor(2.0))", x="torch.randn(4) * 9")
        self.assertEqual([node["op"] for node in problem["graph"]], ["minimum", "exp", "mul"])

    def test_masks_upon_masks(self):
        self.check("late = torch.ones(4, 4, dtype=torch.bool).triu(1)\ns = x.masked_fill(late, -math.inf) + 1\n"
                   "return s.masked_fill((p == 0)[:, None], -1e9).reshape(3, 2, 2, 4).softmax(-1)",
                   x="torch.randn(3, 4, 4)", p="torch.tensor([[0, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 1]])")

    def test_gates_windows_and_smoothed_losses(self):
        self.check("return (F.glu(x, 1), F.lp_pool2d(x, 2, 3, 2), F.lp_pool2d(x, 1, (2, 3)), "
                   "F.cross_entropy(x[:, :, 0, 0], y, label_smoothing=0.1), F.cross_entropy(x[:, :, 0, 0], y, "
                   "label_smoothing=0.2, reduction='sum'))",
                   x="torch.rand(2, 4, 7, 6)", y="torch.tensor([1, 3])")

    def test_index_tensors(self):
        self.check("return self.table[i], self.table[i - 5, 2:], self.table[i, i - 1], x[:, j]",
                   "self.table = nn.Parameter(torch.randn(5, 4))", i="torch.randint(0, 4, (2, 3))",
                   j="torch.randint(0, 3, (4,))", x="torch.randn(2, 3, 5)")

    def test_numbers_that_forward_lists(self):
        self.check("return (x[:, [0, 2, 2]], x[[1], 1:], x[:, torch.tensor([-1, 0])], torch.tensor([[1., 2., 2.]]) * x, "
                   "torch.linspace(-1, 1, 3) + x, torch.where(x > 0, 1.0, 0.0), torch.broadcast_tensors(x, x[0])[1], "
                   "torch.bucketize(x, torch.tensor([-0.5, 0.0, 0.5])), torch.linalg.matrix_norm(x))",
                   x="torch.randn(2, 3)")

    def test_tensors_without_elements(self):
        self.check("return torch.cat([x[:, 3:], x, x[:0].reshape(2, 0)], 1), x.split([3, 0], 1)[0] * 2",
                   x="torch.randn(2, 3)")
        unknown = self.describe("return x[:, 3:].sum()", x="torch.randn(2, 3)").problem("f32")["torch"]["unknown"]
        self.assertEqual(unknown, ["case.py:13: sum of a tensor without elements"])

    def test_many_parts(self):
        for count in (9, 20):
            problem = self.check(f"return torch.cat([x * i for i in range({count})], 1), "
                                 f"torch.stack([x] * {count})", x="torch.randn(2, 3)")
            self.assertLessEqual(max(len(node["in"]) for node in problem["graph"]), 8)

    def test_windows(self):
        self.check("return x.unfold(1, 2, 2), x.unfold(-1, 3, 2), x.unfold(2, 5, 1).unfold(1, 2, 1)",
                   x="torch.randn(2, 5, 9)")
        self.check("return F.unfold(x, (3, 2), dilation=(1, 2), padding=(1, 0), stride=2), F.unfold(x, 2)",
                   x="torch.randn(2, 3, 6, 7)")

    def test_windows_of_many_elements_are_few_operations(self):
        for made, shape in (("x.unfold(-1, 60, 20), x.unfold(-1, 60, 45)", "2, 3, 400"), ("x.unfold(1, 41, 3)", "2, 200, 3"),
                            ("F.unfold(x, (8, 6), stride=(8, 6)), F.unfold(x, 3, stride=3)", "2, 3, 16, 12"),
                            ("F.unfold(x, (7, 9), dilation=(1, 2), padding=(2, 1), stride=(2, 1))", "2, 3, 16, 24"),
                            ("torch.stft(x, 50, 20, window=torch.ones(50), return_complex=True).abs()", "2, 2000")):
            with self.subTest(made):
                problem = self.check("return " + made, x=f"torch.randn({shape})")
                self.assertLess(sum(node["op"] == "slice" for node in problem["graph"]), 20)

    def test_overlapping_blocks_are_added_without_products(self):
        for made in ("F.fold(x, (1, 132), (1, 24), stride=(1, 12))", "F.fold(x, (12, 5), (6, 4), (2, 1), (3, 1), (4, 2))",
                     "F.fold(x[:, :, :1], (3, 8), (3, 8))"):
            with self.subTest(made):
                problem = self.check("return " + made, x="torch.randn(2, 24, 10)" if "132" in made else "torch.randn(2, 48, 4)")
                self.assertFalse([node for node in problem["graph"] if "conv" in node["op"]])

    def test_einsum(self):
        for equation in ("bclhn,bcshn,bhcls,bcshp->bclhp", "bclhn,bhcl,bclhp->bchpn"):
            names = "c, b, l, x" if equation.count(",") == 3 else "b, d, x"
            self.check(f"return torch.einsum('{equation}', {names})",
                       x="torch.randn(2, 2, 3, 2, 5)", b="torch.randn(2, 2, 3, 2, 4)", c="torch.randn(2, 2, 3, 2, 4)",
                       l="torch.randn(2, 2, 2, 3, 3)", d="torch.randn(2, 2, 2, 3)")
        self.check("return (torch.einsum('ij,jk', x, y), torch.einsum('ii->i', z), torch.einsum('ii', z), "
                   "torch.einsum('...ij,j->i...', w, x[0]), torch.einsum('ij->', x), "
                   "torch.einsum('i,j->ji', x[0], y[0]), torch.einsum('bij,bij->b', w, w))",
                   x="torch.randn(2, 3)", y="torch.randn(3, 4)", z="torch.randn(3, 3)", w="torch.randn(5, 2, 3)")

    def test_recurrent_layers(self):
        self.check("y, (h, c) = self.layer(x, (s, s * 2))\nreturn y, h, c",
                   "self.layer = nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True)",
                   x="torch.randn(2, 3, 3)", s="torch.randn(4, 2, 4)")
        self.check("y, (h, c) = self.layer(x)\nreturn {'y': y, 'state': (h, [c, None])}", "self.layer = nn.LSTM(3, 4)",
                   x="torch.randn(2, 3, 3)")
        self.check("y, h = self.layer(x)\nreturn self.last(y)[0], h, self.cell(x[0], h[0, :, :4])",
                   "self.layer = nn.GRU(3, 4, bias=False, bidirectional=True)\nself.last = nn.RNN(8, 2)\n"
                   "self.cell = nn.GRUCell(3, 4)", x="torch.randn(3, 2, 3)")

    def test_counts_entropy_and_cross_products(self):
        self.check("return torch.bincount(i, minlength=4), torch.bincount(input=i, weights=x[0], minlength=5), "
                   "torch.special.entr(x), torch.cross(y, y.roll(1, 0), dim=-1), torch.linalg.cross(y, y[:1])", x="torch.randn(2, 6)",
                   i="torch.randint(0, 4, (6,))", y="torch.randn(4, 3)")
        self.check("return torch.bincount(x.argmax(1), minlength=4) + 1, torch.bincount((x * 0).long()[0], minlength=2)",
                   x="torch.randn(3, 4)")
        for body, why in (("return torch.bincount(i, minlength=3)", "bincount of numbers up to 3, which makes 4 counts of 3"),
                          ("return torch.bincount(i)", "bincount without minlength")):
            problem = self.describe(body, i="torch.arange(4).remainder(5)").problem("f32")
            self.assertIn(why, problem["torch"]["unknown"][0])
            self.assertIn("case.py:13: ", problem["torch"]["unknown"][0])

    def test_projected_recurrent_layers(self):
        self.check("y, (h, c) = self.layer(x)\nreturn y, h, c",
                   "self.layer = nn.LSTM(3, 4, proj_size=2, bidirectional=True)", x="torch.randn(5, 2, 3)")

    def test_recurrent_layers_are_an_operation_for_each_direction(self):
        problem = self.check("y, h = self.layer(x)\nreturn y, h",
                             "self.layer = nn.RNN(3, 4, 2, nonlinearity='relu', batch_first=True, bidirectional=True)",
                             x="torch.randn(2, 300, 3)")
        layers = [node for node in problem["graph"] if node["op"] == "rnn"]
        self.assertEqual([node.get("reverse", False) for node in layers], [False, True] * 2)

    def test_recurrent_layers_that_have_no_operation(self):
        problem = self.describe("return self.layer(x)[0]", "self.layer = nn.LSTM(3, 4, proj_size=2)",
                                x="torch.randn(65, 2, 3)").problem("f32")
        self.assertIn("65 steps of an lstm with projections", problem["torch"]["unknown"][0])

    def test_dropout_of_layers_is_off(self):
        self.check("y = self.layer(x)[0]\nreturn self.attend(y, y, y)[0]", "self.layer = nn.GRU(3, 4, 2, dropout=0.5)\n"
                   "self.attend = nn.MultiheadAttention(4, 2, dropout=0.5)", x="torch.randn(5, 2, 3)")

    def test_numbers_from_tensors(self):
        self.check("return x * self.rates[1] + self.rates[2]",
                   "self.rates = [rate.item() for rate in torch.linspace(0.1, 0.5, 3) ** 2]", x="torch.randn(3)")

    def test_the_line_of_what_a_graph_cannot_say(self):
        for body, what in (("y = x\nreturn y[x > 0]", "mask selects"),
                           ("y = x.unfold(1, 2, 2)\ny.add_(1)\nreturn x", "a change of the tensor that unfold returned"),
                           ("return x if x.sum().item() > 0 else -x", "contents of a tensor")):
            unknown = self.describe(body, x="torch.randn(3, 4)").problem("f32")["torch"]["unknown"]
            self.assertEqual(len(unknown), 1)
            self.assertRegex(unknown[0], r"^case\.py:1[34].*" + what)
