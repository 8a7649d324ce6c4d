"""
Times the baselines that PyTorch offers: the model run eagerly and compiled, and both at lower
precision if the tolerance allows it, on the judge's device.

A name is KIND or KIND_PRECISION.  Kinds: eager; compile, by torch.compile; autotune, the same with
a search for the fastest kernels.  Precisions: tf32; bf16 and f16, under autocast, which rounds the
weights in every call; bf16w and f16w, with the weights rounded ahead, as a candidate may do in its
prepare launches.  Inputs and outputs have the types of the model in any case.

Caches are cold before each run.  On a GPU the call is queued behind a sleeping kernel, so the time
does not contain the delays of the Python interpreter.
"""

import contextlib
import copy
import sys
import time

import torch

from isa_checks import remember_isa_checks
from meta_mode import outputs_of
from model_file import replace_state, state_of
from thread_clocks import thread_clocks

FLUSH_BYTES = 256 << 20  # more than any cache holds
HOST_FLUSH_BYTES = 64 << 20
SLEEP_MARGIN = 1.5  # times the time that the host takes to queue a call
OVERHEAD_RUNS = 20
MOST_WARM_BYTES = 2 << 30
CYCLES_PER_SECOND = 2e9  # upper bound for the clock of a GPU
AHEAD = {"bf16w": torch.bfloat16, "f16w": torch.float16}



@contextlib.contextmanager
def _tf32(allowed):
    before = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = allowed
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = before


def _precision(name, device):
    """The context in which a baseline runs; the end of its name gives the precision."""
    stack = contextlib.ExitStack()
    stack.enter_context(torch.no_grad())
    stack.enter_context(_tf32(name.endswith("_tf32")))
    for end, dtype in (("_bf16", torch.bfloat16), ("_f16", torch.float16)):
        if name.endswith(end):
            stack.enter_context(torch.autocast(device, dtype=dtype))
    return stack


def has_weights(model):
    """True if the model has floating-point tensors of its own, which can be rounded ahead."""
    return any(item.is_floating_point() for item in state_of(model).values())


def available(device, mixed, weights):
    """
    The names of the baselines on a device; `mixed` is true if the tolerance allows less than
    float32, `weights` if the model has any.  Without weights there is nothing to round ahead: a
    model that is cast would compute the same with data of 16 bits, which is no baseline.  A scan,
    for example, then also adds in 16 bits.
    """
    kinds = ["eager"] + (["compile"] if hasattr(torch, "compile") else [])
    lower = ["tf32", "bf16", "f16", "bf16w", "f16w"] if device == "cuda" else ["bf16", "bf16w"]
    return kinds + [f"{kind}_{end}" for end in lower if mixed and (weights or end not in AHEAD)
                    for kind in kinds]


def _convert(model, convert):
    """Convert a model's tensors in place; Module.to() leaves plain attributes alone."""
    for holder in model.modules():
        for name, item in vars(holder).items():
            if isinstance(item, torch.Tensor):
                setattr(holder, name, convert(item))


def _narrow(item, dtype):
    return item.to(dtype) if isinstance(item, torch.Tensor) and item.is_floating_point() else item


def _cast_ahead(model, dtype, outputs):
    """The model with weights rounded to `dtype` once; its outputs get the types in `outputs`."""
    narrow = copy.deepcopy(model).to(dtype)
    _convert(narrow, lambda item: _narrow(item, dtype))

    def call(*inputs):
        made = narrow(*(_narrow(x, dtype) for x in inputs))
        if isinstance(made, torch.Tensor):
            return made.to(outputs[0])
        return [item.to(kind) for item, kind in zip(outputs_of(made), outputs)]

    return call


def _compiled(model, name):
    """
    The compiled model.  torch.compile() caches by code object, so each baseline gets a function
    with a code object of its own: no precision evicts, or is taken for, another one.
    """
    def call(*inputs):
        return model(*inputs)

    remember_isa_checks()
    call.__code__ = call.__code__.replace(co_name=name)
    return torch.compile(call, options={"max_autotune": True} if name.startswith("autotune") else None)


def _between_events(call):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    call()
    end.record()
    return start, end


