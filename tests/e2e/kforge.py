"""Base classes of the end-to-end tests: a kforge with its own folders, real git, and a scripted model.

KFORGE_LANES is the number of cases that in_lanes() runs at the same time.
"""
import concurrent.futures
import contextlib
import glob
import json
import os
import queue
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
KFORGE = os.environ["KFORGE"]
LANES = int(os.environ.get("KFORGE_LANES", "4"))

# A small problem, so that a whole session takes only seconds under sanitizers.
PROBLEM = {
    "kforge": 1, "name": "twice_relu", "summary": "Twice the positive part of a matrix.",
    "dims": {"M": 64, "N": 256},
    "tensors": {
        "x": {"role": "input", "dtype": "f32", "shape": ["M", "N"], "fill": {"uniform": [-1, 1]}},
        "y": {"role": "output", "dtype": "f32", "shape": ["M", "N"]}},
    "graph": [{"op": "relu", "in": ["x"], "out": "t"}, {"op": "mul", "in": ["t", 2], "out": "y"}],
    "tolerance": {"class": "f32"},
}


def has_torch(python):
    """Return whether the Python has PyTorch, without the two seconds that importing it takes."""
    find = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
    return subprocess.run([python, "-c", find], check=False).returncode == 0


def problem(**changes):
    """Return the text of the small problem with other members."""
    return json.dumps({**PROBLEM, **changes})


PLAN = {"launches": [{"kernel": "twice_relu", "global": ["M*N"], "local": [64], "args": ["x", "y"]}]}


def reply(body, remark="A kernel.", plan=None):
    """Return a candidate in the form of a model's reply."""
    return (f"{remark}\n\n```opencl\n__kernel void twice_relu(__global const float *x, __global float *y)\n"
            f"{{\n    size_t i = get_global_id(0);\n    {body}\n}}\n```\n\n```json\n{json.dumps(plan or PLAN)}\n```\n")


RIGHT = reply("y[i] = 2.0f * fmax(x[i], 0.0f);", "Straight from the definition.")
WITHOUT_PLAN = RIGHT.partition("```json")[0]
NO_DRIVER = {"OCL_ICD_VENDORS": "/nonexistent/"}
WRONG = reply("y[i] = 2.0f * x[i];", "Forgets the positive part.")
BROKEN = reply("y[i] = 2.0f * fmax(z[i], 0.0f);", "Does not compile.")
HANGING = reply("volatile __global float *v = y; while (i == 0) v[0] = x[0];", "Never ends, in one thread.")
ADVICE = ("The kernel waits for memory.\n\n```json\n" + json.dumps({
    "bottleneck": "memory latency", "evidence": ["bound fraction = 0.2"],
    "change": "work on four elements at a time", "expect": 1.2, "tags": ["vectors"]}) + "\n```\n")


