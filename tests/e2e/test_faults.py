"""What breaks around kforge: the disk at any write, and the worker in several ways.

KFORGE_FAIL_POINTS says at how many writes of the session the disk fails, spread evenly over it; "all" is every one.
"""
import errno
import os
import shutil
import unittest

from kforge import ADVICE, RIGHT, Case, reply

FASTER = reply("y[i] = x[i] > 0.0f ? 2.0f * x[i] : 0.0f;", "Without a function.")
POINTS = os.environ.get("KFORGE_FAIL_POINTS", "8")


class Disk(Case):
    """A session whose disk fails in its midst, and is repaired."""

    def setUp(self):
        super().setUp()
        self.start_model({"match": "You analyse", "reply": ADVICE}, {"match": "work on four elements", "reply": FASTER},
                         {"reply": RIGHT}, any_order=True)

    def run_failing(self, point, error):
        """From nothing, with every write failing from the one of that number on; 0 for none."""
        shutil.rmtree(self.path("data"), ignore_errors=True)
        plain = dict(self.env)
        self.env.update(LD_PRELOAD=os.environ["KFORGE_FAIL_AT_LIBRARY"], KFORGE_FAIL_COUNT=self.path("count"),
                        KFORGE_FAIL_WITH=str(error),
                        ASAN_OPTIONS=f"{plain.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0")
        if point:
            self.env["KFORGE_FAIL_AT"] = str(point)
        run = self.kforge("run", self.problem, "--headless", "--optimize", "1", "--agent", "openai:scripted")
        self.env = plain
        return run

    def points(self):
        whole = self.run_failing(0, 0)
        self.assertIn(whole.returncode, (0, 1), whole.stderr)
        with open(self.path("count"), encoding="ascii") as file:
            count = int(file.read())
        step = 1 if POINTS == "all" else max(1, count // int(POINTS))
        return range(1, count + 1, step)

    def check(self, point, error):
        run = self.run_failing(point, error)
        self.assertGreaterEqual(run.returncode, 0, f"write {point} ended kforge: {run.stderr}")
        self.assertLessEqual(len(run.stderr.splitlines()), 3, run.stderr)
        if run.returncode not in (0, 1):
            self.assertTrue(run.stderr.startswith("kforge: "), run.stderr)
        for session in self.sessions():
            resumed = self.kforge("resume", session, "--headless")
            if os.path.getsize(self.path(f"data/kforge/sessions/{session}/events.jsonl")) == 0:
                continue
            self.assertIn(resumed.returncode, (0, 1, 2), f"write {point}: {resumed.stderr}")
        if os.path.isdir(self.path("data/kforge/history.git")) and self.sessions():
            self.git("fsck", "--strict")

    def test_full_or_read_only_at_any_write(self):
        for number, point in enumerate(self.points()):
            with self.subTest(point=point):
                self.check(point, (errno.ENOSPC, errno.EROFS)[number % 2])


class Worker(Case):
    """A worker that is none."""

    def failing(self, script):
        return self.kforge("run", self.problem, "--headless", "--worker", self.write("worker", script, 0o755) + "; :",
                           timeout=60)

    def assert_unavailable(self, script, says):
        run = self.failing(script)
        self.assertEqual(run.returncode, 5, run.stderr)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        self.assertIn(says, run.stderr)

    def test_that_talks_garbage(self):
        self.assert_unavailable("#!/bin/sh\nread line\nhead -c 100000 /dev/urandom\n", "worker")
        self.assert_unavailable("#!/bin/sh\nread line\necho '[]'\necho 'no JSON'\n", "worker")

    def test_of_another_version(self):
        self.assert_unavailable(
            "#!/usr/bin/python3\nimport json, sys\nfor line in sys.stdin:\n"
            "    print(json.dumps({'id': json.loads(line)['id'], 'event': 'result', 'version': '9.9.9'}), flush=True)\n",
            "kforge-worker is version 9.9.9")

    def test_that_dies_at_once(self):
        self.assert_unavailable("#!/bin/sh\nexit 7\n", "died")


if __name__ == "__main__":
    unittest.main(verbosity=2)
