#!/usr/bin/python3
"""Measure kforge suite report and status with many sessions, and count what they ask of the file system.

Each session is a copy of one real session of the built-in agent, with an id and verdicts of its own, in the form that a
cluster leaves: the suite's journal ends with the submission, and each task has its record.  With --followed the journal
has the ends of all tasks.

usage: suite_scale.py [--sessions N] [--followed] FOLDER      (KFORGE names the program; FOLDER is made, and kept)
"""
import argparse
import glob
import hashlib
import json
import os
import re
import resource
import subprocess
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
KFORGE = os.environ["KFORGE"]
ARMS, REPEATS = 10, 10
PROBLEM = {
    "kforge": 1, "name": "twice_relu", "summary": "Twice the positive part of a matrix.",
    "dims": {"M": 64, "N": 256},
    "tensors": {
        "x": {"role": "input", "dtype": "f32", "shape": ["M", "N"], "fill": {"uniform": [-1, 1]}},
        "y": {"role": "output", "dtype": "f32", "shape": ["M", "N"]}},
    "graph": [{"op": "relu", "in": ["x"], "out": "t"}, {"op": "mul", "in": ["t", 2], "out": "y"}],
    "tolerance": {"class": "f32"},
}


class Scale:
    def __init__(self, folder, sessions, followed):
        self.folder, self.sessions, self.followed = os.path.abspath(folder), sessions, followed
        self.data = os.path.join(self.folder, "data/kforge")
        self.env = dict(os.environ, XDG_DATA_HOME=os.path.join(self.folder, "data"), HOME=self.folder)

    def run(self, *args):
        return subprocess.run([KFORGE, *args], env=self.env, cwd=self.folder, text=True, capture_output=True, check=True)

    def blob(self, oid):
        path = os.path.join(self.data, "history.git/objects", oid[:2], oid[2:])
        with open(path, "rb") as file:
            return zlib.decompress(file.read()).partition(b"\0")[2]

    def add_blob(self, text):
        content = b"blob %d\0" % len(text) + text
        oid = hashlib.sha1(content).hexdigest()
        folder = os.path.join(self.data, "history.git/objects", oid[:2])
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, oid[2:]), "wb") as file:
            file.write(zlib.compress(content, 1))
        return oid

    def make(self):
        """Run one session, and copy it."""
        os.makedirs(self.folder)
        with open(os.path.join(self.folder, "twice_relu.json"), "w", encoding="utf-8") as file:
            json.dump(PROBLEM, file)
        self.run("suite", "run", "--headless", "--problems", "twice_relu.json", "--timing-limit", "0.1")
        (first,) = os.listdir(os.path.join(self.data, "sessions"))
        with open(os.path.join(self.data, f"sessions/{first}/events.jsonl"), encoding="utf-8") as file:
            events = file.read()
        verdicts = {oid: self.blob(oid) for oid in set(re.findall(r'"verdict":"([0-9a-f]{40})"', events))}
        (suite,) = os.listdir(os.path.join(self.data, "suites"))
        self.suite = suite
        for task in range(1, self.sessions + 1):
            text = events.replace(first, f"{suite}-{task}")
            for oid, verdict in verdicts.items():
                text = text.replace(oid, self.add_blob(verdict + b" " * (task % 7) + b"\n" * (task // 7)))
            folder = os.path.join(self.data, f"sessions/{suite}-{task}")
            os.mkdir(folder)
            with open(os.path.join(folder, "events.jsonl"), "w", encoding="utf-8") as file:
                file.write(text)
        print(f"{self.sessions} sessions of {len(events)} bytes and {len(verdicts)} verdicts")
        self.make_suite(os.path.join(self.data, "suites", suite))

    def make_suite(self, folder):
        with open(os.path.join(folder, "suite.json"), encoding="utf-8") as file:
            form = json.load(file)
        arm, problem = form["arms"][0], form["problems"][0]
        problems = self.sessions // (ARMS * REPEATS)
        form.update(problems=[f"problems/p{i}.json" for i in range(problems)], repeats=REPEATS, on="slurm",
                    arms=[{**arm, "name": f"arm{i}"} for i in range(ARMS)])
        for path in form["problems"]:
            os.link(os.path.join(folder, problem), os.path.join(folder, path))
        with open(os.path.join(folder, "suite.json"), "w", encoding="utf-8") as file:
            json.dump(form, file)
        self.write_journal(folder)
        os.makedirs(os.path.join(folder, "jobs"), exist_ok=True)
        for task in range(1, self.sessions + 1):
            with open(os.path.join(folder, f"tasks/{task}.json"), "w", encoding="utf-8") as file:
                json.dump({"host": f"n{task % 64}", "job": f"1_{task}", "began": "2026-11-25T20:00:00.000Z", "runs": 1,
                           "ended": "2026-11-25T21:00:00.000Z", "exit": 0}, file)

    def write_journal(self, folder):
        at = "2026-11-25T20:00:00.000Z"
        lines = [{"type": "suite.opened", "suite": self.suite, "name": "scale", "tasks": self.sessions}]
        for i in range(0, self.sessions, 1000):
            lines.append({"type": "suite.submitted", "scheduler": "slurm", "job": str(i), "list": i // 1000 + 1,
                          "tasks": min(1000, self.sessions - i)})
        for task in range(1, self.sessions + 1) if self.followed else ():
            session = {"task": task, "session": f"{self.suite}-{task}"}
            lines.append({"type": "task.started", **session, "problem": "p", "arm": "a", "repeat": 1, "host": "n1"})
            lines.append({"type": "task.ended", **session, "result": "improved"})
        with open(os.path.join(folder, "events.jsonl"), "w", encoding="utf-8") as file:
            for number, line in enumerate(lines, 1):
                file.write(json.dumps({"seq": number, "at": at, **line}) + "\n")

    def measure(self, *args):
        """Run kforge, and print its time and memory, and with strace its calls to the file system."""
        began = time.monotonic()
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            subprocess.run([KFORGE, *args], env=self.env, cwd=self.folder, stdout=nowhere, check=True)
        wall = time.monotonic() - began
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"kforge {' '.join(args)}: {wall:.2f} s, most memory of all runs {usage.ru_maxrss // 1024} MB")

    def count(self, *args):
        trace = os.path.join(self.folder, "trace")
        try:
            subprocess.run(["strace", "-f", "-c", "-U", "name,calls", "-e", "trace=%file,read,pread64,getdents64,fsync,fdatasync",
                            "-o", trace, KFORGE, *args], env=self.env, cwd=self.folder, stdout=subprocess.DEVNULL, check=True)
        except FileNotFoundError:
            return
        with open(trace, encoding="utf-8") as file:
            calls = re.findall(r"^(\w+) +(\d+)$", file.read(), re.M)
        print("  " + ", ".join(f"{count} {name}" for name, count in calls if int(count) >= 100))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--sessions", type=int, default=10000)
    parser.add_argument("--followed", action="store_true")
    options = parser.parse_args()
    scale = Scale(options.folder, options.sessions, options.followed)
    if not glob.glob(os.path.join(scale.data, "suites/*")):
        scale.make()
    for args in (("suite", "report", "--json"), ("suite", "report"), ("suite", "status")):
        scale.measure(*args)
        scale.count(*args)


if __name__ == "__main__":
    main()
