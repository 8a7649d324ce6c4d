"""Test the parts of the bridge to PyTorch that need no worker.  Skipped without PyTorch."""
import os
import sys
import unittest

SKIPPED = 77
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../backends/torch"))

try:
    import torch
except ImportError as missing:
    print(f"no PyTorch ({missing}): install the package python3-torch", file=sys.stderr)
    sys.exit(SKIPPED)

import devices  # noqa: E402
from errors import BridgeError  # noqa: E402

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


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
