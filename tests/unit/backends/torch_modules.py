"""Test the parts of the bridge to PyTorch that need no worker.  Skipped without PyTorch."""
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

SKIPPED = 77
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../backends/torch"))

try:
    import torch
except ImportError as missing:
    print(f"no PyTorch ({missing}): install the package python3-torch", file=sys.stderr)
    sys.exit(SKIPPED)

import baselines  # noqa: E402
import devices  # noqa: E402
import isa_checks  # noqa: E402
import model_file  # noqa: E402
from errors import BridgeError  # noqa: E402
from torch_export import Exports  # noqa: E402, F401
from torch_light import Light  # noqa: E402, F401
from torch_graphs import Graphs  # noqa: E402, F401  (run here, so that PyTorch is loaded once)
from torch_indices import Indices  # noqa: E402, F401
from torch_memory import Memory  # noqa: E402, F401
from torch_numbers import Numbers  # noqa: E402, F401
from torch_options import Options  # noqa: E402, F401
from torch_selections import Selections  # noqa: E402, F401
from torch_sleeps import Sleeps  # noqa: E402, F401

H200 = "NVIDIA H200"


class Devices(unittest.TestCase):
    """The judge's device among those of PyTorch."""

    @staticmethod
    def choose(device="cuda:1", uuid="GPU-b", uuids=(), names=(H200, H200)):
        return devices.choose({"device": device, "name": H200, "uuid": uuid}, list(uuids), list(names))

    def refuse(self, fault, **changes):
        with self.assertRaises(BridgeError) as raised:
            self.choose(**changes)
        self.assertEqual(str(raised.exception), fault)

    def test_the_uuid_decides(self):
        self.assertEqual(self.choose(uuids=["GPU-b", "GPU-a"]), 0)
        self.assertEqual(self.choose(device="opencl:0", uuids=["GPU-a", "GPU-b"]), 1)
        self.refuse("PyTorch does not see the GPU GPU-b: it sees GPU-a", uuids=["GPU-a"])

    def test_without_uuids_a_cuda_device_has_its_number(self):
        self.assertEqual(self.choose(), 1)
        self.assertEqual(self.choose(uuid="", uuids=["GPU-b", "GPU-a"]), 1)
        self.refuse("PyTorch does not see cuda:1: it sees 1 GPUs", names=[H200])

    def test_without_uuids_another_device_is_known_by_a_name_of_its_own(self):
        self.assertEqual(self.choose(device="opencl:0", names=["NVIDIA L4", H200]), 1)
        self.refuse("PyTorch sees 2 GPUs called NVIDIA H200, and the driver does not say which one is meant",
                    device="opencl:0")


class IsaChecks(unittest.TestCase):
    """What Inductor checks in a process of its own is remembered where it passed."""

    def check(self, folder, isa, code):
        """Return what a new process finds, and whether it had to try."""
        tried = []

        class VecISA(str):
            def check_build(self, code):
                tried.append(code)
                return self != "amx"

        module = types.SimpleNamespace(VecISA=VecISA)
        isa_checks.remember_isa_checks.cache_clear()
        with mock.patch.dict(sys.modules, {"torch._inductor": module, "torch._inductor.cpu_vec_isa": module}), \
                mock.patch.dict(os.environ, TORCHINDUCTOR_CACHE_DIR=folder):
            isa_checks.remember_isa_checks()
            isa_checks.remember_isa_checks()
            return VecISA(isa).check_build(code), bool(tried)

    def test_a_set_is_tried_until_it_passes(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.check(folder, "avx2", "a"), (True, True))
            self.assertEqual(self.check(folder, "avx2", "a"), (True, False))
            self.assertEqual(self.check(folder, "avx2", "b"), (True, True))
            self.assertEqual(self.check(folder, "avx512", "a"), (True, True))
            self.assertEqual(self.check(folder, "amx", "a"), (False, True))
            self.assertEqual(self.check(folder, "amx", "a"), (False, True))

    def test_a_pytorch_that_checks_in_another_way_is_left_alone(self):
        isa_checks.remember_isa_checks.cache_clear()
        with mock.patch.dict(sys.modules, {"torch._inductor.cpu_vec_isa": None}):
            isa_checks.remember_isa_checks()


