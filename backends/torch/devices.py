"""Finds the judge's device among those of PyTorch."""

import ctypes

import torch

from errors import UNAVAILABLE, BridgeError


def _driver_uuids():
    """
    The UUIDs of the GPUs in the order of their numbers here, as nvidia-smi prints them; empty without
    a driver.  CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER change the numbers, and not the UUIDs.
    """
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        uuid_of = driver.cuDeviceGetUuid_v2
    except (OSError, AttributeError):
        return []
    found, device, uuid = [], ctypes.c_int(), (ctypes.c_ubyte * 16)()
    driver.cuInit(0)
    for i in range(torch.cuda.device_count()):
        if driver.cuDeviceGet(ctypes.byref(device), i) or uuid_of(uuid, device):
            return []
        digits = bytes(uuid).hex()
        found.append("GPU-" + "-".join(digits[a:b] for a, b in
                                       ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))))
    return found


def choose(wanted, uuids, names):
    """
    The number of the judge's device, a dict with `device`, `name` and `uuid`.  The UUID decides if
    both sides know it.  Otherwise a CUDA device keeps its number.  A device of another back end, whose
    numbers differ, is found by its name if only one GPU has that name.
    """
    if wanted["uuid"] and uuids:
        if wanted["uuid"] in uuids:
            return uuids.index(wanted["uuid"])
        raise BridgeError(f"PyTorch does not see the GPU {wanted['uuid']}: it sees "
                          f"{', '.join(uuids)}", UNAVAILABLE)
    kind, _, number = wanted["device"].partition(":")
    if kind == "cuda":
        if int(number) < len(names):
            return int(number)
        raise BridgeError(f"PyTorch does not see {wanted['device']}: it sees {len(names)} GPUs",
                          UNAVAILABLE)
    if names.count(wanted["name"]) == 1:
        return names.index(wanted["name"])
    raise BridgeError(f"PyTorch sees {names.count(wanted['name'])} GPUs called {wanted['name']}, and "
                      "the driver does not say which one is meant", UNAVAILABLE)


def find_device(device, name, uuid):
    """PyTorch's name for the judge's device."""
    if device == "cpu":
        return device
    if not torch.cuda.is_available():
        raise BridgeError(f"PyTorch cannot use {device}: install a PyTorch with CUDA", UNAVAILABLE)
    names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    number = choose({"device": device, "name": name, "uuid": uuid}, _driver_uuids(), names)
    return f"cuda:{number}"
