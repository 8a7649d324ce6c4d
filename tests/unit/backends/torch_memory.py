"""
Test when the bridge gives back the memory of a GPU, with a GPU that is computed here: no GPU is needed. Part of
torch_modules.py.
"""
import types
import unittest
from unittest import mock

import bridge
import gpu_memory

TOTAL = 80e9


class Gpu:
    """A GPU on which PyTorch keeps `kept` bytes for its next tensors, and `free` bytes are left."""

    def __init__(self, kept, free):
        self.kept, self.free, self.slept = kept, free, 0

    def is_initialized(self):
        return True

    def mem_get_info(self):
        return self.free, TOTAL

    def memory_reserved(self):
        return self.kept

    def empty_cache(self):
        self.free, self.kept = self.free + self.kept, 0

    def sleep(self, seconds):
        self.slept += seconds


class Memory(unittest.TestCase):
    def serve(self, gpu, *requests):
        served = bridge.Bridge()
        served.baselines = types.SimpleNamespace(time=lambda name, runs: {})
        with mock.patch.object(gpu_memory.torch, "cuda", gpu), mock.patch.object(gpu_memory, "time", gpu):
            for do in requests:
                served.serve({"do": do, "name": "eager", "runs": 1})
        return gpu

    def test_a_timed_run_keeps_memory(self):
        gpu = self.serve(Gpu(kept=20e9, free=40e9), "time", "time")
        self.assertEqual((gpu.kept, gpu.slept), (20e9, 0))

    def test_a_rest_gives_memory_back(self):
        self.assertEqual(self.serve(Gpu(kept=20e9, free=40e9), "time", "rest").kept, 0)

    def test_scarce_memory_is_given_back_and_cleared_before_the_next_run(self):
        gpu = self.serve(Gpu(kept=20e9, free=10e9), "time")
        self.assertEqual(gpu.kept, 0)
        self.assertGreater(gpu.slept, 20e9 / 6e11)
