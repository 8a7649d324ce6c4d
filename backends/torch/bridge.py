"""
The bridge to PyTorch: a child process of the judge that holds one model in KernelBench's form.

It reads requests as lines of JSON from standard input and writes answers to the descriptor that was
standard output.  Tensors are in shared memory (shared_memory.py); a request describes each of them
as {"name", "offset", "dtype", "shape"}.

    open      source file tolerance seconds          -> torch problem
    make      seed tensors [device name uuid]        -> (nothing)
    expect    tensors outputs                        -> precision
    baselines device name uuid mixed                 -> names
    take      tensors                                -> (nothing)
    compile   name                                   -> (nothing)
    prepare   name tensors outputs                   -> (nothing)
    time      name runs                              -> times_us work_us

An answer with "error" and "code" says in one line what is wrong; `code` is a number of enum status
(core/base/status.h).  `seconds` is the time limit of a request; with `pausable`, the judge alone
keeps it, because it stops this process from time to time, and the clock here goes on.
"""

import contextlib
import gc
import json
import os
import signal
import sys


def _take_pipes():
    """Keep standard input and output for the protocol: a model prints to the log, reads nothing."""
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    return requests, answers


def _enter_folder():
    """
    Enter the folder of this process.  Compilers keep their caches there, or in the folder that is
    kept for this model and machine (core/judge/torch/compiled_cache.h); nothing else may be written.
    Inductor compiles in this process, because its pool of workers would start sessions of their own,
    which the containment refuses.  The cache of AOTAutograd is off: its key lacks the type of
    autocast, so compile_f16 got the code of compile_bf16
    (https://github.com/pytorch/pytorch/pull/181564).
    """
    folder = os.environ.get("KFORGE_SCRATCH", ".")
    for name in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "CUDA_CACHE_PATH"):
        os.environ[name] = os.environ.get("KFORGE_KEPT") or folder
    os.environ["TORCH_HOME"] = folder
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    os.environ["TORCHINDUCTOR_AUTOGRAD_CACHE"] = "0"
    os.chdir(folder)


REQUESTS, ANSWERS = _take_pipes()
_enter_folder()

try:
    import torch
except ImportError as missing:
    json.dump({"error": f"no PyTorch for {sys.executable} ({missing}): install the package "
                        "python3-torch, or name a Python that has it in KFORGE_PYTHON",
               "code": 3}, ANSWERS)
    print(file=ANSWERS, flush=True)
    sys.exit(0)

from baselines import Baselines
from description import SEED, Description
from devices import find_device
from errors import BridgeError, TimedOut, explain
from gpu_memory import free_if_scarce
from meta_mode import outputs_of
from model_file import ModelFile, as_made, as_stored, replace_state, state_of
from shared_memory import SharedMemory

LEAST_BYTES_ON_GPU = 1 << 26


