"""Test disturbances of a running session: another kforge, a removed folder, a clock that jumps."""
import json
import os
import shutil
import signal
import subprocess
import unittest

from kforge import ADVICE, RIGHT, Case, Terminal

MODEL = ("--agent", "openai:scripted")


class Running(Case):
    """A session that waits for its model."""

    def start(self, *args):
        with open(self.path("out"), "w", encoding="utf-8") as out:
            run = self.spawn(*args, stdout=out, stderr=out)
        self.wait_for_requests(1)
        return run

    def end(self, run, number, status):
        run.send_signal(number)
        self.assertEqual(run.wait(timeout=120), status)
        with open(self.path("out"), encoding="utf-8") as out:
            return out.read()


class Another(Running):
    """Two kforge processes use one session."""

    def test_the_second_says_who_has_it_and_can_look(self):
        self.start_model({"silent": True})
        run = self.start("run", self.problem, "--headless", "--optimize", "0", *MODEL)
        (session,) = self.sessions()
        before = self.events()
        for args in (["resume", session, "--headless"], ["resume", session, "--json"]):
            second = self.kforge(*args)
            self.assertEqual((second.returncode, second.stdout), (5, ""))
            self.assertEqual(second.stderr, f"kforge: session {session} is open in another kforge (pid {run.pid}): "
                                            f"close it there, or look at the session with kforge replay {session}\n")
        replayed = self.kforge("replay", session, "--headless")
        self.assertEqual(replayed.returncode, 0, replayed.stderr)
        self.assertIn("prompt: write a first version", replayed.stdout)
        self.assertEqual(self.events(), before)
        self.assertIn("the session is saved", self.end(run, signal.SIGINT, 130))
        # No lock is held, as on a file system that loses it, but node9 renewed its lease a moment ago.
        lease = self.write(f"data/kforge/sessions/{session}/process.json", json.dumps({"host": "node9", "pid": run.pid}))
        refused = self.kforge("resume", session, "--headless")
        self.assertIn(f"is open in another kforge (pid {run.pid} on node9): ", refused.stderr)
        os.utime(lease, (0, 0))
        self.start_model({"reply": RIGHT}, {"reply": ADVICE})
        self.assertEqual(self.kforge("resume", session, "--headless").returncode, 1)
        with open(lease, encoding="utf-8") as file:
            self.assertTrue(json.load(file)["ended"])


class Removed(Running):
    """The folder of the session is removed."""

    def remove(self):
        (session,) = self.sessions()
        shutil.rmtree(self.path(f"data/kforge/sessions/{session}"))

    def test_the_next_event_says_so(self):
        # The model answers after one more request, which the test itself sends.
        self.start_model({"reply": RIGHT, "after": 2}, {"reply": "too early"})
        run = self.start("run", self.problem, "--headless", *MODEL)
        self.remove()
        self.ask_model()
        self.assertEqual(run.wait(timeout=120), 5)
        with open(self.path("out"), encoding="utf-8") as out:
            said = out.read()
        self.assertIn("events.jsonl: was removed or replaced while the session ran", said)
        self.assertNotIn("the session is saved", said)
        self.git("fsck", "--strict")

    def test_nothing_is_promised_when_it_is_interrupted(self):
        self.start_model({"silent": True})
        run = self.start("run", self.problem, "--headless", *MODEL)
        self.remove()
        self.assertNotIn("the session is saved", self.end(run, signal.SIGTERM, 130))


class RemovedOnScreen(Terminal):
    """The folder is removed while the screen shows the session."""

    def test_nobody_is_told_that_it_can_be_resumed(self):
        self.start_model({"silent": True})
        self.start("run", self.problem, "--policy", "auto", *MODEL)
        self.wait_for_requests(1)
        self.sees("generating")
        (session,) = self.sessions()
        shutil.rmtree(self.path(f"data/kforge/sessions/{session}"))
        self.sees("press q again to leave; the session cannot be resumed", press="q")


class Jumps(Case):
    """The real-time clock is set while a session runs."""

    def test_nothing_that_is_measured_follows_it(self):
        self.assertTrue(shutil.which("faketime"), "the package faketime is missing")
        self.start_model({"reply": RIGHT}, {"reply": ADVICE, "after": 3}, {"reply": "too early"}, {"reply": RIGHT})
        self.write("clock", "@2031-05-01 12:00:00")
        library = subprocess.run(["sh", "-c", "faketime '2031-05-01' printenv LD_PRELOAD"], text=True, check=True,
                                 capture_output=True).stdout.strip()
        env = dict(self.env, LD_PRELOAD=library, FAKETIME_TIMESTAMP_FILE=self.path("clock"), FAKETIME_NO_CACHE="1",
                   FAKETIME_DONT_FAKE_MONOTONIC="1", DONT_FAKE_MONOTONIC="1",
                   ASAN_OPTIONS=self.env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
        with open(self.path("out"), "w", encoding="utf-8") as out:
            run = self.spawn("run", self.problem, "--headless", "--optimize", "1", "--budget-minutes", "5", *MODEL,
                             env=env, stdout=out, stderr=out)
        self.wait_for_requests(2)
        self.write("clock", "@2001-05-01 12:00:00")
        self.ask_model()
        with open(self.path("out"), encoding="utf-8") as out:
            self.assertIn(run.wait(timeout=120), (0, 1), out.read())
        years = [event["at"][:4] for event in self.events()]
        self.assertEqual((years[0], years[-1]), ("2031", "2001"))
        minute = 60e6
        for event in self.events("model.reply"):
            self.assertTrue(0 <= event["latency_us"] < 5 * minute, event)
        for event in self.events("evaluation.finished"):
            self.assertTrue(0 <= event["wall_us"] < 5 * minute, event)
        (session,) = self.sessions()
        for command in (["show", session], ["replay", session, "--headless"], ["sessions"], ["resume", session]):
            shown = self.kforge(*command)
            self.assertIn(shown.returncode, (0, run.returncode), shown.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
