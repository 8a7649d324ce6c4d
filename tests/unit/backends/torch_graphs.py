"""
Test that the graph of a model computes what the model computes: each case is a model of a few lines, which is traced
without contents. The functions of an export to PyTorch then compute its graph on random data. Part of torch_modules.py.
"""
import os
import unittest

import torch

from description import SEED, Description
from model_file import ModelFile, state_of

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


class Graphs(unittest.TestCase):
    """Models that are traced to whole graphs."""

    export = export_functions()

    @staticmethod
    def describe(body, init="pass", **inputs):
        text = TEXT.format(init="\n        ".join(init.split("\n")), body="\n        ".join(body.split("\n")),
                           names=", ".join(inputs), inputs=", ".join(inputs.values()))
        return Description(ModelFile(text, "case.py"))

    def test_data_keep_their_distribution(self):
        shown = self.describe("return (x - u) * z + s", x="torch.rand(4, 4) * torch.rand(())", u="torch.rand(4, 4)",
                              z="torch.randint(0, 2, (4,)).float() * 2 - 1", s="torch.randint(0, 2, (4,)).float() * 3")
        fills = {name: tensor.get("fill") for name, tensor in shown.problem("f32")["tensors"].items()}
        self.assertEqual([fills[name] for name in "xuzs"],
                         [{"uniform": [0, 0.5]}, {"uniform": [0, 1]}, {"signs": 0.5}, {"model": []}])

    def check(self, body, init="pass", **inputs):
        described = self.describe(body, init, **inputs)
        problem = described.problem("f32")
        self.assertEqual(problem["torch"]["unknown"], [])
        with torch.no_grad():
            model, given = described.model_file.model(SEED), described.model_file.inputs(SEED)
            made = {**dict(enumerate(given)), **{key: kept.clone() for key, kept in state_of(model).items()}}
            values = {name: made[key] for name, key in described.keys.items()}
            values.update({name: torch.full(list(tensor.shape), number, dtype=tensor.dtype)
                           for name, (tensor, number) in described.tracer.constants().items()})
            for node in problem["graph"]:
                self.export["compute"](node, values)
            wanted = model(*[one.clone() for one in given])
        outputs = [name for name, tensor in problem["tensors"].items() if tensor["role"] == "output"]
        for name, want in zip(outputs, wanted if isinstance(wanted, tuple) else [wanted], strict=True):
            self.assertEqual((values[name].shape, values[name].dtype), (want.shape, want.dtype))
            self.assertTrue(torch.allclose(values[name].double(), want.double(), rtol=1e-4, atol=1e-5, equal_nan=True))
        return problem

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

    def test_resizing(self):
        self.check("up = lambda **how: F.interpolate(x, **how)\n"
                   "return (up(scale_factor=2), up(size=(5, 11)), up(scale_factor=2, mode='bilinear'), "
                   "up(size=(9, 3), mode='bilinear', align_corners=True), up(size=7), x.repeat_interleave(3, 1), "
                   "torch.repeat_interleave(x, 2))", x="torch.randn(2, 3, 4, 7)")
        self.check("return F.interpolate(x, scale_factor=1.5, mode='linear')", x="torch.randn(2, 3, 6)")

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
        self.check("y, h = self.layer(x)\nreturn self.last(y)[0], h, self.cell(x[0], h[0, :, :4])",
                   "self.layer = nn.GRU(3, 4, bias=False, bidirectional=True)\nself.last = nn.RNN(8, 2)\n"
                   "self.cell = nn.GRUCell(3, 4)", x="torch.randn(3, 2, 3)")

    def test_recurrent_layers_are_an_operation_for_each_direction(self):
        problem = self.check("y, h = self.layer(x)\nreturn y, h",
                             "self.layer = nn.RNN(3, 4, 2, nonlinearity='relu', batch_first=True, bidirectional=True)",
                             x="torch.randn(2, 300, 3)")
        layers = [node for node in problem["graph"] if node["op"] == "rnn"]
        self.assertEqual([node.get("reverse", False) for node in layers], [False, True] * 2)

    def test_recurrent_layers_that_have_no_operation(self):
        for layer, why in (("nn.LSTM(3, 4, proj_size=2)", "lstm with projections"),
                           ("nn.GRU(3, 4, 2, dropout=0.5)", "gru with dropout")):
            problem = self.describe("return self.layer(x)[0]", f"self.layer = {layer}",
                                    x="torch.randn(5, 2, 3)").problem("f32")
            self.assertIn(why, problem["torch"]["unknown"][0])

    def test_numbers_from_tensors(self):
        self.check("return x * self.rates[1] + self.rates[2]",
                   "self.rates = [rate.item() for rate in torch.linspace(0.1, 0.5, 3) ** 2]", x="torch.randn(3)")

    def test_the_line_of_what_a_graph_cannot_say(self):
        for body, what in (("y = x\nreturn y[x > 0]", "contents of a mask"),
                           ("y = x[0]\ny.add_(1)\nreturn x", "shares its memory"),
                           ("return x if x.sum().item() > 0 else -x", "contents of a tensor")):
            unknown = self.describe(body, x="torch.randn(3, 4)").problem("f32")["torch"]["unknown"]
            self.assertEqual(len(unknown), 1)
            self.assertRegex(unknown[0], r"^case\.py" + ("" if "memory" in what else r":1[34]") + ".*" + what)