class Bridge:
    """The model that is open, and a method for each request."""

    def __init__(self):
        self.model_file = self.description = self.baselines = None
        self.file, self.seconds = "model", 60

    def open(self, request):
        self.file = request["file"]
        self.model_file = self.description = self.baselines = None
        if torch.cuda.is_initialized():  # other sessions may wait for the memory of the last model
            gc.collect()
            torch.cuda.empty_cache()
        self.model_file = ModelFile(request["source"], self.file)
        self.description = Description(self.model_file)
        return {"torch": torch.__version__,
                "problem": self.description.problem(request["tolerance"])}

    def _drawn(self, request):
        """The elements of get_inputs(): large ones from the judge's GPU, if it can draw them."""
        sizes = [x.numel() * x.element_size() for x in self.description.inputs
                 if isinstance(x, torch.Tensor)]
        if "device" in request and sum(sizes) >= LEAST_BYTES_ON_GPU:
            with contextlib.suppress(BridgeError):
                device = find_device(request["device"], request["name"], request["uuid"])
                if (drawn := self.model_file.inputs_on(device, request["seed"])) is not None:
                    return drawn
        return self.model_file.inputs(request["seed"])

    def _made(self, request):
        """The tensors that the file makes for a seed: inputs by position, state by key."""
        with torch.no_grad():
            made = dict(enumerate(self._drawn(request)))
            return {**made, **state_of(self.model_file.model(SEED))}

    def make(self, request):
        made, shared = self._made(request), SharedMemory()
        for place in request["tensors"]:
            with torch.no_grad():
                shared.tensor(place).copy_(as_stored(made[self.description.keys[place["name"]]]))
        del made
        gc.collect()
        shared.close()
        return {}

    def _run(self, shared, places, dtype):
        """Run the model on the CPU on the judge's tensors, with floats of type `dtype`."""
        model = self.model_file.model(SEED)
        inputs = self._inputs({self.description.keys.get(place["name"]) for place in places})
        for place in places:
            key, tensor = self.description.keys.get(place["name"]), shared.tensor(place)
            tensor = tensor.to(dtype) if tensor.is_floating_point() else tensor.clone()
            if key is None:  # forward makes this constant itself
                continue
            tensor = as_made(tensor, self.description.given[place["name"]][1])
            if isinstance(key, int):
                inputs[key] = tensor
            else:
                replace_state(model, key, tensor)
        with torch.no_grad():
            return outputs_of(model.to(dtype)(*inputs))

    def _inputs(self, provided):
        """
        A list of inputs, in which the judge's tensors are then put.  It is made anew if it has
        tensors that the judge does not provide (the graph does not use those).
        """
        described = self.description.inputs
        missing = any(isinstance(x, torch.Tensor) and i not in provided
                      for i, x in enumerate(described))
        return self.model_file.inputs(SEED) if missing else list(described)

    def expect(self, request):
        """Compute the expected outputs in double precision, or float32 if the model requires it."""
        shared = SharedMemory()
        try:
            made, precision = self._run(shared, request["tensors"], torch.float64), "f64"
        except (RuntimeError, TypeError):
            made, precision = self._run(shared, request["tensors"], torch.float32), "f32"
        for place, tensor in zip(request["outputs"], made):
            shared.tensor(place).copy_(tensor)
        if any(t.dtype == torch.float32 for t in made):
            precision = "f32"
        gc.collect()
        shared.close()
        return {"precision": precision}

    def make_baselines(self, request):
        device = find_device(request["device"], request["name"], request["uuid"])
        may_draw = not self.description.has_contents
        self.baselines = None
        self.baselines = Baselines(self.model_file, device, SEED, may_draw)
        return {"names": self.baselines.names(request["mixed"])}

    def _given(self, shared, request):
        """Copies of the judge's tensors by key.  A constant that forward makes itself has no key."""
        keys, given = self.description.keys, self.description.given
        return {keys[place["name"]]: as_made(shared.tensor(place).clone(), given[place["name"]][1])
                for place in request["tensors"] if place["name"] in keys}

    def take(self, request):
        """Take the judge's tensors before anything is compiled."""
        shared = SharedMemory()
        self.baselines.take(self._given(shared, request))
        gc.collect()
        shared.close()
        return {}

    def compile(self, request):
        self.baselines.time(request["name"], 0)
        return {}

    def prepare(self, request):
        """Run a baseline on the judge's tensors."""
        shared = SharedMemory()
        self.baselines.take(self._given(shared, request))
        made = self.baselines.prepare(request["name"])
        for place, tensor in zip(request["outputs"], made):
            shared.tensor(place).copy_(tensor)
        del made
        gc.collect()
        shared.close()
        return {}

    def time(self, request):
        return self.baselines.time(request["name"], request["runs"])

    def rest(self, request):
        """Nothing more is timed now, so serve() gives the memory back."""
        return {}

    def serve(self, request):
        commands = {"open": self.open, "make": self.make, "expect": self.expect,
                    "baselines": self.make_baselines, "take": self.take, "compile": self.compile,
                    "prepare": self.prepare, "time": self.time, "rest": self.rest}
        try:
            return commands[request["do"]](request)
        finally:
            if torch.cuda.is_initialized():
                (free_if_scarce if request["do"] == "time" else torch.cuda.empty_cache)()


def _time_out(number, frame):
    raise TimedOut


def answer(bridge, line):
    """The answer to a request, a line of JSON, as a dict."""
    request = json.loads(line)
    bridge.seconds = request.get("seconds", bridge.seconds)
    signal.setitimer(signal.ITIMER_REAL, 0 if request.get("pausable") else bridge.seconds)
    try:
        made = bridge.serve(request)
    except BaseException as error:  # the model's code may raise anything
        told = explain(bridge.file, error, bridge.seconds)
        made = {"error": str(told)[:500], "code": told.code}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return made


def main():
    signal.signal(signal.SIGALRM, _time_out)
    sys.path.pop(0)  # so that a model's imports do not find the bridge's modules
    bridge = Bridge()
    for line in REQUESTS:
        print(json.dumps(answer(bridge, line)), file=ANSWERS, flush=True)


main()
