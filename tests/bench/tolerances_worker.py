"""A process of tolerances.py: it compares PyTorch's own kernels with what the judge expects.

usage: tolerances_worker.py BENCH_TOLERANCES cpu|cuda

It reads tasks as lines of JSON from standard input and answers each with one. A task is {"path", "phase", "sizes"};
"sizes" is null for a file whose reduced sizes are not known yet, and then the answer has them.
"""
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "backends", "torch")]

os.environ["TORCHINDUCTOR_AUTOGRAD_CACHE"] = "0"  # as in backends/torch/bridge.py

import torch

import model_sizes
from baselines import AHEAD, Baselines, available, has_weights
from description import SEED, Description
from model_file import ModelFile, state_of

CHUNK = 1 << 24
SLOW_S = 10  # to compile
MOST_BYTES, MOST_FLOPS = 3 << 24, 1e9  # of a reduced model in the oracle
TYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16,
         "i32": torch.int32, "i64": torch.int64, "bool": torch.bool, "u8": torch.uint8, "i8": torch.int8}
WIDE = ("f64", "i64", "i32")  # their expected elements are doubles
ROUNDED = {"rounded_bf16": torch.bfloat16, "rounded_f16": torch.float16}


class Slow(BaseException):
    """A kind took too long."""


class Oracle:
    """A bench_tolerances, which is started anew after it has ended."""

    def __init__(self, command):
        self._command, self._process = command, None

    def ask(self, *words):
        if self._process is None:
            self._process = subprocess.Popen(self._command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        print(*words, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline().split(None, 1)
        if not line:
            code, self._process = self._process.wait(), None
            raise RuntimeError(f"bench_tolerances ended with status {code}")
        if line[0] != "ok":
            raise RuntimeError(line[1].strip())
        return line[1].split() if len(line) > 1 else []


def _write_problem(problem, tolerance, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**problem, "tolerance": {"class": tolerance}}, file)


def _read(path, dtype, shape):
    count = 1
    for size in shape:
        count *= size
    return torch.from_file(path, shared=False, size=count, dtype=dtype).reshape(shape)


def cost(oracle, folder, text, name):
    """Return the cost of an evaluation with this text as a multiple of that of a reduced model; None: it fails."""
    try:
        problem = Description(ModelFile(text, name)).problem("f32")
        path = os.path.join(folder, "size.json")
        _write_problem(problem, "f32", path)
        held, flops = map(float, oracle.ask("size", path))
    except Exception as error:
        print(f"{name}: {error}"[:300], file=sys.stderr)
        return None
    return max(held / MOST_BYTES, flops / MOST_FLOPS)


class Comparison:
    """The expected outputs of one class, and how far a kind is off."""

    def __init__(self, folder, problem, device):
        self._outputs = []
        for name, tensor in problem["tensors"].items():
            if tensor["role"] == "output":
                kept = torch.float64 if tensor["dtype"] in WIDE else torch.float32
                want = _read(os.path.join(folder, f"{name}.want"), kept, tensor["shape"]).to(device)
                path = os.path.join(folder, f"{name}.allowed")
                allowed = _read(path, torch.float32, tensor["shape"]).to(device) if os.path.exists(path) else None
                self._outputs.append((name, TYPES[tensor["dtype"]], want, allowed))

    def rounded(self, dtype):
        """Return the expected outputs, correctly rounded to a type."""
        return [want.to(dtype) if kind.is_floating_point else want.to(kind) for _, kind, want, _ in self._outputs]

    def hold(self, made):
        """Return for the outputs of a kind the largest error over tolerance, and how many elements exceed 1."""
        if len(made) != len(self._outputs):
            raise RuntimeError(f"{len(made)} outputs, expected {len(self._outputs)}")
        found = {"max": 0.0, "count": 0, "nonfinite": 0, "elements": 0, "squares": 0.0}
        for got, (name, dtype, want, allowed) in zip(made, self._outputs):
            if got.shape != want.shape:
                raise RuntimeError(f"{name} has shape {list(got.shape)}, expected {list(want.shape)}")
            got = got.to(dtype).reshape(-1)
            for first in range(0, got.numel(), CHUNK):
                part = slice(first, first + CHUNK)
                self._add(found, name, first, got[part], want.reshape(-1)[part],
                          None if allowed is None else allowed.reshape(-1)[part])
        found["rms"] = (found.pop("squares") / max(found["elements"], 1)) ** 0.5
        return found

    @staticmethod
    def _add(found, name, first, got, want, allowed):
        """The rule of core/judge/compare/verify.c for a derived tolerance."""
        stored = want.to(got.dtype).double()
        got, want = got.double(), want.double()
        off = (got - want).abs()
        limit = torch.zeros_like(off) if allowed is None else allowed.double()
        over = off / (limit + sys.float_info.min)
        same = (got.isnan() & stored.isnan()) | (got.isinf() & (got == stored))
        odd = ~off.isfinite()
        wrong = odd & ~same
        over = torch.where(odd, torch.zeros_like(over), over)
        found["nonfinite"] += int(wrong.sum())
        found["count"] += int((over > 1).sum()) + int(wrong.sum())
        found["elements"] += got.numel()
        found["squares"] += float((over ** 2).sum())
        worst = int(over.argmax()) if over.numel() else 0
        if over.numel() and float(over[worst]) > found["max"]:
            found["max"] = float(over[worst])
            found["worst"] = {"output": name, "element": first + worst, "got": float(got[worst]),
                              "want": float(want[worst]), "allowed": float(limit[worst])}


class Model:
    """One file at some sizes: its problem, its data, and PyTorch's kernels of it."""

    def __init__(self, oracle, folder, text, name):
        self._oracle, self._folder = oracle, folder
        self._file = ModelFile(text, name)
        self._description = Description(self._file)
        self.problem = self._description.problem("f32")
        if not self.problem["graph"]:
            raise RuntimeError("no whole graph: " + "; ".join(self.problem["torch"]["unknown"]))
        self._write_made()
        self._baselines = None

    def _path(self, name):
        return os.path.join(self._folder, name)

    def _write_made(self):
        """Write the tensors that only the file can make."""
        names = [name for name, tensor in self.problem["tensors"].items() if tensor.get("fill") == {"model": []}]
        if not names:
            return
        with torch.no_grad():
            made = {**dict(enumerate(self._file.inputs(SEED))), **state_of(self._file.model(SEED))}
            for name in names:
                tensor = made[self._description.keys[name]].detach().contiguous()
                with open(self._path(f"{name}.in"), "wb") as file:
                    file.write(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())

    def expect(self, tolerance, device):
        _write_problem(self.problem, tolerance, self._path("problem.json"))
        self._oracle.ask("expect", self._path("problem.json"), self._folder)
        return Comparison(self._folder, self.problem, device)

    def has_weights(self):
        return has_weights(self._file.model(SEED))

    def run(self, kind, device):
        """Return the outputs of a baseline."""
        if self._baselines is None:
            self._baselines = Baselines(self._file, device, SEED, False)
            keys = self._description.keys
            self._baselines.take({keys[name]: _read(self._path(f"{name}.in"), TYPES[tensor["dtype"]], tensor["shape"])
                                  for name, tensor in self.problem["tensors"].items()
                                  if tensor["role"] != "output" and name in keys})
        return self._baselines.prepare(kind)


def _stop(number, frame):
    raise Slow


def _kind_row(compute, comparison, limit):
    """Return the row of one kind, or its error."""
    began = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        made = compute()
        signal.setitimer(signal.ITIMER_REAL, 0)
        row = comparison.hold(made)
    except Slow:
        row = {"error": f"more than {limit} s", "slow": True}
    except Exception as error:
        row = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:300]}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return {**row, "seconds": round(time.perf_counter() - began, 2)}


