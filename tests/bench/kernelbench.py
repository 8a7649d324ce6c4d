"""How many of KernelBench's models kforge reads: ./run bench --kernelbench CHECKOUT."""
import glob
import json
import os
import subprocess
import sys
import time

from measure import BUILD

LEVELS = (1, 2)


class _Worker:
    """One worker, and with it one Python, for all files."""

    def __init__(self):
        env = {"KFORGE_PYTHON": sys.executable, **os.environ}
        self._process = subprocess.Popen([os.path.join(BUILD, "bin/kforge-worker")], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True, env=env)

    def describe(self, path):
        with open(path, encoding="utf-8") as file:
            request = {"id": 1, "do": "describe", "model": file.read(), "file": os.path.basename(path)}
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def _outcome(answer):
    """What became of a file: a graph, the operations that are not known, or an error."""
    if "error" in answer:
        return {"loads": False, "why": answer["error"]}
    problem = answer["problem"]
    made = sorted(name for name, tensor in problem["tensors"].items() if tensor.get("fill") == {"model": []})
    return {"loads": True, "graph": bool(problem["graph"]), "why": "; ".join(problem["torch"]["unknown"]),
            "only_the_model_makes": made}


def _files(checkout, level):
    found = glob.glob(os.path.join(checkout, "**", f"level{level}", "*.py"), recursive=True)
    return sorted(found, key=lambda path: int(os.path.basename(path).split("_")[0]))


def measure(checkout):
    worker, models = _Worker(), []
    for level in LEVELS:
        for path in _files(checkout, level):
            began = time.perf_counter()
            outcome = _outcome(worker.describe(path))
            models.append({"level": level, "file": os.path.basename(path),
                           "seconds": round(time.perf_counter() - began, 3), **outcome})
    worker.close()
    return models


def report(models):
    """Counts for each level, and a line for every model that is not read whole."""
    lines = []
    for level in LEVELS:
        of_level = [m for m in models if m["level"] == level]
        loaded = [m for m in of_level if m["loads"]]
        whole = [m for m in loaded if m["graph"]]
        lines.append(f"level {level}: {len(of_level)} files, {len(loaded)} load, {len(whole)} with a whole graph, in "
                     f"{sum(m['seconds'] for m in of_level):.1f} s")
    for m in models:
        if not m["loads"] or not m["graph"]:
            lines.append(f"  level{m['level']}/{m['file']}: {m['why']}")
        elif m["only_the_model_makes"]:
            lines.append(f"  level{m['level']}/{m['file']}: made ahead: {', '.join(m['only_the_model_makes'])}")
    return "\n".join(lines)
