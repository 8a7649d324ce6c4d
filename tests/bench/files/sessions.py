"""Sessions of the built-in agents on files of KernelBench, several at a time on each device."""
import concurrent.futures
import contextlib
import datetime
import json
import os
import queue
import re
import signal
import subprocess
import tempfile
import threading
import time

import builtin
import files
import pytorch
from files import reading
from measure import KFORGE, Place, limits
from shared_worker import SharedWorker

ENDING_S = 6  # an interrupted session has this time to end
LEAST_S = 10  # a session that would have less is not begun
START_S = 130  # the longest time until the first evaluation; a judge waits up to 120 s for a GPU's memory
LOOK_S = 0.2
MOST_FAILURES = 3  # sessions in a row that end at once: the worker does not start
LARGE_BYTES = 4e9  # the session of a file with larger tensors takes most of a GPU's memory for itself


class _Session:
    """A session whose events are read as they come. It is interrupted `each_s` seconds after its first evaluation began."""

    def __init__(self, place, command, each_s, end):
        self._began, self._evaluates = time.perf_counter(), None
        self._each_s, self._end = each_s, end
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # others would keep a pipe open
        self._process = subprocess.Popen(command, env=place.env, cwd=place.folder, text=True, stdout=subprocess.PIPE,
                                         stderr=self._errors, start_new_session=True)
        self._is_over = threading.Event()
        self.events, self.late = [], None

    def _seconds(self):
        return round(time.perf_counter() - self._began, 2)

    def _limit(self):
        """Return why the session has to end now, or None."""
        now = time.perf_counter()
        if now > self._end:
            return "the time was over"
        if self._evaluates is None:
            return f"no evaluation in {START_S} s" if now > self._began + START_S else None
        return f"no verdict in {self._each_s:.0f} s" if now > self._evaluates + self._each_s else None

    def _watch(self):
        while not self._is_over.wait(LOOK_S):
            self.late = self._limit()
            if not self.late:
                continue
            self._process.send_signal(signal.SIGINT)
            if not self._is_over.wait(ENDING_S):
                os.killpg(self._process.pid, signal.SIGKILL)
            return

    def _take(self, line):
        with contextlib.suppress(ValueError):  # a killed process may leave half a line
            self.events.append({**json.loads(line), "at_s": self._seconds()})
            if self.events[-1]["type"] == "evaluation.started" and self._evaluates is None:
                self._evaluates = time.perf_counter()

    def run(self):
        """Run to the end, and return the last words on standard error."""
        watch = threading.Thread(target=self._watch, daemon=True)
        watch.start()
        for line in self._process.stdout:
            self._take(line)
        self._process.wait()
        self._is_over.set()
        watch.join()
        with self._errors:
            self._errors.seek(0)
            return self._errors.read().strip()[-400:]


def _times(events):
    """Return the seconds until the first evaluation and until the first correct verdict, as far as there are such."""
    began = [e["at_s"] for e in events if e["type"] == "evaluation.started"]
    right = [e["at_s"] for e in events if e["type"] == "evaluation.finished" and e["outcome"] == "correct"]
    return {**({"before": began[0]} if began else {}), **({"to_verdict": right[0]} if right else {})}


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


class _Lane:
    """A worker of its own, and one session after another."""

    def __init__(self, place, number, device, options):
        self._options, self._device, self._place = options, device, Place(place.path(f"job{number}"))
        self._place.env["XDG_CACHE_HOME"] = place.env["XDG_CACHE_HOME"]
        names = ("--baselines", options.baselines) if options.baselines else ()
        self._worker = SharedWorker(self._place, device["id"], *limits(options), *names)

    def _command(self, row):
        options = self._options
        return [KFORGE, "run", os.path.abspath(os.path.join(options.files, row["level"], row["file"])), "--headless",
                "--json", "--policy", "auto", "--optimize", str(options.rounds), "--tolerance", row["tolerance"],
                *(() if options.rounds else ("--without-profile",)), "--device", self._device["id"],
                "--worker", self._worker.prefix]

    def measure(self, row, end):
        began, found = time.perf_counter(), {}
        try:
            session = _Session(self._place, self._command(row), self._options.each, end)
            found = {"said": session.run(), "late": session.late, **_times(session.events)}
            found["attempts"] = pytorch._attempts(self._place, session.events)
            found.update(_best(self._place, session.events))
        except (RuntimeError, ValueError, KeyError, OSError, StopIteration, subprocess.SubprocessError) as error:
            found["error"] = found.get("late") or found.get("said") or str(error) or type(error).__name__
        return {**row, **found, "seconds": round(time.perf_counter() - began, 2), "device": self._device["name"],
                "gpu": self._device["id"], "jobs": self._options.jobs,
                "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")}

    def serve(self, waiting, made, end):
        """Measure files until none is left or the time is over."""
        failures = 0
        with self._worker:
            while failures < MOST_FAILURES and end - time.perf_counter() > LEAST_S:
                try:
                    row = self.measure(waiting.get_nowait(), end)
                except queue.Empty:
                    break
                made.put(row)
                has_failed = "error" in row and not row.get("attempts") and not row.get("late") and row["seconds"] < LEAST_S
                failures = failures + 1 if has_failed else 0
        made.put(None)


def _in_order(place, options):
    """Return the files to measure; large ones of a class come last, because each waits until it has the GPU's memory."""
    rows = files.find(options)
    if options.jobs > 1 and rows:
        sizes = reading.tensor_bytes(place, {os.path.join(options.files, row["level"], row["file"]) for row in rows})
        rows.sort(key=lambda row: (files.TOLERANCES.index(row["tolerance"]),
                                   sizes.get(os.path.join(options.files, row["level"], row["file"]), 0) > LARGE_BYTES))
    return rows


def measure(place, options):
    """Yield a row for each file, as they are measured."""
    if not options.files:
        return
    end = time.perf_counter() + (options.seconds or 1e9) - ENDING_S  # reading the sizes of large models takes time, too
    waiting, made = queue.Queue(), queue.Queue()
    for row in _in_order(place, options):
        waiting.put(row)
    found = {d["id"]: d for d in json.loads(place.run(KFORGE, "devices", "--json"))}
    devices = [found.get(name, {"id": name, "name": name}) for name in options.devices] * options.jobs
    with concurrent.futures.ThreadPoolExecutor(len(devices)) as pool:
        done = [pool.submit(_Lane(place, i, device, options).serve, waiting, made, end) for i, device in enumerate(devices)]
        left = len(done)
        while left:
            row = made.get(timeout=None)
            left -= row is None
            if row is not None:
                yield row
        for one in done:
            one.result()