def _kinds(model, device, is_compiled):
    """
    Return the baseline of each kind by its name.  A model without weights whose data are cast is no baseline; its
    kinds are called `eager_bf16_data`.
    """
    weights = model.has_weights()
    names = [name for name in available(torch.device(device).type, True, True)
             if name.startswith("compile") == is_compiled]
    return {name if weights or name.partition("_")[2] not in AHEAD else name[:-1] + "_data": name for name in names}


def _rows(model, device, is_compiled):
    """Yield (kind, row) for all kinds."""
    for tolerance in ("f32", "mixed"):
        comparison = model.expect(tolerance, device)
        for kind, name in _kinds(model, device, is_compiled).items():
            if ("_" in kind) == (tolerance == "mixed"):
                row = _kind_row(lambda: model.run(name, device), comparison, SLOW_S * 2 if is_compiled else 60)
                yield kind, row
                if row.get("slow"):
                    return
        if tolerance == "mixed" and not is_compiled:
            for kind, dtype in ROUNDED.items():
                yield kind, _kind_row(lambda: comparison.rounded(dtype), comparison, 60)


def compare(oracle, device, task):
    """Carry out a task."""
    name = os.path.basename(task["path"])
    with open(task["path"], encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        sizes = task["sizes"]
        if task["phase"] == "full":
            sizes = {}
        elif sizes is None:
            sizes = model_sizes.reduce(text, lambda tried: cost(oracle, folder, tried, name))
        answer = {"sizes": sizes, "kinds": {}}
        if task["phase"] == "sizes":
            return {**answer, "cost": cost(oracle, folder, text, name)}
        try:
            model = Model(oracle, folder, model_sizes.with_sizes(text, sizes), name)
            began = time.perf_counter()
            for kind, row in _rows(model, device, task["phase"] == "compiled"):
                answer["kinds"][kind] = row
            answer["seconds"] = round(time.perf_counter() - began, 2)
        except Exception as error:
            answer["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:300]
    return answer


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a model prints goes to the log
    signal.signal(signal.SIGALRM, _stop)
    torch.set_num_threads(2)
    device = {"cuda": "cuda:0"}.get(sys.argv[2], sys.argv[2])
    oracle = Oracle([sys.argv[1]] + ([device] if device != "cpu" else []))
    for line in sys.stdin:
        answer = compare(oracle, device, json.loads(line))
        print(json.dumps(answer), file=answers, flush=True)
        gc.collect()
        if device != "cpu":
            torch.cuda.empty_cache()
        if "torch._dynamo" in sys.modules:
            torch._dynamo.reset()


main()
