"""Measure the judge: candidates per minute, the parts of an evaluation, memory, and the list of devices."""
import glob
import json
import math
import os
import re
import statistics
import subprocess
import threading
import time

from measure import BIN, KFORGE, ROOT, children, figure, pss_bytes, resident_mb, seconds, stat

WORKER = os.path.join(BIN, "kforge-worker")
FLOOR = os.path.join(BIN, "bench_floor")
SIZES = {"f32": 4, "i32": 4, "u32": 4, "f16": 2, "bf16": 2, "f64": 8, "i64": 8, "u8": 1, "i8": 1, "bool": 1}
PARTS = ("build", "kernels", "data", "oracle")
MEGABYTE = 1e6
MEMORY_BASE_BYTES = 150 * MEGABYTE


class Worker:
    """A kforge-worker process and its protocol of JSON lines."""

    def __init__(self, place, *options):
        self.process = subprocess.Popen([WORKER, *options], env=place.env, cwd=place.folder, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)

    def ask(self, what, **members):
        self.process.stdin.write(json.dumps({"id": 1, "do": what, **members}) + "\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"the worker ended during the request {what}")
            answer = json.loads(line)
            if answer["event"] == "error":
                raise RuntimeError(answer["error"])
            if answer["event"] == "result":
                return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()


class Memory(threading.Thread):
    """A thread that samples the peak memory of a process alone, and together with its descendants.

    The sum over several processes counts shared pages once (PSS).
    """

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.is_over = pid, threading.Event()
        self.own_bytes = self.peak_bytes = self.file_bytes = 0

    def sample(self):
        self.own_bytes = max(self.own_bytes, 1e6 * resident_mb(self.pid))
        held, files = map(sum, zip(*(pss_bytes(pid) for pid in [self.pid, *children(self.pid)])))
        if held > self.peak_bytes:
            self.peak_bytes, self.file_bytes = held, files

    def run(self):
        while not self.is_over.wait(0.05):
            self.sample()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.join()


def blocks(markdown, language):
    return re.findall(rf"^```{language}[^\n]*\n(.*?)^```", markdown, re.M | re.S)


def builtin_reply(place, problem, *options):
    """Return the first reply of the built-in generator.

    The session ends at its question about that candidate, because standard input ends.
    """
    subprocess.run([KFORGE, "run", problem, "--headless", "--ask", "--policy", "manual", "--functional", "1",
                    *options], input="a\n", env=place.env, cwd=place.folder, text=True, capture_output=True,
                   check=False, timeout=60)
    journals = glob.glob(place.path("data", "kforge", "sessions", "*", "events.jsonl"))
    with open(max(journals, key=os.path.getmtime), encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
    return place.text(next(e["text"] for e in events
                           if e["type"] == "step.proposed" and e["kind"] == "candidate"))


def candidate_of(reply, language):
    """Turn a reply in Markdown into the candidate of a worker's request."""
    (source,), (plan,) = blocks(reply, language), blocks(reply, "json")
    return {"language": language, "source": source, "plan": plan, "remark": ""}


def _candidate(place, problem):
    """Return the candidate to evaluate and its author: the hand-written one if there is one, else the built-in one."""
    written = os.path.join(ROOT, "tests", "candidates", os.path.basename(problem)[:-5] + ".md")
    if os.path.exists(written):
        with open(written, encoding="utf-8") as file:
            reply, author = file.read(), "by hand"
    else:
        reply, author = builtin_reply(place, problem), "builtin"
    return candidate_of(reply, "opencl"), author


def another(candidate, number):
    """Return the same kernel with a unique source, so that no compiler cache has it."""
    return dict(candidate, source=f"{candidate['source']}\nint bench_{number}(int x) {{ return x + {number}; }}\n")


def _extent(expression, dims):
    names = dict(dims, min=min, max=max, ceildiv=lambda a, b: -(-a // b), align=lambda a, b: -(-a // b) * b)
    return eval(str(expression).replace("/", "//"), {"__builtins__": {}}, names)  # shipped files only


def _tensor_bytes(problem):
    return sum(SIZES[tensor["dtype"]] * math.prod(_extent(e, problem["dims"]) for e in tensor["shape"])
               for tensor in problem["tensors"].values())


def judged(worker, candidate, **looks):
    """Evaluate, and return the wall time in seconds and the verdict, which must be correct."""
    begun = time.perf_counter()
    verdict = worker.ask("evaluate", candidate=candidate, **looks)["verdict"]
    took = time.perf_counter() - begun
    if verdict["outcome"] != "correct":
        raise RuntimeError(f"{verdict['outcome']}: {verdict.get('detail')}")
    if verdict["build"].get("cached"):
        raise RuntimeError("the build came from a cache, so the time lacks the compile")
    return took, verdict


def _evaluate(worker, candidate, deadline):
    """Evaluate with a warm worker until the deadline.

    Returns the (wall time, verdict) pairs, and the memory of the worker during the warm-up evaluation.
    """
    samples = []
    with Memory(worker.process.pid) as memory:
        judged(worker, another(candidate, 0))
    while not samples or time.perf_counter() + samples[-1][0] < deadline:
        samples.append(judged(worker, another(candidate, len(samples) + 1)))
    return samples, memory


def sample(took_s, verdict):
    """Return the figures of one evaluation; `rest` is the time outside of build, kernels, data and oracle."""
    total_ms, spent, timing = 1e3 * took_s, verdict["spent"], verdict["timing"]
    known = {f"{part}_ms": spent[f"{part}_ms"] for part in PARTS}
    rest_ms = total_ms - sum(known.values())
    low, high = timing["ci95_us"]
    return {"total_ms": total_ms, **known, "rest_ms": rest_ms, "rest_share": rest_ms / total_ms,
            "per_minute": 60 / took_s,
            "over_compile_and_kernels": total_ms / (known["build_ms"] + known["kernels_ms"]),
            "median_us": timing["median_us"], "interval_share": (high - low) / 2 / timing["median_us"]}


def _summary(path, author, evaluations, memory, tensors):
    each = [sample(*evaluation) for evaluation in evaluations]
    samples = {name: [sample[name] for sample in each] for name in each[0]}
    bound = evaluations[-1][1]["bound"]
    return {"problem": os.path.basename(path)[:-5], "candidate": author, "samples": samples,
            **{name: stat(values) for name, values in samples.items()},
            "bound_us": bound["us"], "limiter": bound["limiter"], "tensor_bytes": tensors,
            "worker_bytes": memory.own_bytes, "peak_bytes": memory.peak_bytes, "file_bytes": memory.file_bytes,
            "memory_goal_bytes": 2 * tensors + MEMORY_BASE_BYTES}


def driver_bytes(place):
    """Return the peak memory of a minimal program that builds and runs one kernel (bench_floor), in bytes."""
    with subprocess.Popen([FLOOR], env=dict(place.env, POCL_KERNEL_CACHE="0"), cwd=place.folder, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        with Memory(process.pid) as memory:
            if process.stdout.readline() != "done\n":
                raise RuntimeError("bench_floor did not run its kernel")
            memory.sample()
        process.stdin.close()
    return memory.peak_bytes


def measure_problem(place, path, deadline):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    worker = Worker(place)
    try:
        candidate, author = _candidate(place, path)
        worker.ask("load", problem=text, file=os.path.basename(path))
        samples, memory = _evaluate(worker, candidate, deadline)
        return _summary(path, author, samples, memory, _tensor_bytes(json.loads(text)))
    except (RuntimeError, ValueError, StopIteration, subprocess.CalledProcessError) as error:
        return {"problem": os.path.basename(path)[:-5], "error": str(error) or type(error).__name__}
    finally:
        worker.close()


def measure_problems(place, limit_s, say):
    """Measure all shipped problems, each at least once, and share `limit_s` seconds between them."""
    paths = sorted(glob.glob(os.path.join(ROOT, "prompts", "problems", "*.json")))
    end, found = time.perf_counter() + limit_s, []
    for path in paths:
        now = time.perf_counter()
        found.append(measure_problem(place, path, now + (end - now) / (len(paths) - len(found))))
        say(found[-1])
    return found


def measure_devices(place, quick):
    """Time the list of devices with cached roofs; the floor is `kforge --version`, a start of the same program."""
    runs = 5 if quick else 20
    place.run(KFORGE, "devices", "--measure")
    timed = lambda *argv: [1e3 * seconds(lambda: place.run(KFORGE, *argv)) for _ in range(runs)]
    floor = stat(timed("--version"))["median"]
    return [figure("judge", "kforge devices, roofs cached", "ms", timed("devices"), 100, floor,
                   "starting kforge alone")]


def figures(problems, floor_bytes):
    """Return one figure for each goal over all problems; `floor_bytes` is the memory of the driver itself."""
    judged = [p for p in problems if "error" not in p]
    shares = lambda taken: [100 * (p["peak_bytes"] - taken) / p["memory_goal_bytes"] for p in judged]
    lines = [figure("judge", "everything else than compiler, kernels, data and oracle", "%",
                    [100 * p["rest_share"]["median"] for p in judged], 10, of="most"),
             figure("judge", "memory of the worker, of twice the tensors and 150 MB", "%",
                    [100 * p["worker_bytes"] / p["memory_goal_bytes"] for p in judged], 100, of="most"),
             figure("judge", "memory of worker and executor, of the same", "%", shares(0), 100, of="most"),
             figure("judge", "all of it without pages of files, which are programs and libraries", "%",
                    [100 * (p["peak_bytes"] - p["file_bytes"]) / p["memory_goal_bytes"] for p in judged], 100,
                    of="most"),
             figure("judge", "all of it beside what the driver takes to build and run one kernel", "%",
                    shares(floor_bytes), 100, of="most"),
             figure("judge", "memory of a program that builds and runs one kernel, and nothing else", "MB",
                    [floor_bytes / MEGABYTE])]
    return lines + [line for p in judged if p["problem"] == "linear_gelu" for line in _main_problem(p)]


def _main_problem(p):
    least = [build + kernels for build, kernels in zip(p["samples"]["build_ms"], p["samples"]["kernels_ms"])]
    return [figure("judge", "linear_gelu: one candidate (30 a minute)", "ms", p["samples"]["total_ms"], 2000,
                   statistics.median(least), "its compile and runs of kernels"),
            figure("judge", "linear_gelu: the median is known to", "%",
                   [100 * share for share in p["samples"]["interval_share"]], 1)]
