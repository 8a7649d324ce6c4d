"""Test that a model is described without PyTorch's compiler.  Part of torch_modules.py."""
import sys
import unittest
from unittest import mock

import torch

import light_imports
import transforms
from description import Description
from model_file import ModelFile

SOURCE = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.product = torch.nn.Linear(4, 3)
    def forward(self, x):
        return torch.relu(self.product(x) - 2)
def get_inputs(): return [torch.rand(2, 4)]
def get_init_inputs(): return []
"""


class Light(unittest.TestCase):
    def test_a_description_imports_no_compiler(self):
        with mock.patch.dict(sys.modules):
            for name in light_imports._NAMES:
                sys.modules.pop(name, None)
            nodes = Description(ModelFile(SOURCE, "model.py")).problem("f32")["graph"]
            self.assertEqual([name for name in light_imports._NAMES if name in sys.modules], [])
        self.assertEqual([node["op"] for node in nodes], ["linear", "sub", "relu"])

    @unittest.skipUnless(hasattr(torch, "compile"), "needs PyTorch 2.0")
    def test_what_a_file_compiles_is_compiled_at_its_first_run(self):
        source = SOURCE.replace("class Model", "@torch.compile\ndef tail(x): return torch.relu(x - 2)\nclass Model").replace(
            "torch.relu(self.product(x) - 2)", "self.last(self.product(x)) + tail(x[:, :3])").replace(
            "Linear(4, 3)", "Linear(4, 3)\n        self.product = torch.compile(self.product)\n        self.last = torch.compile(torch.relu, dynamic=False)")
        compiled = []
        with mock.patch.object(transforms, "_compile", lambda function, **options: compiled.append(options) or function):
            file = ModelFile(source, "model.py")
            nodes = Description(file).problem("f32")["graph"]
            self.assertEqual(compiled, [])
            model = file.model(1)
            model(*file.inputs(1))
            self.assertEqual((list(model.state_dict())[0], model.product.in_features), ("product._orig_mod.weight", 4))
        self.assertEqual([node["op"] for node in nodes], ["linear", "relu", "slice", "reshape", "sub", "relu", "add"])
        self.assertEqual(compiled, [{}, {"dynamic": False}, {}])

    def test_a_stand_in_makes_room_for_the_real_module(self):
        names = {"colorsys": {"ONE_THIRD": "a stand-in's"}}
        with mock.patch.dict(sys.modules), mock.patch.object(light_imports, "_NAMES", names):
            sys.modules.pop("colorsys", None)
            with light_imports.light_imports():
                import colorsys
                self.assertEqual(colorsys.ONE_THIRD, "a stand-in's")
                self.assertEqual(colorsys.rgb_to_hsv(0, 0, 0), (0, 0, 0))
                self.assertEqual(colorsys.ONE_THIRD, 1 / 3)
            import colorsys
            self.assertEqual(colorsys.ONE_THIRD, 1 / 3)