def chosen(calls, wanted):
    """Choose from the calls 1 to `calls`: "8" evenly spaced ones, "all", or "all:3/60", the third of 60 parts."""
    if not wanted.startswith("all"):
        count = min(int(wanted), calls)
        return [1 + i * calls // count for i in range(count)]
    part, parts = map(int, (wanted.removeprefix("all").removeprefix(":") or "1/1").split("/"))
    if not 1 <= part <= parts:
        raise ValueError(f"{wanted}: there is no such part")
    return range(part, calls + 1, parts)


JUDGING = ("run", "resume", "eval")


def hurried(args):
    """Add a short time limit for timed runs to the arguments, because the tests assert no times."""
    judges = args and (args[0] in JUDGING or (args[0] == "replay" and {"--measure", "--check"} & set(args)))
    if judges and "--help" not in args and "--timing-limit" not in args:
        return [args[0], "--timing-limit", "0.004", *args[1:]]
    return args


class Case(unittest.TestCase):
    """A test with its own home and data folder."""

    def setUp(self):
        self.root = self.make_root()
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.env = dict(os.environ, HOME=self.root, XDG_DATA_HOME=self.path("data"),
                        XDG_CONFIG_HOME=self.path("config"), KFORGE_HTTP_RETRY_MS="10",
                        KFORGE_CC="none")  # no device for C: most tests are about one device
        # All tests share one cache folder with measured roofs, which saves time.
        self.env["XDG_CACHE_HOME"] = os.path.join(tempfile.gettempdir(), "kforge-e2e-cache")
        self.write(".gitconfig", "[user]\n\tname = Ada Engineer\n\temail = ada@example.org\n")
        self.problem = self.write("twice_relu.json", json.dumps(PROBLEM))

    def own_cache(self, *kinds):
        """Use a cache folder of this test, with the shared one's files of these kinds: "roofs", "compiled" (kernels)."""
        shared = self.env["XDG_CACHE_HOME"]
        if "roofs" in kinds:
            self.kforge("devices")  # measures the roofs unless an earlier test has
        os.makedirs(self.path("cache/kforge"))
        for kind in kinds:
            for kept in glob.glob(f"{shared}/kforge/{kind}-*.json"):
                with contextlib.suppress(FileNotFoundError):  # another test's kforge has removed it
                    shutil.copy(kept, self.path("cache/kforge"))
        self.env["XDG_CACHE_HOME"] = self.path("cache")

    def change_roofs(self, change):
        """Apply `change` to the roofs in the test's own cache."""
        for path in glob.glob(self.path("cache/kforge/roofs-*.json")):
            with open(path, encoding="utf-8") as file:
                roofs = json.load(file)
            change(roofs)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(roofs, file)

    def raise_roofs(self):
        """Let the cache of this test have roofs that no candidate beats and no load disturbed: they stay as they are."""
        self.own_cache("roofs", "compiled")
        self.change_roofs(lambda roofs: roofs.update(
            busy_cores=0, flops_per_us=100 * roofs["flops_per_us"],
            memory=[{**level, "bytes_per_us": 100 * level["bytes_per_us"]} for level in roofs["memory"]]))

    def make_root(self):
        return tempfile.mkdtemp(prefix="kforge-e2e-")

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def kforge(self, *args, stdin="", timeout=300):
        """Run kforge to its end; the result has returncode, stdout and stderr."""
        return subprocess.run([KFORGE, *hurried(args)], input=stdin, env=self.env, cwd=self.root, text=True,
                              capture_output=True, timeout=timeout, check=False)

    def spawn(self, *args, **options):
        """Start kforge with an empty standard input; `options` are those of Popen."""
        options = {"env": self.env, "cwd": self.root, "stdin": subprocess.DEVNULL, **options}
        return subprocess.Popen([KFORGE, *hurried(args)], **options)

    def git(self, *args, repo=None):
        repo = repo or self.path("data/kforge/history.git")
        return subprocess.run(["git", "-C", repo, *args], env=self.env, text=True,
                              capture_output=True, check=True).stdout

    def sessions(self):
        folder = self.path("data/kforge/sessions")
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def events(self, kind=None):
        """Return the events of the only session, or those of one type."""
        (session,) = self.sessions()
        with open(self.path(f"data/kforge/sessions/{session}/events.jsonl"), encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        self.assertEqual([e["seq"] for e in events], list(range(1, len(events) + 1)))
        return [e for e in events if kind in (None, e["type"])]

    def journal_holds(self, kind, times=1):
        """Return whether the journal of the only session has `times` events of type `kind`; it may not exist yet."""
        for session in self.sessions():
            path = self.path(f"data/kforge/sessions/{session}/events.jsonl")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    return file.read().count(f'"{kind}"') >= times
        return False

    def blob(self, oid):
        return self.git("cat-file", "blob", oid)

    def branch(self):
        (session,) = self.sessions()
        return f"kforge/twice_relu/{session}"

    def start_model(self, *entries, any_order=False, tls=None):
        """Start a scripted model on 127.0.0.1 (chat_server.py), and point OPENAI_BASE_URL to it."""
        script = self.write("script.json", json.dumps(list(entries)))
        server = subprocess.Popen([sys.executable, os.path.join(HERE, "chat_server.py"), script,
                                   "--log", self.path("requests.jsonl"), "--until-eof",
                                   *(["--any-order"] if any_order else []),
                                   *(["--tls", tls] if tls else [])],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.stop, server)
        port = server.stdout.readline().strip()
        scheme = "https" if tls else "http"
        self.env.update(OPENAI_BASE_URL=f"{scheme}://127.0.0.1:{port}/v1", OPENAI_API_KEY="sk-marked-secret",
                        no_proxy="127.0.0.1")

    @staticmethod
    def stop(server):
        server.stdin.close()
        server.wait(timeout=120)
        server.stdout.close()

    def asked(self):
        """Return the number of requests to the model."""
        path = self.path("requests.jsonl")
        if not os.path.exists(path):
            return 0
        with open(path, encoding="utf-8") as file:
            return len(file.readlines())

    def wait_for_requests(self, count):
        """Wait until the model has received `count` requests."""
        while self.asked() < count:
            time.sleep(0.02)

    def ask_model(self):
        """Send a request from the test itself, for entries with "after"."""
        body = json.dumps({"messages": [{"role": "user", "content": "a request of the test's own"}]})
        request = urllib.request.Request(self.env["OPENAI_BASE_URL"] + "/chat/completions", body.encode(),
                                         {"Content-Type": "application/json"})
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).read()

    def in_lanes(self, attempt, items):
        """Run attempt(lane, item) for each item in parallel, and return the failures as texts.

        Each lane is a separate test case with its own folders.
        """
        lanes = queue.Queue()
        for _ in range(LANES):
            lane = type(self)()
            self.addCleanup(lane.doCleanups)
            lane.setUp()
            lanes.put(lane)

        def failure(item):
            lane = lanes.get()
            try:
                attempt(lane, item)
            except Exception as error:  # continue with the other items
                return f"at call {item}: {error}"
            finally:
                lanes.put(lane)
            return None

        with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
            return list(filter(None, pool.map(failure, items)))

    def prompts(self):
        """Return the last message of each request to the model, in order."""
        with open(self.path("requests.jsonl"), encoding="utf-8") as file:
            return [json.loads(line)["body"]["messages"][-1]["content"] for line in file]


class Terminal(Case):
    """A test that runs kforge in tmux."""

    def setUp(self):
        super().setUp()
        self.socket = self.path("tmux")
        self.addCleanup(self.tmux, "kill-server", check=False)

    def tmux(self, *args, check=True):
        return subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", *args], env=self.env, text=True,
                              capture_output=True, check=check).stdout

    def start(self, *args, size=(140, 40)):
        command = "trap : INT; " + shlex.join([KFORGE, *hurried(args)]) + "; echo ended with $?; exec sleep 600"
        self.tmux("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), "sh", "-c", command)

    def shown(self):
        return self.tmux("capture-pane", "-p")

    def click(self, text):
        """Press the left button of the mouse on the first `text` on the screen."""
        self.sees(text)
        row, line = next((y, line) for y, line in enumerate(self.shown().splitlines(), 1) if text in line)
        column = line.index(text) + 1
        self.tmux("send-keys", "-l", f"\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m")

    def sees(self, text, press=None):
        """Wait until `text` is on the screen; if `press` names a key, press it again and again.

        The pauses grow, because each look at the screen takes CPU time from the program.
        """
        deadline = time.monotonic() + 120
        pause = 0.5 if press else 0.05
        while text not in self.shown():
            self.assertLess(time.monotonic(), deadline, f"no {text!r} in:\n{self.shown()}")
            if press:
                self.tmux("send-keys", press)
            time.sleep(pause)
            pause = max(pause, min(pause * 1.2, 0.25))
