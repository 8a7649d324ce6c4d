"""
What an engineer has without a kernel of their own: the model as it is, compiled, and both at lower
precision where the tolerance allows it, timed on the judge's device.  Caches are cold before each
run, and on a GPU the host's share is hidden: what is queued behind a sleeping kernel starts at
once, so that a candidate is never compared with the interpreter's delays.
"""

import contextlib
import sys
import time
from collections import namedtuple

import torch

from errors import UNAVAILABLE, BridgeError

FLUSH_BYTES = 256 << 20  # more than any cache holds
HOST_FLUSH_BYTES = 64 << 20
SLEEP_MARGIN = 1.5  # of the time that the host takes to queue a call
OVERHEAD_RUNS = 20
CYCLES_PER_SECOND = 2e9  # of a GPU, at most
FULL = ("eager", "compile")  # the precision that the model is written in

Tolerance = namedtuple("Tolerance", "atol rtol matched scaled")  # core/judge/compare/verify.h


@contextlib.contextmanager
def _tf32(allowed):
    before = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = allowed
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = before


def _precision(name, device):
    """The context of a baseline's calls, by the end of its name."""
    stack = contextlib.ExitStack()
    stack.enter_context(torch.no_grad())
    stack.enter_context(_tf32(name.endswith("_tf32")))
    for end, dtype in (("_bf16", torch.bfloat16), ("_f16", torch.float16)):
        if name.endswith(end):
            stack.enter_context(torch.autocast(device, dtype=dtype))
    return stack


def available(device, mixed):
    """Their names; `mixed` says that the tolerance allows less than float32."""
    kinds = [kind for kind in FULL if kind == "eager" or hasattr(torch, kind)]
    lower = ["tf32", "bf16", "f16"] if device == "cuda" else ["bf16"]
    return kinds + [f"{kind}_{end}" for end in lower if mixed for kind in kinds]


def _compiled(model, name):
    """
    The model in a function with code of its own, because PyTorch keeps what it has compiled by code: no
    precision drives out, or is taken for, another one.
    """
    def call(*inputs):
        return model(*inputs)

    call.__code__ = call.__code__.replace(co_name=name)
    return torch.compile(call)


def _share_within(got, want, tolerance):
    """Of the elements, those that the judge would pass."""
    got, want = got.float(), want.float()
    scale = want.square().mean().sqrt() if tolerance.scaled else 1
    near = (got - want).abs() <= tolerance.atol * scale + tolerance.rtol * want.abs()
    return (near | (got == want)).sum().item() / near.numel()


def _between_events(call):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    call()
    end.record()
    return start, end


class Baselines:
    """Of one model on one device."""

    def __init__(self, source, device, seed, tolerance):
        self.device = torch.device(device)
        self._tolerance = tolerance
        move = lambda x: x.to(self.device) if isinstance(x, torch.Tensor) else x
        self._model = source.model(seed)
        for holder in self._model.modules():  # plain attributes do not move with the module
            for name, item in vars(holder).items():
                if isinstance(item, torch.Tensor):
                    setattr(holder, name, move(item))
        self._model.to(self.device)
        self._inputs = [move(x) for x in source.inputs(seed)]
        self._calls = {}
        self._slept = {}
        size = FLUSH_BYTES if self.device.type == "cuda" else HOST_FLUSH_BYTES
        self._flush = torch.zeros(size // 4, device=self.device)
        if "torch._dynamo" in sys.modules:  # what was compiled of the model before
            torch._dynamo.reset()
        self._overhead_us = self._measure_overhead() if self.device.type == "cuda" else 0

    def time(self, name, runs):
        """Microseconds of each of `runs` runs, after one that does not count; of none it is looked at."""
        call = self._callable(name)
        if not runs and name not in FULL:
            self._check(name, call)
        with _precision(name, self.device.type):
            call(*self._inputs)
            one = self._time_gpu if self.device.type == "cuda" else self._time_cpu
            return [one(name, call) for _ in range(runs)]

    def _made(self, name, call):
        """What a baseline returns for inputs that nothing else sees."""
        inputs = [x.clone() if isinstance(x, torch.Tensor) else x for x in self._inputs]
        with _precision(name, self.device.type):
            made = call(*inputs)
        return made if isinstance(made, (tuple, list)) else [made]

    def _check(self, name, call):
        """What a candidate could not get away with is no baseline."""
        least = min(_share_within(got, want, self._tolerance)
                    for got, want in zip(self._made(name, call), self._made("eager", self._model)))
        if least < self._tolerance.matched:
            raise BridgeError(f"{100 * (1 - least):.2g} % of its elements are not within the tolerance", UNAVAILABLE)

    def _callable(self, name):
        if not name.startswith("compile"):
            return self._model
        if name not in self._calls:
            self._calls[name] = _compiled(self._model, name)
        return self._calls[name]

    def _time_cpu(self, name, call):
        self._flush.fill_(1)
        began = time.perf_counter()
        call(*self._inputs)
        return (time.perf_counter() - began) * 1e6

    def _time_gpu(self, name, call):
        self._flush.sum()  # read, and not written: nobody else's lines are left to be written back
        torch.cuda._sleep(int(self._slept.get(name, 1e-3) * SLEEP_MARGIN * CYCLES_PER_SECOND))
        began = time.perf_counter()
        start, end = _between_events(lambda: call(*self._inputs))
        self._slept[name] = time.perf_counter() - began
        end.synchronize()
        return start.elapsed_time(end) * 1e3 - self._overhead_us

    @staticmethod
    def _measure_overhead():
        """What two events with nothing between them are apart, as for candidates (backends/cuda/internal_kernels.c)."""
        def apart_us():
            torch.cuda._sleep(int(1e-4 * CYCLES_PER_SECOND))
            start, end = _between_events(lambda: None)
            end.synchronize()
            return start.elapsed_time(end) * 1e3
        return min(apart_us() for _ in range(OVERHEAD_RUNS))
