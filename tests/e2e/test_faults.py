"""Test faults around kforge: a disk that fails at any write, and a worker that fails in several ways.

KFORGE_FAIL_POINTS is the number of tested writes, evenly spaced over the session; "all" tests every write, and
"all:3/60" the third of 60 parts, so that 60 processes can share the work.
"""
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from kforge import ADVICE, HANGING, KFORGE, RIGHT, Case, Terminal, chosen, reply

FASTER = reply("y[i] = x[i] > 0.0f ? 2.0f * x[i] : 0.0f;", "Without a function.")
POINTS = os.environ.get("KFORGE_FAIL_POINTS", "6")
SKIPPED = 77


class Disk(Case):
    """The disk fails during a session; afterwards the session can be resumed."""

    def setUp(self):
        super().setUp()
        self.start_model({"match": "You analyse", "reply": ADVICE}, {"match": "work on four elements", "reply": FASTER},
                         {"reply": RIGHT}, any_order=True)

    def run_failing(self, point, error):
        """Run a new session in which write number `point` and all later ones fail; 0: none fails."""
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
        # Compiled now, the kernel is loaded from the cache in all sessions.
        self.kforge("eval", self.problem, self.write("faster.md", FASTER))
        whole = self.run_failing(0, 0)
        self.assertIn(whole.returncode, (0, 1), whole.stderr)
        with open(self.path("count"), encoding="ascii") as file:
            count = int(file.read())
        points = chosen(count, POINTS)
        print(f"{len(points)} of {count} writes", flush=True)
        return points

    def check(self, failure):
        point, error = failure
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
        failures = [(point, error) for point in self.points() for error in (errno.ENOSPC, errno.EROFS)]
        self.assertEqual(self.in_lanes(Disk.check, failures), [])


class Folders(Case):
    """Error messages about folders that cannot be used."""

    def run_with(self, variable, folder, *args):
        self.env[variable] = folder
        return self.kforge(*(args or ("run", self.problem, "--headless", "--optimize", "0")))

    def assert_one_line(self, run, code, *said):
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        for text in said:
            self.assertIn(text, run.stderr)

    def assert_needs_data(self, folder, why):
        for repo in ((), ("--repo", self.path("mine.git"))):
            run = self.run_with("XDG_DATA_HOME", folder, "run", self.problem, "--headless", *repo)
            self.assert_one_line(run, 5, folder, why, "set XDG_DATA_HOME to another folder")


class Places(Folders):
    """A file is in the place of a folder, or the folder cannot be made."""

    def test_sessions_need_the_data_folder(self):
        self.assert_needs_data(self.write("file", ""), "Not a directory")
        self.assert_needs_data("/proc/nowhere", "No such file")

    def test_what_is_measured_is_not_kept_without_a_cache(self):
        run = self.run_with("XDG_CACHE_HOME", self.write("file", ""), "devices", "--measure")
        self.assert_one_line(run, 0, "the roofs are not stored", "Not a directory", "set XDG_CACHE_HOME to another folder")
        self.assertIn("B/s over", run.stdout)
        self.assertEqual(self.run_with("XDG_CACHE_HOME", self.path("file")).returncode, 1)

    def test_there_may_be_no_log(self):
        self.assertEqual(self.run_with("XDG_STATE_HOME", self.write("file", "")).returncode, 1)

    def test_executors_need_a_folder(self):
        run = self.run_with("TMPDIR", self.path("nowhere"))
        self.assert_one_line(run, 5, self.path("nowhere"), "set TMPDIR to another folder")


