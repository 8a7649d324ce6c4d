"""
Test the class that an export to PyTorch has, tests/golden/export/model_of_file.py, with the launches computed here: no GPU
is needed. Part of torch_modules.py.
"""
import copy
import math
import os
import unittest

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
EXPORTED = os.path.join(HERE, "../../golden/export/model_of_file.py")
SYMBOLS = os.path.join(HERE, "../../../prompts/export/torch/symbols.py")
ROUNDING = os.path.join(HERE, "../../../prompts/export/torch/rounding.py")


class OnCpu:
    """Launches of the kernel `bounded` by PyTorch's functions, in place of those on a GPU."""
    started = []

    def __init__(self, device, plan):
        pass

    def start(self, name, tensors):
        self.started.append(name)
        x, weight, ones, y = tensors
        if name == "launches":
            y.copy_(torch.clamp(x @ weight.T, max=0.5) * 2 + ones)


def exported():
    """The names of the exported file, whose kernels run on the CPU."""
    with open(EXPORTED, encoding="utf-8") as file:
        names = {}
        exec(compile(file.read(), EXPORTED, "exec"), names)
    OnCpu.started = []
    names["Kernels"] = OnCpu
    names["State"].run = lambda state, given: state.run_parts(torch.device("cpu"), given)
    return names


def drawn(make, seed=3):
    torch.manual_seed(seed)
    return make()


class Exports(unittest.TestCase):
    def setUp(self):
        names = self.names = exported()
        self.old, self.new = (drawn(lambda name=name: names[name](3, 0.5)) for name in ("Model", "ModelNew"))
        self.x = torch.randn(2, 3)

    def test_parameters_are_those_of_the_model(self):
        self.assertEqual(list(self.new.state_dict()), ["unused", "part.weight"])
        for key, tensor in self.old.state_dict().items():
            self.assertTrue(torch.equal(self.new.state_dict()[key], tensor))
        self.new.load_state_dict({key: tensor * 2 for key, tensor in self.old.state_dict().items()})
        with torch.no_grad():
            wanted = torch.clamp(self.x @ (2 * self.old.part.weight).T, max=0.5) * 2 + 1
            for model in (self.new, copy.deepcopy(self.new)):
                self.assertTrue(torch.allclose(model(self.x, 2), wanted))

    def test_what_is_prepared_again(self):
        with torch.no_grad():
            for _ in range(2):
                self.assertTrue(torch.allclose(self.new(self.x, 2), self.old(self.x, 2)))
            self.assertEqual(OnCpu.started, ["prepare", "launches", "launches"])
            self.new.part.weight.mul_(3)
            self.new(self.x, 2)
            self.assertEqual(OnCpu.started[3:], ["prepare", "launches"])

    def test_other_sizes_arguments_and_numbers(self):
        other = type(self.new)(3, 0.25)
        with torch.no_grad():
            for model, given, why in ((self.new, (torch.randn(2, 5, 3), 2), r"x of \[2, 5, 3\], made for \[2, 3\]"),
                                      (self.new, (self.x, 7), "another number than 2"),
                                      (other, (self.x, 2), "other arguments of __init__")):
                self.assertRaisesRegex(ValueError, why, model, *given)
                model.falls_back = True
                wanted = torch.clamp(given[0] @ model.part.weight.T, max=model.bound) * given[1] + 1
                self.assertTrue(torch.allclose(model(*given), wanted))
                model.falls_back = False

    def test_other_batches(self):
        with torch.no_grad():
            for count, launches in ((1, 1), (3, 2), (4, 2)):
                OnCpu.started.clear()
                x = torch.randn(count, 3)
                self.assertTrue(torch.allclose(self.new(x, 2), self.old(x, 2)))
                self.assertEqual(OnCpu.started.count("launches"), launches)

    def test_why_not_another_batch(self):
        self.names["BATCH"].update(tensors=[], why_not="graph[1], mean, works along it")
        self.assertRaisesRegex(ValueError, "and for no other batch: graph.1., mean, works along it", self.new, torch.randn(5, 3), 2)

    def test_views_that_begin_anywhere(self):
        storage = torch.randn(7)
        view = storage[1:].reshape(2, 3)
        with torch.no_grad():
            self.assertTrue(torch.allclose(self.new(view, 2), self.old(view, 2)))

    def test_rounding_for_convolutions(self):
        read = lambda index: {"kind": "buffer", "index": index, "bits": "0"}
        names = {"math": math, "KERNELS": "", "ROUNDED": [[0, 1], [1, 0]],
                 "TENSORS": [("x", "input", "f32", [2, 512], 0), ("w", "param", "f32", [3], "w"), ("y", "output", "f32", [2], None)],
                 "PLAN": {"scratch": [8], "prepare": [], "launches": [
                     {"kernel": "own", "args": [read(0), read(1), read(2), read(3)], "tensor_maps": [{"buffer": 0}]}]}}
        with open(ROUNDING, encoding="utf-8") as file:
            exec(compile(file.read(), ROUNDING, "exec"), names)
        plan = names["PLAN"]
        self.assertEqual(plan["scratch"], [8, 4096, 12])
        for name, index, copy, count, away in (("launches", 0, 4, 1024, 1), ("prepare", 1, 5, 3, 0)):
            self.assertEqual(plan[name][0]["blocks"], [1, 1, 1])
            self.assertEqual([(one["index"], one["bits"]) for one in plan[name][0]["args"]],
                             [(index, 0), (copy, 0), (0, count), (0, away)])
        own = plan["launches"][1]
        self.assertEqual([one["index"] for one in own["args"]], [4, 5, 2, 3])
        self.assertEqual(own["tensor_maps"], [{"buffer": 4}])

    def test_a_plan_for_another_batch(self):
        names = {"math": math, "copy": copy, "BATCH": {"size": 6, "tensors": ["x", "y"]},
                 "TENSORS": [("x", "input", "f32", [6, 8], 0), ("y", "output", "f32", [6, 8], None)],
                 "SYMBOLS": {"dimension": "M", "dims": {"M": 6, "N": 8, "TILE": 4}, "scratch": [["M", "N / TILE"]], "launches": [
                     {"grid": ["ceildiv(M, TILE)", 2], "global": None, "args": ["x", "M", "N"]},
                     {"grid": None, "global": ["M * N"], "args": ["align(M, TILE)"]}]},
                 "PLAN": {"scratch": [24], "prepare": [], "launches": [
                     {"blocks": [2, 2, 1], "local": [64, 1, 1], "args": [{"kind": "buffer", "bits": "0"}, {"kind": "value", "bits": "6"},
                                                                          {"kind": "value", "bits": "8"}]},
                     {"blocks": [12, 1, 1], "local": [4, 1, 1], "args": [{"kind": "value", "bits": "8"}]}]}}
        with open(SYMBOLS, encoding="utf-8") as file:
            exec(compile(file.read(), SYMBOLS, "exec"), names)
        made = names["plan_for"](13)
        self.assertEqual([launch["blocks"] for launch in made["launches"]], [[4, 2, 1], [26, 1, 1]])
        self.assertEqual([[one["bits"] for one in launch["args"]] for launch in made["launches"]], [["0", "13", "8"], ["16"]])
        self.assertEqual(made["scratch"], [13 * 2 * 2])
        self.assertTrue(names["fits"](1 << 27))
        self.assertFalse(names["fits"](1 << 28))

    def test_gradients_are_refused(self):
        made = self.new(self.x, 2)
        self.assertRaisesRegex(NotImplementedError, "bounded: the kernels compute forward only", made.sum().backward)
