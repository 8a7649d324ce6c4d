"""
Time the classes that kforge exports for PyTorch beside PyTorch itself, a file in seconds.

  exported.py make CHECKOUT FOLDER BENCH_KERNELS [--match PATTERN] [--tolerance CLASS] [--tf32]
  exported.py measure CHECKOUT FOLDER OUT.json --seconds S [--baselines NAMES] [--done FILE...]
  exported.py report FILE...

`make` needs no GPU: for each file of KernelBench's levels in CHECKOUT it exports the first candidate of the built-in agents
for an H200 to FOLDER, and the one with all rewrites of the graph that save work, which an analyst would recommend next, if
there are any; with --tf32 also with operands of convolutions rounded to TF32. `measure` times them on all GPUs, one file at
a time on each, in turn with the baselines that the judge knows (backends/torch/baselines.py), and compares their outputs
with eager PyTorch's in f32 as KernelBench does. Where they differ, both are compared with the model in double, because
eager PyTorch may be as far from it: batch norms over few values, for example, make rounding large.  So a time here is one
of first candidates, judged by PyTorch; sessions, which judge by an oracle and go on, are bench.py's.
"""
import argparse
import copy
import datetime
import importlib.util
import json
import os
import queue
import random
import re
import statistics
import subprocess
import sys
import threading
import time

import files
import report
from files import report as files_report
from measure import ROOT

sys.path.insert(0, os.path.join(ROOT, "backends", "torch"))
LIMITS = {"f32": 1e-4, "mixed": 1e-2}  # absolute and relative, those of KernelBench for 32 and 16 bits
BASELINES = {"f32": ("eager", "compile"), "mixed": ("eager", "compile", "eager_bf16w", "eager_f16w", "compile_f16w")}
ROUNDS, ROUNDS_S = (5, 40), 0.8
LEAST_S = 10  # a file that would have less is not begun
SERVER_S = 60  # a server that has not answered by then is ended
PIECE = 1 << 27  # elements that are compared at a time
RESAMPLES = 1000
SEED = 7
EXPORTED = {"first": ".py", "rewritten": "_rewritten.py"}
DEVICE = "cuda:0"


def problem_path(folder, row):
    return os.path.join(folder, row["tolerance"], row["level"], row["file"].removesuffix(".py") + ".json")


def describe(options, row):
    """Write the problem of a file; raise what the description raises."""
    from description import Description
    from model_file import ModelFile
    path = os.path.join(options.checkout, row["level"], row["file"])
    with open(path, encoding="utf-8") as file:
        found = Description(ModelFile(file.read(), row["file"])).problem(row["tolerance"])
    with open(problem_path(options.folder, row), "w", encoding="utf-8") as file:
        json.dump(found, file)


def make(options):
    """Write a problem and an exported class for each file, and print what could not be."""
    for row in files.find(options):
        problem = problem_path(options.folder, row)
        os.makedirs(os.path.dirname(problem), exist_ok=True)
        try:
            if not os.path.exists(problem):
                describe(options, row)
        except Exception as error:  # a file that PyTorch cannot run is one line of the report
            print(f"{row['level']}/{row['file']}: {type(error).__name__}: {error}", flush=True)
            continue
        done = subprocess.run([options.bench_kernels, "-n", "-e", os.path.dirname(problem), problem], text=True,
                              capture_output=True)
        if done.returncode:
            print(f"{row['level']}/{row['file']}: {done.stderr.strip()[-300:]}", flush=True)
        if options.tf32:
            folder = os.path.join(os.path.dirname(problem), "tf32")
            os.makedirs(folder, exist_ok=True)
            subprocess.run([options.bench_kernels, "-n", "-t", "-e", folder, problem], capture_output=True)  # not for each file


