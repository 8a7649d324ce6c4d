"""
Judge and time the classes that `exported.py make --tf32` wrote in KernelBench's own harness.

  harness.py measure CHECKOUT FOLDER OUT.json --seconds S [--match PATTERN] [--done FILE...] [--gpus 0,1] [--jobs N]
  harness.py report FILE...

CHECKOUT is a checkout of KernelBench: its src/kernelbench/eval.py judges each class (eval_kernel_against_ref, float32, one trial
of correctness, ten of time) and times it by CUDA events with a cold cache.  A class that misses is tried once more with
operands of convolutions rounded to TF32, if that was exported.  In the same process, with the same model and inputs, right after:

  ours      the kernels alone: a CUDA graph of the call, replayed by the harness's protocol
  overhead  launch overhead: the harness's own timing of the same class with each kernel replaced by one that does nothing, so
            checks, outputs, arguments and launches are the same
  call      a call on the CPU while the GPU has nothing to do

A file is within if the harness's time (its mean) is at most 1.1 times ours plus the overhead.  The GPU belongs to one process at a
time, but for drawing inputs and compiling.
"""
import argparse
import contextlib
import ctypes
import datetime
import fcntl
import gc
import importlib
import io
import json
import os
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import types

import files

WITHIN = 1.1
TRIALS, WARM_UPS = 10, 3
MAX_SHARED, ANY_CLUSTER, SHARED_BYTES = 8, 14, 227 << 10  # numbers in cuda.h; what a kernel of this capability may have
NOTHING = 'extern "C" __global__ void kforge_nothing() {}'
LEAST_S = 8


class Record:
    """Stands for pydantic's BaseModel where that is not installed."""

    def __init__(self, **values):
        for name in type(self).__annotations__:
            setattr(self, name, values.get(name, getattr(type(self), name, None)))


def harness(checkout):
    """KernelBench's evaluation; modules that it imports for other purposes may be missing."""
    sys.path.insert(0, os.path.join(checkout, "src"))
    for name, members in (("dotenv", {"load_dotenv": lambda: None}), ("tqdm", {"tqdm": iter}), ("openai", {"OpenAI": None}),
                          ("litellm", {"completion": None}), ("requests", {}), ("pydantic", {"BaseModel": Record})):
        try:
            __import__(name)
        except ImportError:
            sys.modules[name] = types.ModuleType(name)
            vars(sys.modules[name]).update(members)
    return tuple(importlib.import_module(f"kernelbench.{name}") for name in ("eval", "timing"))


