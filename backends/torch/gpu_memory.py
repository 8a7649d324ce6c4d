"""Memory of a GPU that PyTorch keeps for its next tensors; candidates and other sessions may need it."""
import time

import torch

SCARCE = 0.4  # below this share of a GPU's memory, what is free is scarce; the oracle needs 0.3 (ORACLE_FREE_SHARE)
CLEARED_PER_S = 4e11  # bytes, as cleared_per_s in core/judge/device_oracle/device_oracle.c, which says why


def free_if_scarce():
    """
    Give memory back between timed runs only if it is scarce, and wait until it is cleared.  The driver clears
    what a process gives back, after the call, and up to then a kernel that needs the bandwidth of the memory takes
    16 % longer (H100, driver 580).
    """
    free, total = torch.cuda.mem_get_info()
    if free > SCARCE * total:
        return
    kept = torch.cuda.memory_reserved()
    torch.cuda.empty_cache()
    time.sleep((kept - torch.cuda.memory_reserved()) / CLEARED_PER_S)
