"""What judging costs: candidates a minute, where the time goes, memory, the list of devices."""
import glob
import json
import math
import os
import re
import subprocess
import time

from measure import BIN, KFORGE, ROOT, children, figure, memory_kb, seconds, stat

WORKER = os.path.join(BIN, "kforge-worker")
SIZES = {"f32": 4, "i32": 4, "u32": 4, "f16": 2, "bf16": 2, "f64": 8, "i64": 8, "u8": 1, "i8": 1, "bool": 1}
PARTS = ("build", "kernels", "data", "oracle")
MEGABYTE = 1e6
MEMORY_BASE_BYTES = 150 * MEGABYTE


class Worker:
    """A kforge-worker spoken to in JSON lines."""

    def __init__(self, place):
        self.process = subprocess.Popen([WORKER], env=place.env, cwd=place.folder, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)

    def ask(self, what, **members):
        self.process.stdin.write(json.dumps({"id": 1, "do": what, **members}) + "\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"the worker ended in {what}")
            answer = json.loads(line)
            if answer["event"] == "error":
                raise RuntimeError(answer["error"])
            if answer["event"] == "result":
                return answer

    def peak_bytes(self):
        """The most that the worker and its executor have held at a time, each."""
        return [1024 * memory_kb(pid, "VmHWM") for pid in [self.process.pid, *children(self.process.pid)]]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()


def _blocks(markdown, language):
    return re.findall(rf"^```{language}[^\n]*\n(.*?)^```", markdown, re.M | re.S)


def _builtin_reply(place, problem):
    """The built-in generator's first schedule: a session that is left when it asks about the candidate."""
    subprocess.run([KFORGE, "run", problem, "--headless", "--ask", "--policy", "manual", "--functional", "1"],
                   input="a\n", env=place.env, cwd=place.folder, text=True, capture_output=True,
                   check=False, timeout=60)
    journals = glob.glob(place.path("data", "kforge", "sessions", "*", "events.jsonl"))
    with open(max(journals, key=os.path.getmtime), encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
    text = next(e["text"] for e in events if e["type"] == "step.proposed" and e["kind"] == "candidate")
    return place.run("git", "-C", place.path("data", "kforge", "history.git"), "cat-file", "blob", text)


def _candidate(place, problem):
    """The hand-written candidate where there is one, and whose it is."""
    written = os.path.join(ROOT, "tests", "candidates", os.path.basename(problem)[:-5] + ".md")
    if os.path.exists(written):
        with open(written, encoding="utf-8") as file:
            reply, author = file.read(), "by hand"
    else:
        reply, author = _builtin_reply(place, problem), "builtin"
    (source,), (plan,) = _blocks(reply, "opencl"), _blocks(reply, "json")
    return {"language": "opencl", "source": source, "plan": plan, "remark": ""}, author


def _another(candidate, number):
    """The same kernel as a candidate that nothing has compiled before."""
    return dict(candidate, source=f"{candidate['source']}\nint bench_{number}(int x) {{ return x + {number}; }}\n")


def _extent(expression, dims):
    names = dict(dims, min=min, max=max, ceildiv=lambda a, b: -(-a // b), align=lambda a, b: -(-a // b) * b)
    return eval(str(expression).replace("/", "//"), {"__builtins__": {}}, names)  # shipped files only


def _tensor_bytes(problem):
    return sum(SIZES[tensor["dtype"]] * math.prod(_extent(e, problem["dims"]) for e in tensor["shape"])
               for tensor in problem["tensors"].values())


def _judged(worker, candidate):
    """The wall time of an evaluation, and the verdict, which must be good."""
    begun = time.perf_counter()
    verdict = worker.ask("evaluate", candidate=candidate)["verdict"]
    took = time.perf_counter() - begun
    if verdict["outcome"] != "correct":
        raise RuntimeError(f"{verdict['outcome']}: {verdict.get('detail')}")
    return took, verdict


def _evaluate(worker, candidate, limit_s):
    """Verdicts of a warm worker, with the wall time of each."""
    samples, number = [], 0
    _judged(worker, _another(candidate, number))
    begun = time.perf_counter()
    while not samples or time.perf_counter() - begun < limit_s:
        number += 1
        samples.append(_judged(worker, _another(candidate, number)))
    return samples


def _summary(path, author, samples, worker, tensors):
    spent = [verdict["spent"] for _, verdict in samples]
    verdicts = [verdict for _, verdict in samples]
    known = {part: [s[f"{part}_ms"] for s in spent] for part in PARTS}
    rest = [1e3 * took - sum(s[f"{part}_ms"] for part in PARTS) for (took, _), s in zip(samples, spent)]
    least = [s["build_ms"] + s["kernels_ms"] for s in spent]
    peaks = worker.peak_bytes()
    return {"problem": os.path.basename(path)[:-5], "candidate": author,
            "per_minute": stat([60 / took for took, _ in samples]),
            "total_ms": stat([1e3 * took for took, _ in samples]),
            **{f"{part}_ms": stat(values) for part, values in known.items()}, "rest_ms": stat(rest),
            "rest_share": stat([r / (1e3 * took) for r, (took, _) in zip(rest, samples)]),
            "over_compile_and_kernels": stat([1e3 * took / l for (took, _), l in zip(samples, least)]),
            "median_us": stat([v["timing"]["median_us"] for v in verdicts]),
            "interval_share": stat([(v["timing"]["ci95_us"][1] - v["timing"]["ci95_us"][0]) / 2
                                    / v["timing"]["median_us"] for v in verdicts]),
            "bound_us": verdicts[-1]["bound"]["us"], "limiter": verdicts[-1]["bound"]["limiter"],
            "tensor_bytes": tensors, "worker_peak_bytes": peaks[0], "executor_peak_bytes": sum(peaks[1:]),
            "memory_goal_bytes": 2 * tensors + MEMORY_BASE_BYTES}


def measure_problem(place, path, limit_s):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    worker = Worker(place)
    try:
        candidate, author = _candidate(place, path)
        worker.ask("load", problem=text, file=os.path.basename(path))
        samples = _evaluate(worker, candidate, limit_s)
        return _summary(path, author, samples, worker, _tensor_bytes(json.loads(text)))
    except (RuntimeError, ValueError, StopIteration, subprocess.CalledProcessError) as error:
        return {"problem": os.path.basename(path)[:-5], "error": str(error) or type(error).__name__}
    finally:
        worker.close()


def measure_problems(place, limit_s, say):
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "prompts", "problems", "*.json"))):
        found.append(measure_problem(place, path, limit_s))
        say(found[-1])
    return found


def measure_devices(place, quick):
    """Listing with cached roofs; the floor is a program of the same size that does nothing."""
    runs = 5 if quick else 20
    place.run(KFORGE, "devices", "--measure")
    timed = lambda *argv: [1e3 * seconds(lambda: place.run(KFORGE, *argv)) for _ in range(runs)]
    floor = stat(timed("--version"))["median"]
    return [figure("judge", "kforge devices, roofs cached", "ms", timed("devices"), 100, floor,
                   "starting kforge alone")]


def figures(problems):
    """What the goals say about all problems, in one line each."""
    judged = [p for p in problems if "error" not in p]
    memory = [(p["worker_peak_bytes"] + p["executor_peak_bytes"]) / p["memory_goal_bytes"] for p in judged]
    lines = [figure("judge", "everything else than compiler, kernels, data and oracle", "%",
                    [100 * p["rest_share"]["median"] for p in judged], 10, of="most"),
             figure("judge", "memory of worker and executor, of twice the tensors and 150 MB", "%",
                    [100 * share for share in memory], 100, of="most")]
    for p in judged:
        if p["problem"] == "linear_gelu":
            total, least = p["total_ms"], p["build_ms"]["median"] + p["kernels_ms"]["median"]
            lines.append({"part": "judge", "name": "linear_gelu: one candidate", "unit": "ms", "of": "median",
                          "value": total["median"], **total, "goal": 2000, "met": total["median"] <= 2000,
                          "floor": least, "floor_is": "one compile and its kernels' runs",
                          "ratio": total["median"] / least})
            lines.append({"part": "judge", "name": "linear_gelu: the median is known to", "unit": "%", "of": "median",
                          **{key: 100 * value if key != "count" else value
                             for key, value in p["interval_share"].items()},
                          "value": 100 * p["interval_share"]["median"], "goal": 1,
                          "met": p["interval_share"]["median"] <= 0.01, "floor": None, "floor_is": "", "ratio": None})
    return lines
