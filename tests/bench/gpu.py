"""./run bench --gpu: what judging takes and what the built-in agents reach on a GPU."""
import contextlib
import json
import math
import os
import subprocess
import time

import fidelity
import pytorch
import turnaround
from measure import KFORGE, machine

PARTS = {"turnaround": turnaround.measure, "fidelity": fidelity.measure, "linear": pytorch.measure_linear,
         "fused": pytorch.measure_fused}


def pytorch_version():
    code = "import torch; print(torch.__version__)"
    try:
        return subprocess.run([os.environ.get("KFORGE_PYTHON", "python3"), "-c", code], capture_output=True,
                              text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "none"


def write(path, result):
    """Whole or not at all, so that what ends early leaves what it had."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
    os.replace(path + ".new", path)


def _rows(part, place, options):
    """Of a part, until its time is up."""
    end = time.perf_counter() + (options.seconds or math.inf)
    with contextlib.closing(PARTS[part](place, options)) as rows:
        for row in rows:
            yield row
            if time.perf_counter() > end:
                break


def measure(place, options, say):
    """Each row is in the file as soon as it is known."""
    place.run(KFORGE, "devices", "--device", options.device, "--measure")  # the roofs, which bounds come from
    result = {"kforge": 1, "machine": {**machine(place), "pytorch": pytorch_version()}, "failures": []}
    for part in options.only or PARTS:
        result[part] = []
        for row in _rows(part, place, options):
            result[part].append(row)
            if "error" in row:
                result["failures"].append(f"{part}: {row['error']}")
            write(options.json, result)
            say(part, row)
    return result


def _key(row):
    return [row.get(name) for name in ("problem", "kernel", "size", "passes", "model", "dtype", "batch")]


def merge(paths):
    """Of several runs; of a row that is in more than one the last."""
    result = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        for part in PARTS:
            rows = found.get(part, [])
            kept = [row for row in result.get(part, []) if _key(row) not in map(_key, rows)]
            found[part] = kept + rows
        result = found
    rows = [(part, row) for part in PARTS for row in result[part]]
    return {**result, "failures": [f"{part}: {row['error']}" for part, row in rows if "error" in row]}
