"""./run bench --kernelbench CHECKOUT: count the KernelBench models that kforge can read."""
import contextlib
import glob
import math
import os
import time

from judge import SIZES, Worker

LEVELS = (1, 2, 3)


def _describe(worker, path):
    """Load a file, and return whether it loads, whether it has a graph, and the unknown operations or the error."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        problem = worker.ask("describe", model=text, file=os.path.basename(path))["problem"]
    except RuntimeError as error:
        return {"loads": False, "why": str(error)}
    made = sorted(name for name, tensor in problem["tensors"].items() if tensor.get("fill") == {"model": []})
    return {"loads": True, "graph": bool(problem["graph"]), "why": "; ".join(problem["torch"]["unknown"]),
            "only_the_model_makes": made}


def tensor_bytes(place, paths):
    """Return the bytes of the inputs, params and outputs of each file that can be read, by path."""
    worker, found = Worker(place), {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with contextlib.suppress(RuntimeError):  # its session will say why
            tensors = worker.ask("describe", model=text, file=os.path.basename(path))["problem"]["tensors"]
            found[path] = sum(math.prod(t["shape"]) * SIZES[t["dtype"]] for t in tensors.values())
    worker.close()
    return found


def _files(checkout, level):
    found = glob.glob(os.path.join(checkout, "**", f"level{level}", "*.py"), recursive=True)
    return sorted(found, key=lambda path: int(os.path.basename(path).split("_")[0]))


def measure(place, checkout):
    """Describe all files with one worker, which runs one Python process."""
    worker, models = Worker(place), []
    for level in LEVELS:
        for path in _files(checkout, level):
            began = time.perf_counter()
            outcome = _describe(worker, path)
            models.append({"level": level, "file": os.path.basename(path),
                           "seconds": round(time.perf_counter() - began, 3), **outcome})
    worker.close()
    return models


def report(models):
    """Return counts for each level, and a line for each model that kforge cannot read completely."""
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
            names = ", ".join(m["only_the_model_makes"])
            lines.append(f"  level{m['level']}/{m['file']}: made only by the model: {names}")
    return "\n".join(lines)