class Full(Folders):
    """A separate file system that is full or read-only. Only root can mount one."""

    def mount(self, options):
        folder = tempfile.mkdtemp(dir=self.root)
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], check=True)
        self.addCleanup(subprocess.run, ["umount", folder], check=True)
        return folder

    def fill(self, folder):
        with self.assertRaises(OSError), open(os.path.join(folder, "ballast"), "wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass

    def full(self):
        folder = self.mount("size=64k")
        self.fill(folder)
        return folder

    def test_sessions_need_the_data_folder(self):
        self.assert_needs_data(self.full(), "no space is left")
        self.assert_needs_data(self.mount("ro"), "Read-only file system")

    def test_compilers_need_room(self):
        """A full disk is not blamed on the candidate or on the driver."""
        folder = self.full()
        run = self.run_with("TMPDIR", folder)
        self.assert_one_line(run, 5, folder, "compilers need 16 MB there", "name another place with TMPDIR")
        self.assertEqual(self.events("evaluation.finished"), [])
        del self.env["TMPDIR"]
        (session,) = self.sessions()
        self.assertEqual(self.kforge("resume", session, "--headless").returncode, 1)

    def test_one_that_fills_while_the_model_thinks(self):
        """The model is not told either, and the same reply is judged when there is room again."""
        folder = self.mount("size=20m")
        self.start_model({"reply": RIGHT, "after": 2}, {"reply": RIGHT})
        filling = threading.Thread(target=self.fill_before_the_reply, args=(folder,))
        filling.start()
        run = self.run_with("TMPDIR", folder, "run", self.problem, "--headless", "--optimize", "0",
                            "--agent", "openai:scripted")
        filling.join()
        self.assertEqual(run.returncode, 5, run.stdout + run.stderr)
        self.assertIn("compilers need 16 MB there", run.stderr)
        self.assertEqual(self.events("evaluation.finished"), [])
        os.unlink(os.path.join(folder, "ballast"))
        (session,) = self.sessions()
        self.assertIn(self.kforge("resume", session, "--headless").returncode, (0, 1))
        self.assertEqual([event["outcome"] for event in self.events("evaluation.finished")], ["correct"])
        self.assertEqual(self.asked(), 2)

    def fill_before_the_reply(self, folder):
        """Fill a file system while the model still thinks; the second request, which is the test's, ends that."""
        self.wait_for_requests(1)
        self.fill(folder)
        self.ask_model()


class Worker(Case):
    """A program that is no worker takes its place."""

    def failing(self, script):
        return self.kforge("run", self.problem, "--headless", "--worker", self.write("worker", script, 0o755),
                           timeout=120)

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

    def test_that_is_slow(self):
        slowly = self.write("slowly", "#!/usr/bin/python3\n"
                            "import subprocess, sys, threading, time\n"
                            "worker = subprocess.Popen(sys.argv[1:], stdin=-1, stdout=-1, bufsize=0)\n"
                            "def pass_on(source, sink):\n"
                            "    for line in source:\n"
                            "        time.sleep(0.2)\n"
                            "        sink.write(line)\n"
                            "        sink.flush()\n"
                            "    sink.close()\n"
                            "threading.Thread(target=pass_on, args=(sys.stdin.buffer, worker.stdin)).start()\n"
                            "pass_on(worker.stdout, sys.stdout.buffer)\n", 0o755)
        self.env["PATH"] = os.path.dirname(KFORGE) + ":" + self.env["PATH"]
        run = self.kforge("run", self.problem, "--headless", "--optimize", "1", "--worker", slowly)
        self.assertIn(run.returncode, (0, 1), run.stderr)

    def test_whose_program_is_replaced_goes_on_with_its_own(self):
        """A build replaces the file while the worker runs. Executors that start later are of the worker's build."""
        program = shutil.copy(os.path.join(os.path.dirname(KFORGE), "kforge-worker"), self.path("kforge-worker"))
        env = dict(self.env, KFORGE_READABLE=os.path.dirname(KFORGE))  # where the tests' driver is
        process = subprocess.Popen([program, "--run-limit", "1", "--timing-limit", "0.1"], env=env, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)

        def ask(what, **members):
            print(json.dumps({"id": 1, "do": what, **members}), file=process.stdin, flush=True)
            answer = next(answer for answer in map(json.loads, process.stdout) if answer["event"] in ("result", "error"))
            self.assertEqual(answer["event"], "result", answer)
            return answer

        def outcome(markdown):
            plan, source = (re.search(f"^```{kind}[^\n]*\n(.*?)^```", markdown, re.M | re.S)[1]
                            for kind in ("json", "opencl"))
            candidate = {"language": "opencl", "source": source, "plan": plan, "remark": ""}
            return ask("evaluate", candidate=candidate)["verdict"]["outcome"]

        with process, open(self.problem, encoding="utf-8") as file:
            ask("load", problem=file.read(), file="twice_relu.json")
            os.replace(self.write("other", "#!/bin/sh\nexit 1\n", 0o755), program)
            self.assertEqual([outcome(HANGING), outcome(RIGHT)], ["timed_out", "correct"])
            process.stdin.close()

    def test_that_dies_at_once(self):
        self.assert_unavailable("#!/bin/sh\nexit 7\n", "did not start (exit status 7)")


class Silence(Terminal):
    """A worker is stopped (SIGSTOP) during an evaluation, or dies while the engineer decides."""

    def setUp(self):
        super().setUp()
        self.env["KFORGE_WORKER_SILENCE"] = "5"
        self.start_model({"reply": HANGING}, {"reply": RIGHT})
        self.command = ("run", self.problem, "--agent", "openai:scripted", "--optimize", "0", "--run-limit", "2")

    def start_headless(self, *args):
        with open(self.path("out"), "w", encoding="utf-8") as out:
            run = self.spawn(*self.command, "--headless", *args, stdout=out, stderr=out)
        self.addCleanup(run.kill)
        return run

    @staticmethod
    def children(pid, *name):
        """Return the children of a process, or those that have this name."""
        found = subprocess.run(["pgrep", "-x", "-P", str(pid), *name], capture_output=True, text=True, check=False)
        return [int(line) for line in found.stdout.split()]

    def stop_worker(self, pid):
        """Stop the worker of this kforge during an evaluation, and return its process id."""
        while not self.journal_holds("evaluation.started"):
            time.sleep(0.02)
        shells = self.children(pid, "sh")  # of a prefix
        (worker,) = self.children(shells[0] if shells else pid, "kforge-worker")
        os.kill(worker, signal.SIGSTOP)
        for executor in self.children(worker):  # the kernel would occupy a core until the worker goes on
            os.kill(executor, signal.SIGSTOP)
        return worker

    def wait_until_said(self, text):
        deadline = time.monotonic() + 120
        while text not in self.said():
            self.assertLess(time.monotonic(), deadline, self.said())
            time.sleep(0.05)

    def said(self):
        with open(self.path("out"), encoding="utf-8") as out:
            return out.read()

    def assert_gone(self, pid):
        deadline = time.monotonic() + 60
        while os.path.exists(f"/proc/{pid}"):  # until its parent, which may be init, has waited for it
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_another_takes_its_place(self):
        run = self.start_headless()
        worker = self.stop_worker(run.pid)
        self.wait_until_said(f"the worker (pid {worker}) has not responded for 5 s: kforge starts another after 15 s")
        self.assertEqual(run.wait(timeout=120), 1, self.said())
        self.assertIn("the worker stopped responding: kforge starts another", self.said())
        self.assertEqual([e["outcome"] for e in self.events("evaluation.finished")], ["timed_out", "correct"])
        self.assert_gone(worker)

    def test_one_that_goes_on_is_kept(self):
        """The message also appears with --json, when standard output has events only."""
        run = self.start_headless("--json")
        worker = self.stop_worker(run.pid)
        self.wait_until_said(f"kforge: the worker (pid {worker}) has not responded for 5 s")
        for stopped in (*self.children(worker), worker):
            os.kill(stopped, signal.SIGCONT)
        self.assertEqual(run.wait(timeout=120), 1, self.said())
        self.assertIn("kforge: the worker responds again", self.said())
        self.assertNotIn("stopped responding", self.said())

    def test_elsewhere_it_is_waited_for_and_ctrl_c_ends_it(self):
        self.env["PATH"] = os.path.dirname(KFORGE) + ":" + self.env["PATH"]
        run = self.start_headless("--worker", "env LC_ALL=C")
        worker = self.stop_worker(run.pid)
        self.wait_until_said("the worker has not responded for 5 s: to start another, end kforge and resume")
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=120), 130, self.said())
        self.assertIn("the session is saved", self.said())
        self.assert_gone(worker)

    def kforge_on_screen(self):
        (kforge,) = self.children(self.tmux("display-message", "-p", "#{pane_pid}").strip(), "kforge")
        return kforge

    def test_death_while_a_step_waits_is_said(self):
        self.start(*self.command, "--policy", "manual", size=(80, 24))
        self.sees("STEP 1")
        kforge = self.kforge_on_screen()
        (worker,) = self.children(kforge, "kforge-worker")
        os.kill(worker, signal.SIGKILL)
        self.sees("the worker died: kforge starts another")
        self.assertIn("STEP 1", self.shown())
        self.sees("ended with", press="q")

    def test_on_the_screen(self):
        self.start(*self.command, "--policy", "auto")
        while not self.journal_holds("evaluation.started"):
            time.sleep(0.02)
        worker = self.stop_worker(self.kforge_on_screen())
        self.sees("has not responded for 5 s")
        self.sees("ended with", press="q")
        self.assert_gone(worker)


if __name__ == "__main__":
    if "Full" in sys.argv and os.geteuid() != 0:
        print("only root can mount file systems", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
