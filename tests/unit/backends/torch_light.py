"""Test that a model is described without PyTorch's compiler.  Part of torch_modules.py."""
import sys
import unittest
from unittest import mock

import light_imports
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
