"""Helpers of all parts of the benchmark: folders, statistics, figures, processes, and the machine."""
import contextlib
import datetime
import glob
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import time
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "release")
BIN = os.path.abspath(os.environ.get("KFORGE_BIN", os.path.join(BUILD, "bin")))  # KFORGE_BIN: programs built elsewhere
KFORGE = os.path.join(BIN, "kforge")
LIMIT_S = 120  # time limit of a program


class Place:
    """A temporary folder on the disk of the build, with home, data, configuration and cache folders for kforge."""

    def __init__(self, folder):
        self.folder = folder
        self.env = dict(os.environ, KFORGE_ROOT=ROOT, LC_ALL="C.UTF-8", TERM="xterm-256color",
                        HOME=self.path("home"), XDG_DATA_HOME=self.path("data"),
                        XDG_CONFIG_HOME=self.path("config"), XDG_CACHE_HOME=self.path("cache"))
        for name in ("COLORTERM", "NO_COLOR", "TMUX"):
            self.env.pop(name, None)
        os.makedirs(self.path("home"))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def borrow_roofs(self):
        """Take the measured roofs of the user's own cache, if it has any."""
        cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
        os.makedirs(self.path("cache", "kforge"), exist_ok=True)
        for path in glob.glob(os.path.join(cache, "kforge", "roofs-*.json")):
            shutil.copy(path, self.path("cache", "kforge"))

    def run(self, *argv, stdin="", check=True):
        done = subprocess.run(argv, input=stdin, env=self.env, cwd=self.folder, text=True, capture_output=True,
                              check=check, timeout=LIMIT_S)
        if done.returncode and not done.stdout:
            raise RuntimeError(done.stderr.strip())
        return done.stdout

    def text(self, name):
        """Return a text that a journal names: a loose blob of kforge's repository, read without git."""
        with open(self.path("data", "kforge", "history.git", "objects", name[:2], name[2:]), "rb") as file:
            return zlib.decompress(file.read()).split(b"\0", 1)[1].decode()


def is_trial(options):
    """Return whether a run only checks that the benchmark works."""
    return options.quick or options.small


def limits(options):
    """Return options of kforge and its worker that shorten the timing of such a run."""
    return ("--timing-limit", "0.1") if is_trial(options) else ()


def seconds(call):
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def stat(samples):
    """Return median, spread and count of the samples, or None if there are none."""
    ordered = sorted(samples)
    if not ordered:
        return None
    rank = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    return {"median": statistics.median(ordered), "p10": rank(0.1), "p90": rank(0.9), "p99": rank(0.99),
            "least": ordered[0], "most": ordered[-1], "count": len(ordered)}


def figure(part, name, unit, samples, goal=None, floor=None, what="", of="median"):
    """Return one line of the report.

    `floor` is the lower limit in the same unit, and `what` names it.  `of` is the statistic to compare with the goal
    and with the floor.
    """
    found = stat(samples)
    value = found and found[of]
    return {"part": part, "name": name, "unit": unit, "of": of, "value": value, **(found or {"count": 0}),
            "goal": goal, "met": None if goal is None or value is None else value <= goal,
            "floor": floor, "floor_is": what,
            "ratio": value / floor if value is not None and floor else None}


def resident_mb(pid):
    """Return the VmRSS of a process in MB, or 0 when the process is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            found = re.search(r"^VmRSS:\s+(\d+) kB", file.read(), re.M)
    except FileNotFoundError:
        return 0
    return 1024 * int(found.group(1)) / 1e6 if found else 0


def descriptors(pid):
    """Return the number of open descriptors of a process, or 0 when it is gone."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except (FileNotFoundError, PermissionError):  # only root can see the descriptors of the worker
        return 0


def folder_bytes(folder):
    return sum(os.lstat(os.path.join(place, name)).st_size
               for place, _, names in os.walk(folder) for name in names)


def pss_bytes(pid):
    """Return the PSS of a process and the part of it in file pages, in bytes; (0, 0) when the process is gone.

    File pages hold programs and libraries, which the kernel can drop and read again.  Only root can see the PSS of the
    worker; for other users the result is its VmRSS, which counts shared pages in full, and 0.
    """
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii", errors="replace") as file:
            found = dict(re.findall(r"^(Pss|Pss_File):\s+(\d+) kB", file.read(), re.M))
    except PermissionError:
        return 1e6 * resident_mb(pid), 0
    except (FileNotFoundError, ProcessLookupError):
        return 0, 0
    return 1024 * int(found.get("Pss", 0)), 1024 * int(found.get("Pss_File", 0))


def children(pid):
    """Return the ids of all descendants of a process, nearest first."""
    below = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with contextlib.suppress(FileNotFoundError), open(path, encoding="ascii") as file:
            below += [int(child) for child in file.read().split()]
    return below + [deeper for child in below for deeper in children(child)]


def _first_line(*argv):
    try:
        out = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return (out.splitlines() or ["unknown"])[0].strip()


def _cpu():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"^model name\s*: (.*)$", file.read(), re.M)
    return found.group(1) if found else platform.machine()


def _compiler():
    """Return the version of the compiler that built kforge, or "unknown" if there is no build folder."""
    try:
        with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
            found = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", file.read(), re.M)
    except FileNotFoundError:
        return "unknown"
    return _first_line(found.group(1), "--version")


def machine(place):
    """Describe the machine, the devices and the version of kforge."""
    devices = json.loads(place.run(KFORGE, "devices", "--json"))
    return {"cpu": _cpu(), "cores": os.cpu_count(), "kernel": platform.release(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "disk": _first_line("stat", "-f", "-c", "%T", place.folder),
            "compiler": _compiler(),
            "devices": [{key: device.get(key) for key in ("id", "name", "platform", "compiler", "roofs")}
                        for device in devices],
            "load_before": os.getloadavg()[0],
            "kforge": _first_line(KFORGE, "--version"),
            "commit": _first_line("git", "-C", ROOT, "describe", "--always", "--dirty"),
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")}