def exported_class(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def apart(got, want, limit):
    """
    Return the largest difference over the largest value, and whether each element is right: within `limit` as KernelBench
    has it in f32, and within `limit` of its value and of the root of the mean square in 16 bits.
    """
    import torch
    kind = torch.float64 if want.dtype == torch.float64 else torch.float32
    got, want = got.reshape(-1), want.reshape(-1)
    if got.shape != want.shape:
        return float("nan"), False
    worst, largest, is_close = 0.0, 0.0, True
    scale = 1 if limit == LIMITS["f32"] else max(1, float(torch.linalg.vector_norm(want.float())) / want.numel() ** 0.5)
    for first in range(0, want.numel(), PIECE):
        g, w = got[first:first + PIECE].to(kind), want[first:first + PIECE].to(kind)
        worst, largest = max(worst, float((g - w).abs().max())), max(largest, float(w.abs().max()))
        is_close = is_close and torch.allclose(g, w, atol=limit * scale, rtol=limit, equal_nan=True)
    return worst / (largest or 1), is_close


def beside(source, paths):
    """Return Baselines of the model in `source` that also know the exported classes in `paths`, a dict by name."""
    import torch
    from baselines import Baselines
    from model_file import ModelFile

    class Beside(Baselines):
        def __init__(self):
            with open(source, encoding="utf-8") as file:
                super().__init__(ModelFile(file.read(), os.path.basename(source)), DEVICE, SEED, True)
            self._exported = {name: self._load(path) for name, path in paths.items()}

        def _load(self, path):
            module = exported_class(path, "exported_" + re.sub(r"\W", "_", os.path.basename(path)[:-3]))
            made = module.ModelNew(*module.get_init_inputs())
            made.load_state_dict(self._model.state_dict())
            return made.to(self.device).requires_grad_(False)

        def _callable(self, name):
            return self._exported.get(name) or super()._callable(name)

        def compare(self, name, limit):
            with torch.no_grad():
                pairs = zip(self.prepare(name), self.prepare("eager"), strict=True)
                found = [apart(got, want, limit) for got, want in pairs]
            return max(worst for worst, _ in found), all(is_close for _, is_close in found)

        def away(self, names):
            """Return how far the outputs of each are from those of the model in double, over the largest value."""
            double = lambda x: x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x
            with torch.no_grad():
                want = copy.deepcopy(self._model).double()(*(double(x) for x in self._inputs))
                want = want if isinstance(want, (tuple, list)) else [want]
                return {name: max(apart(got, one, LIMITS["f32"])[0] for got, one in zip(self.prepare(name), want, strict=True))
                        for name in names}

    return Beside()


def ratio_interval(mine, other):
    """Return the 95 % interval of the ratio of two medians by the bootstrap."""
    draw = random.Random(SEED)
    made = sorted(statistics.median(draw.choices(other, k=len(other))) / statistics.median(draw.choices(mine, k=len(mine)))
                  for _ in range(RESAMPLES))
    return [made[int(0.025 * RESAMPLES)], made[int(0.975 * RESAMPLES)]]


def in_turn(model, names):
    """Return the times of each, taken in turn, in microseconds; a baseline that fails has a text."""
    times, failures = {}, {}
    for name in names:
        try:
            times[name] = model.time(name, 1)["times_us"][-1:]
        except Exception as error:  # torch.compile fails for some models
            if name in EXPORTED:
                raise
            failures[name] = f"{type(error).__name__}: {str(error)[:200]}"
    turn_s = 2 * sum(first[0] for first in times.values()) / 1e6
    for _ in range(max(ROUNDS[0], min(ROUNDS[1], int(ROUNDS_S / turn_s)))):
        for name, some in times.items():
            some.extend(model.time(name, 1)["times_us"])
    return {name: some[1:] for name, some in times.items()}, failures


def from_double(model, row):
    """Return the end of an error: how far eager PyTorch and the first candidate are from double, which `row` keeps as well."""
    try:
        row["away"] = model.away(("eager", "first"))
    except Exception as error:  # a model that computes in float32 only, or has no room
        return f"; in double: {type(error).__name__}: {str(error)[:100]}"
    return "; from double: eager PyTorch {eager:.3g}, the candidate {first:.3g}".format(**row["away"])


def measured(options, row):
    """Return a row as bench.py makes it, with `difference` and whether the outputs are right."""
    folder = os.path.dirname(problem_path(options.folder, row))
    with open(problem_path(options.folder, row), encoding="utf-8") as file:
        name = json.load(file)["name"]
    paths = {kind: os.path.join(folder, name + ending) for kind, ending in EXPORTED.items()}
    paths = {kind: path for kind, path in paths.items() if kind == "first" or os.path.exists(path)}
    model = beside(os.path.join(options.checkout, row["level"], row["file"]), paths)
    compared = {kind: model.compare(kind, LIMITS[row["tolerance"]]) for kind in paths}
    row["difference"] = {kind: difference for kind, (difference, _) in compared.items()}
    right = [kind for kind, (_, is_right) in compared.items() if is_right]
    if not right:
        return {**row, "error": f"the outputs differ by {row['difference']['first']:.3g} of the largest value" + from_double(model, row)}
    names = options.baselines or (BASELINES[row["tolerance"]] if row["level"] != "level3" else ("eager",))
    times, failures = in_turn(model, (*right, *names))
    medians = {kind: statistics.median(times[kind]) for kind in right}
    best = min(medians, key=medians.get)
    mine, times = times[best], {name: some for name, some in times.items() if name not in EXPORTED}
    known = {}
    for name, some in times.items():
        known[name] = {"name": name, "median_us": statistics.median(some), "speedup": statistics.median(some) / statistics.median(mine),
                       "speedup_ci95": ratio_interval(mine, some)}
    full = min((b for name, b in known.items() if name in BASELINES["f32"]), key=lambda b: b["median_us"])
    ordered = sorted(mine)
    return {**row, "us": medians[best], "best": best, "medians": medians, "bound": None, "limiter": None, "runs": len(mine),
            "ci95_us": [ordered[int(0.025 * len(mine))], ordered[min(len(mine) - 1, int(0.975 * len(mine)))]],
            "baselines": known, "failures": failures, "full": full, "matched": min(known.values(), key=lambda b: b["median_us"])}


def serve(options):
    """Measure the rows that come as lines, and answer each with a line."""
    import gc
    import torch
    for line in sys.stdin:
        row, began = json.loads(line), time.perf_counter()
        try:
            row = measured(options, row)
        except Exception as error:  # the next file is measured all the same
            row["error"] = f"{type(error).__name__}: {str(error)[:300]}"
        row.update(seconds=round(time.perf_counter() - began, 2), device=torch.cuda.get_device_name(), jobs=1,
                   date=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), attempts=[])
        print("row " + json.dumps(row), flush=True)
        gc.collect()
        torch.cuda.empty_cache()