class Judge:
    """Runs one file after the other in this process; the GPU is held by a lock on a file."""

    def __init__(self, checkout, lock):
        import torch
        self._torch, self._lock, self._checkout = torch, open(lock, "w"), checkout
        self._eval, self._timing = harness(checkout)
        self._load_original, self._load_custom = self._eval.load_original_model_and_inputs, self._eval.load_custom_model
        self._time = self._timing.time_execution_with_cuda_event
        self._eval.load_original_model_and_inputs, self._eval.load_custom_model = self._original, self._custom
        self._timing.time_execution_with_cuda_event = self._timed
        self._names, self._row, self._nothing = {}, {}, None
        torch.set_num_threads(1)

    def _give(self):
        self._torch.cuda.synchronize()
        gc.collect()
        self._torch.cuda.empty_cache()
        fcntl.flock(self._lock, fcntl.LOCK_UN)

    def _without_gpu(self, function):
        """The function, during which others may have the GPU."""
        def called(*args, **kwargs):
            self._give()
            try:
                return function(*args, **kwargs)
            finally:
                fcntl.flock(self._lock, fcntl.LOCK_EX)
        return called

    def _original(self, source, context):
        model, init, inputs = self._load_original(source, context)
        return self._without_gpu(model), init, self._without_gpu(inputs)

    def _custom(self, source, context, build=None):
        def load():
            made, capability = self._load_custom(source, context, build), self._torch.cuda.get_device_capability(0)
            context["Kernels"].code[capability] = context["compile_kernels"](context["KERNELS"], context["OPTIONS"], capability)
            return made
        made = self._without_gpu(load)()
        self._names = dict(context)
        return self._without_gpu(made)

    def _timed(self, model, args, **options):
        """The harness's timing, and ours after it."""
        times = self._time(model, args, **options)
        try:
            self._beside(model, args, options["device"])
        except Exception as error:  # the verdict is kept all the same
            self._row["error"] = f"{type(error).__name__}: {str(error)[:300]}"
        self._row["harness"] = [1e3 * t for t in times]
        return times

    def _beside(self, model, args, device):
        torch, call = self._torch, lambda: model(*args)
        self._row["call"] = [self._on_cpu(call) for _ in range(TRIALS + WARM_UPS)][WARM_UPS:]
        want, graph, stream = call(), torch.cuda.CUDAGraph(), torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            made = call()
        graph.replay()
        torch.cuda.synchronize()
        self._row["graph"] = bool(torch.equal(made, want))
        del want
        self._row["ours"] = [1e3 * t for t in self._time(graph.replay, [], WARM_UPS, TRIALS, 1, False, device)]
        del made, graph
        torch.cuda.empty_cache()
        with self._emptied(model):
            self._row["overhead"] = [1e3 * t for t in self._time(model, args, WARM_UPS, TRIALS, 1, False, device)]

    def _on_cpu(self, call):
        self._torch.cuda.synchronize()
        begun = time.perf_counter()
        made = call()
        taken = time.perf_counter() - begun
        del made
        return 1e6 * taken

    @contextlib.contextmanager
    def _emptied(self, model):
        """The model with kernels that do nothing."""
        driver, module, nothing = self._names["Driver"](), ctypes.c_void_p(), ctypes.c_void_p()
        self._nothing = self._nothing or self._names["compile_kernels"](NOTHING, [], self._torch.cuda.get_device_capability(0))
        driver.call("cuModuleLoadData", ctypes.byref(module), self._nothing)
        driver.call("cuModuleGetFunction", ctypes.byref(nothing), module, b"kforge_nothing")
        driver.call("cuFuncSetAttribute", nothing, MAX_SHARED, SHARED_BYTES)
        driver.call("cuFuncSetAttribute", nothing, ANY_CLUSTER, 1)
        launches = [one for kernels in model.kforge_state.kernels.values() for one in kernels.lists["launches"]]
        kept = [one.kernel for one in launches]
        self._row["launches"] = len(launches)
        for one in launches:
            one.kernel = nothing
        yield
        for one, kernel in zip(launches, kept):
            one.kernel = kernel

    def run(self, row, path):
        """Return the row with the harness's verdict on the class in `path`."""
        self._row = {**row, "export": os.path.relpath(path, row["folder"]), "is_right": False}
        with open(os.path.join(self._checkout, "KernelBench", row["level"], row["file"]), encoding="utf-8") as file:
            reference = file.read()
        with open(path, encoding="utf-8") as file:
            custom = file.read()
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                found = self._eval.eval_kernel_against_ref(reference, custom, measure_performance=True, num_perf_trials=TRIALS,
                                                           check_for_excessive_speedup=False, device=self._torch.device("cuda:0"))
            said = {name: str(text)[:300] for name, text in found.metadata.items() if name not in ("hardware", "device")}
            self._row.update(is_right=bool(found.correctness), said=said)
        except Exception as error:  # the next file is judged all the same
            self._row["error"] = f"{type(error).__name__}: {str(error)[:300]}"
        finally:
            self._give()
        return self._row


def serve(options):
    """Judge the rows that come as lines, and answer each with a line."""
    judge = Judge(options.checkout, options.lock)
    for line in sys.stdin:
        row, begun, made = json.loads(line), time.perf_counter(), None
        for path in row["exports"]:
            made = judge.run(row, path)
            if made["is_right"]:
                break
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        made.update(seconds=round(time.perf_counter() - begun, 1), device=judge._torch.cuda.get_device_name(0), date=now)
        print("row " + json.dumps(made), flush=True)


def exports_of(folder, row):
    """The classes to try for a file: those with rewrites first, and those with TF32 where these miss."""
    place = os.path.join(folder, "f32", row["level"])
    with open(os.path.join(place, row["file"].removesuffix(".py") + ".json"), encoding="utf-8") as file:
        name = json.load(file)["name"]
    kinds = [[os.path.join(place, kind, name + ending) for ending in ("_rewritten.py", ".py")] for kind in ("", "tf32")]
    found = [next(filter(os.path.exists, paths), None) for paths in kinds]
    return [path for path in found if path]


