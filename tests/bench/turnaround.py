"""Measure the time of one candidate on a GPU, from source to verdict in a warm worker."""
import json
import os
import subprocess

from judge import Worker, another, builtin_reply, candidate_of, judged, sample
from measure import ROOT, limits, stat

GOAL_MS = 600
RUNS, QUICK_RUNS = 5, 2
# Problems of different kinds; the candidate for each is the first one that the built-in agents write.
PROBLEMS = ("add_rmsnorm", "argmax", "bias_rope_kv_update", "conv2d_bias_relu", "cumsum", "gelu", "layernorm",
            "linear_gelu", "linear_logsumexp", "matmul_batched", "moe_finalize", "softmax", "transpose")
MIXED = ("linear_gelu", "linear_logsumexp")  # measured a second time in the class mixed (16-bit kernels)


def language_of(device):
    return "cuda" if device.startswith("cuda") else "opencl"


def _verdicts(place, path, device, runs, shortened):
    """Evaluate `runs` unique variants of the same kernel, after one warm-up evaluation that is dropped."""
    candidate = candidate_of(builtin_reply(place, path, "--device", device), language_of(device))
    worker = Worker(place, "--device", device, *shortened)
    try:
        with open(path, encoding="utf-8") as file:
            worker.ask("load", problem=file.read(), file=os.path.basename(path))
        return [judged(worker, another(candidate, number)) for number in range(runs + 1)][1:]
    finally:
        worker.close()


def _mixed(place, path):
    """Write a copy of the problem in the tolerance class mixed, and return its path."""
    with open(path, encoding="utf-8") as file:
        problem = json.load(file)
    problem["tolerance"] = {"class": "mixed"}
    mixed = place.path(f"{problem['name']}_mixed.json")
    with open(mixed, "w", encoding="utf-8") as file:
        json.dump(problem, file)
    return mixed


def _small(place, path):
    """Write a copy of the problem with dimensions of at most 64, and return its path."""
    with open(path, encoding="utf-8") as file:
        problem = json.load(file)
    problem["dims"] = {name: min(size, 64) for name, size in problem["dims"].items()}
    small = place.path(os.path.basename(path))
    with open(small, "w", encoding="utf-8") as file:
        json.dump(problem, file)
    return small


def _measure_problem(place, path, options):
    name = os.path.basename(path)[:-5]
    try:
        runs = QUICK_RUNS if options.quick else RUNS
        samples = [sample(*verdict) for verdict in _verdicts(place, path, options.device, runs, limits(options))]
    except (RuntimeError, ValueError, StopIteration, OSError, subprocess.SubprocessError) as error:
        return {"problem": name, "error": str(error) or type(error).__name__}
    return {"problem": name, **{key: stat(s[key] for s in samples) for key in samples[0]}}


def measure(place, options):
    shipped = {name: os.path.join(ROOT, "prompts", "problems", f"{name}.json") for name in PROBLEMS}
    paths = [*shipped.values(), *(_mixed(place, shipped[name]) for name in MIXED)]
    if options.quick:
        paths = [_small(place, path) for path in paths[:2]]
    for path in paths:
        yield _measure_problem(place, path, options)


def over_all(rows):
    """Return statistics over the medians of all candidates, in milliseconds."""
    return stat(row["total_ms"]["median"] for row in rows if "error" not in row)
