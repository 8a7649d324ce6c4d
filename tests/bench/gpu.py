"""./run bench --gpu: measure on a GPU the time to judge, and the kernels that the built-in agents reach."""
import contextlib
import json
import math
import os
import subprocess
import time

import fidelity
import files
import pytorch
import turnaround
from files import sessions
from measure import KFORGE, is_trial, machine

LIMITED = {"files"}  # these parts end in time themselves, and give all rows that they have by then
PARTS = {"turnaround": turnaround.measure, "fidelity": fidelity.measure, "linear": pytorch.measure_linear,
         "fused": pytorch.measure_fused, "files": sessions.measure}


def pytorch_version():
    code = "import torch; print(torch.__version__)"
    try:
        return subprocess.run([os.environ.get("KFORGE_PYTHON", "python3"), "-c", code], capture_output=True,
                              text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "none"


def write(path, result):
    """Write the file atomically, so that an interrupted run leaves the rows measured so far."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
    os.replace(path + ".new", path)


def _rows(part, place, options):
    """Yield the rows of a part until its time limit."""
    end = time.perf_counter() + (options.seconds or math.inf)
    with contextlib.closing(PARTS[part](place, options)) as rows:
        for row in rows:
            yield row
            if part not in LIMITED and time.perf_counter() > end:
                break


def measure(place, options, say):
    """Measure the parts, and write the JSON file after each row."""
    if is_trial(options):
        place.borrow_roofs()
    for device in options.devices:
        place.run(KFORGE, "devices", "--device", device, "--measure")  # caches the roofs, which bounds need
    result = {"kforge": 1, "machine": {**machine(place), "pytorch": pytorch_version()}, "failures": []}
    for part in options.only or PARTS:
        result[part] = []
        for row in _rows(part, place, options):
            result[part].append(row)
            if "error" in row and part != "files":  # their report lists files without a kernel
                result["failures"].append(f"{part}: {row['error']}")
            result["files_summary"] = files.summary(result.get("files", []))
            write(options.json, result)
            say(part, row)
    return result


def _key(row):
    return [row.get(name) for name in ("problem", "kernel", "size", "passes", "model", "dtype", "batch")]


def merge(paths, parts):
    """Merge the results of several runs; when a row is in several files, the last file wins."""
    result = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        for part in parts:
            rows = found.get(part, [])
            kept = [row for row in result.get(part, []) if _key(row) not in map(_key, rows)]
            found[part] = files.merge(result.get(part, []), rows) if part == "files" else kept + rows
        result = found
    rows = [(part, row) for part in parts for row in result[part] if part != "files"]
    return {**result, "files_summary": files.summary(result.get("files", [])),
            "failures": [f"{part}: {row['error']}" for part, row in rows if "error" in row]}