class Lane:
    """A process that judges, begun again where it ends."""

    def __init__(self, options, gpu, lock):
        self._command = [sys.executable, "-B", __file__, "serve", options.checkout, lock]
        self._environment, self._process = dict(os.environ, CUDA_VISIBLE_DEVICES=gpu), None

    def ask(self, row, limit_s):
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             stderr=subprocess.DEVNULL, text=True, env=self._environment)
        killer = threading.Timer(limit_s, self._process.kill)
        killer.start()
        try:
            print(json.dumps(row), file=self._process.stdin, flush=True)
            found = next((line for line in self._process.stdout if line.startswith("row ")), None)
        except OSError:
            found = None
        killer.cancel()
        if found is None or "CUDA error" in found:  # after which a process can do nothing more
            self._process.kill()
            self._process.wait()
        return json.loads(found[4:]) if found else {**row, "is_right": False, "error": "ended, or time was up"}

    def end(self):
        if self._process:
            self._process.kill()


def measure(options):
    """Judge all files on all GPUs, and write the rows after each."""
    options.files, options.tolerance = os.path.join(options.checkout, "KernelBench"), ["f32"]
    waiting, rows, lock, end = queue.Queue(), [], threading.Lock(), time.monotonic() + options.seconds
    done = {files.key(row) for path in options.done or () for row in files.load(path)}
    options.done = None
    for row in files.find(options):
        if files.key(row) not in done and row["level"] != "level3":
            waiting.put({**row, "folder": options.folder, "exports": exports_of(options.folder, row)})

    def work(lane):
        while (left := end - time.monotonic()) > LEAST_S and not waiting.empty():
            row = lane.ask(waiting.get(), left)
            with lock:
                rows.append(row)
                with open(options.out, "w", encoding="utf-8") as file:
                    json.dump({"files": rows}, file)
        lane.end()

    with tempfile.TemporaryDirectory() as folder:
        lanes = [Lane(options, gpu, os.path.join(folder, gpu)) for gpu in options.gpus.split(",") for _ in range(options.jobs)]
        threads = [threading.Thread(target=work, args=(lane,)) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    show([options.out])


def show(paths):
    rows = {files.key(row): row for path in paths for row in files.load(path)}.values()
    right = [row for row in rows if row["is_right"]]
    timed = [row for row in right if "overhead" in row]
    for row in timed:
        mean, ours = statistics.mean(row["harness"]), statistics.median(row["ours"])
        row["over"] = mean / ours
        row["alone"], row["within"] = mean <= WITHIN * ours, mean <= WITHIN * ours + statistics.mean(row["overhead"])
    print(f"{len(right)} of {len(rows)} correct, {sum('tf32' in row['export'] for row in right)} of them with TF32; of "
          f"{len(timed)} with times {sum(row['alone'] for row in timed)} within 10 %, {sum(row['within'] for row in timed)} with "
          f"the launch overhead; CUDA graphs agree in {sum(row['graph'] for row in timed)}")
    for row in sorted(timed, key=lambda row: -row["over"]):
        if not row["alone"]:
            print(f"{files.name(row)}: harness {statistics.mean(row['harness']):.1f} us (median "
                  f"{statistics.median(row['harness']):.1f}), ours {statistics.median(row['ours']):.1f}, overhead {statistics.mean(row['overhead']):.1f}, "
                  f"call {statistics.median(row['call']):.1f}, {row['launches']} launches{'' if row['within'] else ': outside'}")
    for row in rows:
        if not row["is_right"] or "error" in row:
            print(f"{files.name(row)}: {row.get('error') or row.get('said')}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    serving, measuring = parts.add_parser("serve"), parts.add_parser("measure")
    serving.add_argument("checkout")
    serving.add_argument("lock")
    for name in ("checkout", "folder", "out"):
        measuring.add_argument(name)
    measuring.add_argument("--seconds", type=float, default=1e9)
    measuring.add_argument("--match", help="only files whose level and name match this pattern")
    measuring.add_argument("--done", nargs="+", help="leave out the files that these results have")
    measuring.add_argument("--gpus", default="0")
    measuring.add_argument("--jobs", type=int, default=4, help="processes on each GPU")
    parts.add_parser("report").add_argument("results", nargs="+")
    options = parser.parse_args()
    if options.part == "report":
        return show(options.results)
    return {"measure": measure, "serve": serve}[options.part](options)


if __name__ == "__main__":
    main()