class Linear:
    """A model file with one linear layer, and a plain tensor beside its parameters."""

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(64, 32)
            self.shift = torch.full((32,), 1 / 3)

        def forward(self, x, rows):
            return self.layer(x)[rows] + self.shift

    def model(self, seed):
        torch.manual_seed(seed)
        return self.Model()

    def inputs(self, seed):
        torch.manual_seed(seed)
        return [torch.randn(16, 64), torch.arange(8)]


class DrawnOn(unittest.TestCase):
    """Numbers that a device draws, here the device without contents."""

    @staticmethod
    def file_of(where):
        text = ("import torch\nModel = torch.nn.Identity\nget_init_inputs = list\n"
                f"get_inputs = lambda: [torch.rand(4, device={where})]")
        return model_file.ModelFile(text, "m.py")

    def draw(self, where):
        return self.file_of(where).drawn_on("meta", 3)

    @unittest.skipUnless(hasattr(torch.device, "__enter__"), "torch.device is no context")
    def test_the_device_draws(self):
        _, (drawn,) = self.draw("None")
        self.assertTrue(drawn.is_meta)
        self.assertTrue(self.file_of("None").inputs_on("meta", 3)[0].is_meta)

    def test_code_that_cannot_is_left_to_the_cpu(self):
        self.assertIsNone(self.draw("'no such device'"))


class Baselines(unittest.TestCase):
    """The baselines of a model on the CPU."""

    def setUp(self):
        self.baselines = baselines.Baselines(Linear(), "cpu", 7, True)

    def test_lower_precisions_only_where_the_tolerance_allows_them(self):
        self.assertIn("eager", baselines.available("cpu", False, True))
        self.assertFalse([name for name in baselines.available("cuda", False, True) if "_" in name])
        self.assertTrue({"eager_bf16", "eager_bf16w"} <= set(baselines.available("cpu", True, True)))
        self.assertTrue({"eager_tf32", "eager_f16", "eager_f16w"} <= set(baselines.available("cuda", True, True)))

    def test_a_model_without_weights_has_none_to_round_ahead(self):
        self.assertIn("eager_bf16w", self.baselines.names(True))
        self.assertFalse(baselines.has_weights(torch.nn.Softmax(dim=1)))
        names = baselines.available("cuda", True, False)
        self.assertIn("eager_bf16", names)
        self.assertFalse([name for name in names if name.endswith("w")])

    def test_weights_are_rounded_ahead_and_outputs_keep_their_type(self):
        model, narrow = self.baselines._model, self.baselines._callable("eager_bf16w")
        with torch.no_grad():
            want, got = model(*self.baselines._inputs), narrow(*self.baselines._inputs)
        self.assertEqual((got.dtype, got.shape), (torch.float32, want.shape))
        self.assertEqual((model.layer.weight.dtype, model.shift.dtype), (torch.float32, torch.float32))
        off = (got - want).abs().max().item()
        self.assertTrue(0 < off < 0.1, off)
        self.assertIs(self.baselines._callable("eager_bf16w"), narrow)

    def test_baselines_compute_on_the_tensors_of_the_judge(self):
        given = {"layer.weight": torch.ones(32, 64), "layer.bias": torch.zeros(32), "shift": torch.full((32,), 3.0),
                 0: torch.full((16, 64), 2.0), 1: torch.tensor([1] * 8)}
        self.baselines.take(given)
        self.baselines.take({"shift": torch.zeros(32)})  # compiled models keep what they were given first
        for name in ("eager", "eager_bf16w"):
            made, = self.baselines.prepare(name)
            self.assertTrue(torch.equal(made, torch.full((8, 32), 131.0)), made)

    def test_times_are_above_zero(self):
        for name in ("eager", "eager_bf16w"):
            self.assertGreater(min(self.baselines.time(name, 2)["times_us"]), 0)


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