class Baselines:
    """
    The baselines of one model on one device.  `may_draw`: nothing but the tensors depends on the
    numbers that are drawn, so the device may draw them.
    """

    def __init__(self, model_file, device, seed, may_draw):
        self.device = torch.device(device)
        if self.device.type == "cuda":  # events, streams and sleeps are those of the current device
            torch.cuda.set_device(self.device)
        move = lambda x: x.to(self.device) if isinstance(x, torch.Tensor) else x
        drawn = None
        if may_draw and self.device.type == "cuda":
            drawn = model_file.drawn_on(self.device, seed)
            torch.cuda.empty_cache()  # candidates need the memory that drawing took
        self._model, inputs = drawn or (model_file.model(seed), model_file.inputs(seed))
        _convert(self._model, move)
        self._model.to(self.device)
        self._inputs = [move(x) for x in inputs]
        self._calls, self._ahead = {}, {}
        self._has_given = False
        self._queue_s = {}
        size = FLUSH_BYTES if self.device.type == "cuda" else HOST_FLUSH_BYTES
        self._flush = torch.zeros(size // 4, device=self.device)
        if "torch._dynamo" in sys.modules:  # drop what was compiled for an earlier device
            torch._dynamo.reset()
        self._overhead_us = self._measure_overhead() if self.device.type == "cuda" else 0
        if self.device.type == "cuda":
            self._load_libraries()

    def _load_libraries(self):
        """
        Run the model once while the first candidate is verified, so that the libraries of the GPU
        are loaded when a verdict waits for the first baseline.  A failure comes again then.
        Candidates need the memory that large tensors would take.
        """
        given = [x for x in self._inputs if isinstance(x, torch.Tensor)] + list(state_of(self._model).values())
        if sum(x.numel() * x.element_size() for x in given) > MOST_WARM_BYTES:
            return
        with contextlib.suppress(RuntimeError):
            self._made("eager", self._model)
            torch.cuda.synchronize()

    def names(self, mixed):
        """The names of the baselines of this model; `mixed` as in available()."""
        return available(self.device.type, mixed, has_weights(self._model))

    def time(self, name, runs):
        """
        The times of `runs` runs in microseconds, after one run that does not count: a list by the
        clock, and on a CPU one of the CPU time of the thread that worked most, for which the others
        wait (core/judge/stats/program_rounds.h).
        """
        call = self._callable(name)
        with _precision(name, self.device.type):
            call(*self._inputs)
            one = self._time_gpu if self.device.type == "cuda" else self._time_cpu
            made = [one(name, call) for _ in range(runs)]
        return {"times_us": [time for time, _ in made], "work_us": [work for _, work in made]}

    def prepare(self, name):
        """The outputs of a baseline."""
        return self._made(name, self._callable(name))

    def take(self, given):
        """
        Take the judge's tensors, a dict by key of the state (state_of()) or by position of the
        input.  They are the same in each request, so the first one sets them; tensors of a compiled
        model must not be replaced.
        """
        if self._has_given:
            return
        self._has_given = True
        state = state_of(self._model)
        for key, tensor in given.items():
            if isinstance(key, int):
                self._inputs[key] = tensor.to(self._inputs[key])
            else:
                replace_state(self._model, key, tensor.to(state[key].detach()))

    def _made(self, name, call):
        """The outputs of a baseline for copies of the inputs, in case it changes them."""
        inputs = [x.clone() if isinstance(x, torch.Tensor) else x for x in self._inputs]
        with _precision(name, self.device.type):
            return outputs_of(call(*inputs))

    def _at(self, precision):
        """The model, or its copy with weights of lower precision."""
        if precision not in AHEAD:
            return self._model
        if precision not in self._ahead:
            types = [made.dtype for made in self._made("eager", self._model)]
            self._ahead[precision] = _cast_ahead(self._model, AHEAD[precision], types)
        return self._ahead[precision]

    def _callable(self, name):
        kind, _, precision = name.partition("_")
        if kind == "eager":
            return self._at(precision)
        if name not in self._calls:
            self._calls[name] = _compiled(self._at(precision), name)
        return self._calls[name]

    def _time_cpu(self, name, call):
        self._flush.fill_(1)
        before, began = thread_clocks(), time.perf_counter()
        call(*self._inputs)
        took = time.perf_counter() - began
        return took * 1e6, max(ns - before.get(thread, 0)
                               for thread, ns in thread_clocks().items()) / 1e3

    def _time_gpu(self, name, call):
        self._flush.sum()  # a read leaves no dirty cache lines to be written back during the run
        torch.cuda._sleep(int(self._queue_s.get(name, 1e-3) * SLEEP_MARGIN * CYCLES_PER_SECOND))
        began = time.perf_counter()
        start, end = _between_events(lambda: call(*self._inputs))
        self._queue_s[name] = time.perf_counter() - began
        has_slept = start.query()
        end.synchronize()
        if has_slept:  # too short, or the call waits for the device, and so for the sleep: the next one must not be longer
            self._queue_s[name] = self._time_host(call)
        return start.elapsed_time(end) * 1e3 - self._overhead_us, 0

    def _time_host(self, call):
        """The time in seconds that the host takes to queue a call for a device without work."""
        began = time.perf_counter()
        call(*self._inputs)
        took = time.perf_counter() - began
        torch.cuda.synchronize()
        return took

    @staticmethod
    def _measure_overhead():
        """
        The time between two events with no work between them; backends/cuda/internal_kernels.c
        subtracts the same from the times of candidates.
        """
        def apart_us():
            torch.cuda._sleep(int(1e-4 * CYCLES_PER_SECOND))
            start, end = _between_events(lambda: None)
            end.synchronize()
            return start.elapsed_time(end) * 1e3
        return min(apart_us() for _ in range(OVERHEAD_RUNS))
