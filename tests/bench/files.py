"""Sessions of the built-in agents on the files of a checkout of KernelBench, several at a time on each device."""
import concurrent.futures
import contextlib
import datetime
import glob
import json
import os
import queue
import random
import re
import signal
import subprocess
import time

import builtin
import pytorch
from measure import KFORGE, Place, limits
from shared_worker import SharedWorker

LEVELS, TOLERANCES = ("level1", "level2", "level3"), ("f32", "mixed")
ENDING_S = 6  # an interrupted session has this time to end
LEAST_S = 10  # a session that would have less is not begun
MOST_FAILURES = 3  # sessions in a row that end at once: the worker does not start
FAST_P = (0.5, 1, 1.5, 2, 5, 10)
KEY = ("level", "file", "tolerance")


def key(row):
    return tuple(row.get(name) for name in KEY)


def find(options):
    """Return the files to measure as rows without results, in an order of which each beginning is a sample."""
    rows = [{"level": level, "file": os.path.basename(path), "tolerance": tolerance}
            for tolerance in options.tolerance or TOLERANCES for level in LEVELS
            for path in glob.glob(os.path.join(options.files, level, "*.py"))
            if re.search(options.match or "", f"{level}/{os.path.basename(path)}")]
    random.Random(1).shuffle(rows)
    done = {key(row) for path in options.done or () for row in load(path) if "us" in row}
    return [row for row in rows if key(row) not in done]


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file).get("files", [])


def _run(place, command, limit):
    """Run a session, interrupt it at its limit, and return its events, its last words and whether it was interrupted."""
    process = subprocess.Popen(command, env=place.env, cwd=place.folder, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    is_late = False
    try:
        out, said = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        is_late = True
        process.send_signal(signal.SIGINT)
        try:
            out, said = process.communicate(timeout=ENDING_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, said = process.communicate()
    events = []
    for line in out.splitlines():
        with contextlib.suppress(ValueError):  # a killed process may leave half a line
            events.append(json.loads(line))
    return events, said.strip()[-400:], is_late


def _kernels(place, event):
    """Return the names of the kernels that a candidate of the built-in agents has."""
    found = re.search(r"Kernels: ([^\n]*)\.", place.text(event["candidate"]))
    return found.group(1) if found else None


def _best(place, events):
    finished = builtin.of_best(events, "evaluation.finished")
    timed = [e for e in events if e["type"] == "baselines.timed" and e["attempt"] == finished["attempt"]]
    verdict = json.loads(place.text((timed or [finished])[-1]["verdict"]))
    return {**pytorch._result(verdict), "awaited": [one["name"] for one in verdict.get("awaited", [])],
            "kernels": _kernels(place, builtin.of_best(events, "evaluation.started"))}


class _Job:
    """A worker of its own, and one session after another."""

    def __init__(self, place, number, device, options):
        self._options, self._device, self._place = options, device, Place(place.path(f"job{number}"))
        self._place.env["XDG_CACHE_HOME"] = place.env["XDG_CACHE_HOME"]
        names = ("--baselines", options.baselines) if options.baselines else ()
        self._worker = SharedWorker(self._place, device["id"], *limits(options), *names)

    def __enter__(self):
        self._worker.__enter__()
        return self

    def __exit__(self, *_):
        self._worker.__exit__()

    def measure(self, row, limit):
        began, options = time.perf_counter(), self._options
        command = [KFORGE, "run", os.path.abspath(os.path.join(options.files, row["level"], row["file"])), "--headless",
                   "--json", "--policy", "auto", "--optimize", str(options.rounds), "--tolerance", row["tolerance"],
                   "--device", self._device["id"], "--worker", self._worker.prefix]
        found = {}
        try:
            events, said, is_late = _run(self._place, command, limit)
            found = {"interrupted": is_late, "said": said, "attempts": pytorch._attempts(self._place, events)}
            found.update(_best(self._place, events))
        except (RuntimeError, ValueError, KeyError, OSError, StopIteration, subprocess.SubprocessError) as error:
            found["error"] = found.get("said") or str(error) or type(error).__name__
        self.has_failed_at_once = "error" in found and not found.get("attempts") and time.perf_counter() - began < LEAST_S
        return {**row, **found, "seconds": round(time.perf_counter() - began, 2), "device": self._device["name"],
                "jobs": options.jobs, "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")}


def _serve(job, waiting, made, end, each_s):
    failures = 0
    with job:
        while failures < MOST_FAILURES:
            limit = min(each_s, end - time.perf_counter() - ENDING_S)
            try:
                row = waiting.get_nowait() if limit > LEAST_S else None
            except queue.Empty:
                row = None
            if row is None:
                break
            made.put(job.measure(row, limit))
            failures = failures + 1 if job.has_failed_at_once else 0
    made.put(None)


def measure(place, options):
    """Yield a row for each file, as they are measured."""
    if not options.files:
        return
    waiting, made, end = queue.Queue(), queue.Queue(), time.perf_counter() + (options.seconds or 1e9)
    for row in find(options):
        waiting.put(row)
    found = {d["id"]: d for d in json.loads(place.run(KFORGE, "devices", "--json"))}
    devices = [found.get(name, {"id": name, "name": name}) for name in options.devices] * options.jobs
    with concurrent.futures.ThreadPoolExecutor(len(devices)) as pool:
        done = [pool.submit(_serve, _Job(place, i, device, options), waiting, made, end, options.each)
                for i, device in enumerate(devices)]
        left = len(done)
        while left:
            row = made.get(timeout=None)
            left -= row is None
            if row is not None:
                yield row
        for one in done:
            one.result()


def merge(before, rows):
    """Merge rows by file: the last one wins, but none without a time over one that has one."""
    kept = {key(row): row for row in before}
    for row in rows:
        if "us" in row or "us" not in kept.get(key(row), {}):
            kept[key(row)] = row
    return list(kept.values())


def fast_p(speedups, count):
    """Return the share of `count` files that are right and at least p times as fast, for each p."""
    return {str(p): sum(speedup >= p for speedup in speedups) / count for p in FAST_P} if count else {}


def summary(rows):
    """Return the figures of the rows of each level and class of tolerance."""
    found = []
    for level in LEVELS:
        for tolerance in TOLERANCES:
            some = [row for row in rows if (row["level"], row["tolerance"]) == (level, tolerance)]
            right = [row for row in some if "us" in row]
            over = {name: [row[name]["speedup"] for row in right if row.get(name)] for name in ("full", "matched")}
            if some:
                found.append({"level": level, "tolerance": tolerance, "files": len(some), "right": len(right),
                              **{name: {"mean": pytorch.geometric_mean(values), "fast_p": fast_p(values, len(some))}
                                 for name, values in over.items()}})
    return found
