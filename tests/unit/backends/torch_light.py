"""Test that a model is described without PyTorch's compiler, in a process of its own.  Run by torch_modules.py."""
import os
import subprocess
import sys
import unittest

BACKEND = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../backends/torch")

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import torch
import light_imports
from description import Description
from model_file import ModelFile

SOURCE = '''
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.product = torch.nn.Linear(4, 3)
    def forward(self, x):
        return torch.relu(self.product(x) - 2)
def get_inputs(): return [torch.rand(2, 4)]
def get_init_inputs(): return []
'''
before = [name for name in light_imports._NAMES if name in sys.modules]
nodes = Description(ModelFile(SOURCE, "model.py")).problem("f32")["graph"]
print([node["op"] for node in nodes], [name for name in light_imports._NAMES if name in sys.modules] == before)
with light_imports.light_imports():
    import sympy
    print(sympy.Integer(2) + 1, isinstance(2, sympy.Basic), isinstance(sympy.Integer(2), sympy.Basic))
"""


class Light(unittest.TestCase):
    def test_a_description_needs_no_compiler_and_leaves_the_real_modules(self):
        told = subprocess.run([sys.executable, "-B", "-c", PROGRAM, BACKEND], capture_output=True, text=True, check=True).stdout
        self.assertEqual(told.splitlines()[0].split("] ")[1], "True", told)
        self.assertIn("relu", told)
        self.assertEqual(told.splitlines()[1:], ["3 False True"], told)
