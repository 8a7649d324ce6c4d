"""
Remembers which instruction sets of the CPU compiled baselines may use.

For each instruction set that the CPU has, Inductor builds a small library and has a Python of its
own import PyTorch and load it, in every process that compiles.  Here a library that was loaded is
noted beside the compiled code, in the folder that is kept for this model, machine and PyTorch
(core/judge/torch/compiled_cache.h), and is not tried again.  Inductor chooses as before, so the code
and its key in Inductor's cache are the same.
"""

import contextlib
import functools
import hashlib
import os


def _remembering(check, folder):
    def remembered(isa, code):
        digest = hashlib.sha256(f"{isa} {code}".encode()).hexdigest()
        note = os.path.join(folder, f"isa-{digest}")
        if os.path.exists(note):
            return True
        passed = check(isa, code)
        if passed:
            with contextlib.suppress(OSError), open(note, "w", encoding="utf-8"):
                pass
        return passed

    return remembered


@functools.cache
def remember_isa_checks():
    """Before the first compilation.  Does nothing for a PyTorch that checks in another way."""
    try:
        from torch._inductor.cpu_vec_isa import VecISA
        VecISA.check_build = _remembering(VecISA.check_build,
                                          os.environ["TORCHINDUCTOR_CACHE_DIR"])
    except (ImportError, AttributeError, KeyError):
        pass