class Server:
    """A process with PyTorch for one GPU, begun again where it ends."""

    def __init__(self, gpu, options):
        self._gpu, self._options, self._process = gpu, options, None

    def ask(self, row, limit_s):
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-B", __file__, "serve", self._options.checkout, self._options.folder]
            if self._options.baselines:
                command += ["--baselines", ",".join(self._options.baselines)]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                             text=True, env=dict(os.environ, CUDA_VISIBLE_DEVICES=str(self._gpu)))
        killer = threading.Timer(limit_s, self._process.kill)
        killer.start()
        try:
            print(json.dumps(row), file=self._process.stdin, flush=True)
            found = next((line for line in self._process.stdout if line.startswith("row ")), None)
        except OSError:
            found = None
        killer.cancel()
        return json.loads(found[4:]) if found else {**row, "error": f"ended, or no answer in {limit_s:.0f} s", "seconds": limit_s,
                                                    "device": "", "jobs": 1, "date": "", "attempts": []}

    def end(self):
        if self._process:
            self._process.kill()


def measure(options):
    """Measure all files on all GPUs and write the rows after each."""
    waiting, rows, lock, end = queue.Queue(), [], threading.Lock(), time.monotonic() + options.seconds
    for row in files.find(options):
        if os.path.exists(problem_path(options.folder, row)):
            waiting.put(row)

    def one(gpu):
        server = Server(gpu, options)
        while (left := end - time.monotonic()) > LEAST_S and not waiting.empty():
            row = server.ask(waiting.get(), min(left, SERVER_S))
            with lock:
                rows.append(row)
                with open(options.out, "w", encoding="utf-8") as file:
                    json.dump({"files": rows}, file)
        server.end()

    threads = [threading.Thread(target=one, args=(gpu,)) for gpu in options.gpus.split(",")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    show([options.out])


def show(paths):
    rows = []
    for path in paths:
        rows = files.merge(rows, files.load(path))
    print("\n".join(files_report.table(rows, report._aligned)))
    for row in rows:
        if "error" in row:
            print(f"{row['level']}/{row['file']} {row['tolerance']}: {row['error']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    for name in ("make", "measure", "serve"):
        part = parts.add_parser(name)
        part.add_argument("checkout")
        part.add_argument("folder")
        if name != "make":
            part.add_argument("--baselines", type=lambda names: names.split(","),
                              help="time only these, such as eager; eager or compile must be among them")
        if name == "serve":
            continue
        part.add_argument("bench_kernels" if name == "make" else "out")
        part.add_argument("--match", help="only files whose level and name match this pattern")
        part.add_argument("--tolerance", choices=files.TOLERANCES, action="append")
        part.add_argument("--done", nargs="+", help="leave out the files that these results have")
        if name == "make":
            part.add_argument("--tf32", action="store_true", help="also to tf32/, as --tf32-convolutions does, for harness.py")
        if name == "measure":
            part.add_argument("--seconds", type=float, default=1e9)
            part.add_argument("--gpus", default="0")
    parts.add_parser("report").add_argument("results", nargs="+")
    options = parser.parse_args()
    if options.part == "report":
        return show(options.results)
    options.files = options.checkout
    return {"make": make, "measure": measure, "serve": serve}[options.part](options)


if __name__ == "__main__":
    main()
