"""Run sessions for an hour with one shared worker, and look for leaks.

usage: /usr/bin/python3 -B tests/bench/long_run.py [MINUTES [FOLDER]]     (default 60, and the shipped problems)

The built-in agents work on each problem of FOLDER in turn, under the sanitizers of the preset `asan` (KFORGE_BIN names
a folder with other programs).  The script exits with 1 when a sanitizer reports an error, when memory or descriptors
grow, when a temporary folder remains, or when a session fails.
"""
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ.setdefault("KFORGE_BIN", os.path.join(ROOT, "build", "asan", "bin"))

from measure import BIN, KFORGE, Place, children, descriptors, folder_bytes, resident_mb  # noqa: E402 - set above
from shared_worker import SharedWorker  # noqa: E402

DEVICE = "opencl:0"
ROUNDS = "2"  # of optimization in each session, after its first correct kernel
SESSION_LIMIT_S = 1200
# A small quarantine of freed memory, so that only leaks make memory grow.  The sanitizer handles no signals, because a
# fault in a candidate is no fault of kforge.
SANITIZER = "quarantine_size_mb=16:malloc_context_size=1:handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0"
ALLOWED_DESCRIPTORS = 2
WATCHED = ("worker_mb", "kforge_mb", "executor_mb", "worker_descriptors", "kforge_descriptors", "session_bytes")


class Watched(threading.Thread):
    """A thread that samples a running session: the descriptors of kforge, peak memory of kforge and executor."""

    def __init__(self, pid, worker):
        super().__init__(daemon=True)
        self.pid, self.worker, self.is_over = pid, worker, threading.Event()
        self.descriptors, self.kforge_mb, self.executor_mb = [], 0, 0

    def run(self):
        while not self.is_over.wait(0.2):
            self.descriptors.append(descriptors(self.pid))
            self.kforge_mb = max(self.kforge_mb, resident_mb(self.pid))
            below = children(self.worker.process.pid) if self.worker.process else []
            self.executor_mb = max([self.executor_mb, *map(resident_mb, below)])

    def lost_descriptors(self):
        """Return how many more descriptors are open in the last third of the session than in the middle third."""
        third = len(self.descriptors) // 3
        return max(self.descriptors[2 * third:]) - max(self.descriptors[third:2 * third]) if third else 0


class Session:
    """One complete session and its figures."""

    def __init__(self, place, worker, path):
        begun = time.monotonic()
        self.problem = os.path.basename(path)[:-5]
        self._run(place, worker, path)
        self.seconds = time.monotonic() - begun
        self.worker_pid = worker.process.pid
        self.worker_mb = resident_mb(self.worker_pid)
        self.worker_descriptors = descriptors(self.worker_pid)
        self.session_bytes = folder_bytes(max(glob.glob(place.path("data", "kforge", "sessions", "*")),
                                              key=os.path.getmtime))
        self.repository_bytes = folder_bytes(place.path("data", "kforge", "history.git"))
        self.cache_bytes = folder_bytes(place.path("cache"))

    def _run(self, place, worker, path):
        argv = (KFORGE, "run", path, "--headless", "--json", "--policy", "auto", "--optimize", ROUNDS,
                "--device", DEVICE, "--worker", worker.prefix)
        with subprocess.Popen(argv, env=place.env, cwd=place.folder, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            watched = Watched(run.pid, worker)
            watched.start()
            out, self.said = run.communicate(timeout=SESSION_LIMIT_S)
            watched.is_over.set()
            watched.join()
        events = [json.loads(line) for line in out.splitlines()]
        self.status = run.returncode
        self.outcomes = [event["outcome"] for event in events if event["type"] == "evaluation.finished"]
        self.kforge_mb, self.executor_mb = watched.kforge_mb, watched.executor_mb
        self.kforge_descriptors = max(watched.descriptors, default=0)
        self.lost_descriptors = watched.lost_descriptors()

    def complaints(self):
        """Yield a line for each thing that went wrong in the session."""
        if self.status not in (0, 1) or "correct" not in self.outcomes or "crashed" in self.outcomes:
            yield f"{self.problem}: {self.status}, {self.outcomes}, {self.said.strip()}"
        if self.lost_descriptors > ALLOWED_DESCRIPTORS:
            yield f"{self.problem}: kforge lost {self.lost_descriptors} descriptors"

    def show(self):
        print(f"{self.problem:24} {self.seconds:5.1f} s  kforge {self.kforge_mb:.0f} MB, "
              f"worker {self.worker_mb:.0f} MB, executor {self.executor_mb:.0f} MB  "
              f"descriptors {self.kforge_descriptors}, {self.worker_descriptors}  "
              f"session {self.session_bytes}, repository {self.repository_bytes}, cache {self.cache_bytes} bytes  "
              f"{' '.join(self.outcomes)}", flush=True)


def sessions(place, worker, minutes, folder):
    """Run sessions on the problems in turn until the time limit, on each problem at least once."""
    paths = sorted(glob.glob(os.path.join(folder, "*.json")))
    end, done = time.monotonic() + 60 * minutes, []
    while time.monotonic() < end or len(done) < len(paths):
        done.append(Session(place, worker, paths[len(done) % len(paths)]))
        done[-1].show()
    return done


def early_and_late(done, name):
    """Return two medians of a figure over all problems: of the second session on each, and of the last.

    By the second session, all caches and pools have been filled.
    """
    figures = {session.problem: [] for session in done}
    for session in done:
        figures[session.problem].append(getattr(session, name))
    return [statistics.median(figure) for figure in zip(*((all_of[:2][-1], all_of[-1]) for all_of in figures.values()))]


def growth(done):
    """Yield a line for each figure that grows from the second pass over the problems to the last one."""
    for name, allowed in (("worker_mb", 20), ("kforge_mb", 20), ("worker_descriptors", ALLOWED_DESCRIPTORS)):
        early, late = early_and_late(done, name)
        if late > 1.2 * early + allowed:
            yield f"{name} grew from {early:.1f} to {late:.1f}"
    if len({session.worker_pid for session in done}) > 1:
        yield "the worker had to be replaced"


def reports(folder):
    """Yield the reports that sanitizers have written."""
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            yield file.read()


def run(place, minutes, folder):
    """Run the sessions, and return them with a line for each fault."""
    with SharedWorker(place, DEVICE) as worker:
        done = sessions(place, worker, minutes, folder)
        process = worker.process
    wrong = [complaint for session in done for complaint in session.complaints()] + list(growth(done))
    if process.returncode:
        wrong.append(f"the worker ended with {process.returncode}")
    wrong += [f"left behind: {name}" for name in os.listdir(place.path("tmp"))]
    return done, wrong + list(reports(place.path("reports")))


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    problems = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, "prompts", "problems")
    with tempfile.TemporaryDirectory(dir=os.path.dirname(BIN), prefix="long-run-") as folder:
        place = Place(folder)
        for name in ("reports", "tmp"):
            os.makedirs(place.path(name))
        place.env.update(TMPDIR=place.path("tmp"),
                         ASAN_OPTIONS=f"{SANITIZER}:log_path={place.path('reports', 'report')}",
                         LSAN_OPTIONS=f"suppressions={ROOT}/tests/lsan.supp:print_suppressions=0")
        done, wrong = run(place, minutes, os.path.abspath(problems))
    print(json.dumps({"sessions": len(done), "evaluations": sum(len(session.outcomes) for session in done),
                      "early_and_late": {name: early_and_late(done, name) for name in WATCHED},
                      "repository_bytes": done[-1].repository_bytes, "cache_bytes": done[-1].cache_bytes}))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
