"""Hold PyTorch's own kernels of KernelBench's models against the judge's derived tolerances.

usage: tolerances.py CHECKOUT --json FILE --bin FOLDER [--device cpu|cuda] [--phases sizes,reduced,compiled,full]
       [--jobs N] [--seconds S] [--limit S] [--shuffle SEED] [NAME...]
       tolerances.py --report FILE...

For each model of levels 1 and 2: the judge's expected outputs and how far each element may be off, and PyTorch's
kernels for the same data. float32 kinds are held against class f32, all others (TF32, autocast and weights cast to
bf16 and f16, and the expected outputs correctly rounded to these) against class mixed. The kinds that end in `_data` are
of models without weights whose data are cast to 16 bits, which no baseline does. The phases are `sizes`, which
finds sizes that cost little; `reduced`, which runs eager kinds at these; `compiled`; and `full`, eager kinds at the
file's own sizes. The JSON file is written after each model; a second run continues it. A NAME is the beginning of
LEVEL_FILE, such as 2_14. --limit is the time of one model, --seconds that of the whole. With --shuffle the models of
each phase come in random order, so that a run that ends early has a fair sample of them.
"""
import argparse
import glob
import json
import os
import queue
import random
import select
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PHASES = ("sizes", "reduced", "compiled", "full")


def models(checkout, names):
    """Return {LEVEL_FILE: path} for the models of levels 1 and 2."""
    found = {}
    for level in (1, 2):
        for path in glob.glob(os.path.join(checkout, "**", f"level{level}", "*.py"), recursive=True):
            found[f"{level}_{os.path.basename(path)}"] = path
    by_number = sorted(found.items(), key=lambda item: [int(part) for part in item[0].split("_")[:2]])
    return {key: path for key, path in by_number
            if not names or any(key.startswith(name + "_") or key == name for name in names)}


def load(path):
    if not os.path.exists(path):
        return {phase: {} for phase in PHASES}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(path, result):
    """Write the file atomically, so that an interrupted run leaves what was found so far."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
    os.replace(path + ".new", path)


class Worker:
    """A tolerances_worker.py, which is started anew after a task that takes too long."""

    def __init__(self, options):
        self._command = [sys.executable, "-B", os.path.join(HERE, "tolerances_worker.py"),
                         os.path.join(options.bin, "bench_tolerances"), options.device]
        self._process = None

    def ask(self, task, seconds):
        if self._process is None:
            self._process = subprocess.Popen(self._command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             start_new_session=True)
        began = time.monotonic()
        try:
            print(json.dumps(task), file=self._process.stdin, flush=True)
            ready = select.select([self._process.stdout], [], [], max(seconds, 0))[0]
            line = self._process.stdout.readline() if ready else ""
        except BrokenPipeError:
            line = ""
        if not line:
            self.end()
            return {"error": f"ended after {time.monotonic() - began:.0f} s", "kinds": {}}
        return json.loads(line)

    def end(self):
        if self._process is not None:
            try:
                os.killpg(self._process.pid, 9)  # its oracle too
            except ProcessLookupError:
                pass
            self._process.wait()
            self._process = None


def _serve(options, tasks, answers, until):
    """Carry out tasks until there are none."""
    worker = Worker(options)
    while time.monotonic() < until:
        try:
            phase, key, task = tasks.get_nowait()
        except queue.Empty:
            break
        answers.put((phase, key, worker.ask(task, min(options.limit, until - time.monotonic()))))
    worker.end()
    answers.put(None)


def _tasks(options, result):
    """Return the tasks of all phases that are not done, those that cost little first."""
    found, made = models(options.checkout, options.names), queue.Queue()
    costs = {key: row.get("cost") or 0 for key, row in result["sizes"].items()}
    for phase in options.phases.split(","):
        keys = list(found) if phase != "full" else sorted(found, key=lambda key: costs.get(key, 0))
        if options.shuffle:
            random.Random(options.shuffle).shuffle(keys)
        for key in keys:
            if key not in result[phase] or (options.again and "error" in result[phase][key]):
                sizes = result["sizes"].get(key, {}).get("sizes")
                made.put((phase, key, {"path": found[key], "phase": phase, "sizes": sizes}))
    return made


def measure(options):
    result, answers = load(options.json), queue.Queue()
    tasks, until = _tasks(options, result), time.monotonic() + options.seconds
    for _ in range(options.jobs):
        threading.Thread(target=_serve, args=(options, tasks, answers, until), daemon=True).start()
    working = options.jobs
    while working:
        answer = answers.get()
        if answer is None:
            working -= 1
            continue
        phase, key, row = answer
        result[phase][key] = row
        write(options.json, result)
        worst = max((kind.get("max", 0) for kind in row["kinds"].values()), default=0)
        failed = [f"{kind}: {found['error']}" for kind, found in row["kinds"].items() if "error" in found]
        print(f"{phase} {key}: {worst:.3f} {row.get('seconds', '')} {row.get('error', '')} {failed or ''}", flush=True)
    return result


def merge(paths):
    """Merge results; where several files have a model, the last one without an error counts."""
    result = {phase: {} for phase in PHASES}
    for path in paths:
        for phase, rows in load(path).items():
            for key, row in rows.items():
                if "error" not in row or key not in result[phase]:
                    result[phase][key] = row
    return result


def _of_kind(result, phase, level, kind):
    """Return (key, row) for the models of a level that ran as a kind."""
    return [(key, row["kinds"][kind]) for key, row in result[phase].items()
            if key.startswith(f"{level}_") and kind in row["kinds"]]


def _table(result, phase):
    """Return a line for each level and kind, and one for each model that is not within its tolerance."""
    kinds = list(dict.fromkeys(kind for row in result[phase].values() for kind in row["kinds"]))
    lines, beyond = [], []
    for level in (1, 2):
        for kind in kinds:
            rows = _of_kind(result, phase, level, kind)
            held = [(key, row) for key, row in rows if "error" not in row]
            over = [(key, row) for key, row in held if row["count"]]
            most = max((row["max"] for _, row in held), default=0)
            lines.append(f"| {phase} | {level} | {kind} | {len(held)} | {len(rows) - len(held)} | {most:.3f} | {len(over)} |")
            beyond += [f"{phase} {key} {kind}: {row['max']:.3f}, {row['count']} of {row['elements']} elements "
                       f"({row['nonfinite']} not finite), {row.get('worst')}" for key, row in over]
            beyond += [f"{phase} {key} {kind}: {row['error']}" for key, row in rows if "error" in row]
    failed = [f"{phase} {key}: {row['error']}" for key, row in result[phase].items() if "error" in row]
    return lines, beyond + failed


def report(result):
    lines, beyond = ["| phase | level | kind | models | failed | max | above 1 |", "| --- " * 7 + "|"], []
    for phase in PHASES[1:]:
        table, found = _table(result, phase)
        lines, beyond = lines + table, beyond + found
    return "\n".join(lines + [""] + beyond)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", nargs="?")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--json")
    parser.add_argument("--bin")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--phases", default="sizes,reduced")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--shuffle", metavar="SEED")
    parser.add_argument("--again", action="store_true", help="models that failed, too")
    parser.add_argument("--report", nargs="+")
    options = parser.parse_intermixed_args()
    if options.report:
        result = merge(options.report)
        if options.json:
            write(options.json, result)
        print(report(result))
    else:
        measure(options)


main()
