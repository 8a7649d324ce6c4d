"""Check that time, memory and descriptors of one worker stay constant over many evaluations.

usage: /usr/bin/python3 -B tests/bench/endurance.py [EVALUATIONS]     (default 1000)

The script evaluates small problems in turn.  Each source is unique, so that no compiler cache helps.  It exits with 1
when memory or descriptors grow.
"""
import glob
import json
import os
import statistics
import sys
import tempfile

import judge
from measure import BUILD, ROOT, Place, children, descriptors, resident_mb

PROBLEMS = ("scale", "row_softmax", "product", "winner")
PARTS = 10  # the last tenth is compared with the second, when all caches and pools have been filled


def _candidates():
    """Yield the text of each problem and an honest candidate for it."""
    for name in PROBLEMS:
        folder = os.path.join(ROOT, "tests", "attack")
        with open(os.path.join(folder, "problems", name + ".json"), encoding="utf-8") as file:
            problem = file.read()
        reply = sorted(glob.glob(os.path.join(folder, "opencl", "honest", name + ".*.md")))[0]
        with open(reply, encoding="utf-8") as file:
            text = file.read()
        (source,), (plan,) = judge.blocks(text, "opencl"), judge.blocks(text, "json")
        yield problem, {"language": "opencl", "source": source, "plan": plan, "remark": ""}


def _sample(worker, took):
    processes = [worker.process.pid, *children(worker.process.pid)]
    return {"s": took, "worker_mb": resident_mb(processes[0]),
            "executor_mb": sum(resident_mb(pid) for pid in processes[1:]),
            "descriptors": sum(descriptors(pid) for pid in processes)}


def _run(worker, count):
    samples = []
    candidates = list(_candidates())
    for part in range(PARTS):
        for problem, candidate in candidates:
            worker.ask("load", problem=problem, file="endurance.json")
            for i in range(count // PARTS // len(candidates)):
                took, _ = judge.judged(worker, judge.another(candidate, 1000 * part + i))
                samples.append(_sample(worker, took))
    return samples


def _drift(samples):
    """Return, for each quantity, its median over the second part and over the last part."""
    size = len(samples) // PARTS
    early, late = samples[size:2 * size], samples[-size:]
    return {name: (statistics.median(s[name] for s in early), statistics.median(s[name] for s in late))
            for name in samples[0]}


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory(dir=BUILD, prefix="endurance-") as folder:
        place = Place(folder)
        worker = judge.Worker(place)
        samples = _run(worker, count)
        scratch = len(glob.glob(os.path.join(tempfile.gettempdir(), "kforge-executor-*")))
        worker.close()
    drift = _drift(samples)
    print(json.dumps({"evaluations": len(samples), "drift": drift, "folders_in_use": scratch}))
    early, late = drift["executor_mb"]
    grown = late > 1.5 * early + 50 or drift["worker_mb"][1] > 1.2 * drift["worker_mb"][0] + 20
    return 1 if grown or drift["descriptors"][1] > drift["descriptors"][0] + 8 else 0


if __name__ == "__main__":
    sys.exit(main())
