"""kill -9 at any moment: kforge dies before its n-th call that matters, and is gone on with.

KFORGE_KILL_POINTS says how many moments of the session are tried, spread evenly over it; "all" is every one.
"""
import json
import os
import shutil
import signal
import unittest

from kforge import ADVICE, BROKEN, RIGHT, Case, reply

MODEL = ("--agent", "openai:scripted")
MINE = reply("y[i] = fmax(2.0f * x[i], 0.0f);", "By hand.")
FASTER = reply("y[i] = x[i] > 0.0f ? 2.0f * x[i] : 0.0f;", "Without a function.")
POINTS = os.environ.get("KFORGE_KILL_POINTS", "16")

# Written twice where a process was killed while it waited for an answer.
ASKING = ("model.request", "evaluation.started")


class Kill(Case):
    """A session with a repair, an edit and a retry."""

    def setUp(self):
        super().setUp()
        self.write("mine.md", MINE)
        rules = [{"kind": "candidate", "attempt": 2, "decide": "retry", "reason": "shorter"},
                 {"kind": "keep", "attempt": 3, "decide": "edit", "file": "mine.md"},
                 {"kind": "keep", "decide": "accept"}]
        self.policy = ("--policy", self.write("rules.json", json.dumps({"kforge": 1, "rules": rules})))
        # Answers by what is asked, so that the same question has the same answer.
        self.start_model({"match": "You analyse", "reply": ADVICE}, {"match": "work on four elements at a time", "reply": FASTER},
                         {"match": "undeclared identifier", "reply": RIGHT}, {"reply": BROKEN}, any_order=True)

    def asked(self):
        path = self.path("requests.jsonl")
        if not os.path.exists(path):
            return 0
        with open(path, encoding="utf-8") as file:
            return len(file.readlines())

    def start(self, point):
        """From nothing until the call that kills it."""
        for name in ("data", "requests.jsonl"):
            path = self.path(name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.unlink(path)
        plain = dict(self.env)
        self.env.update(LD_PRELOAD=os.environ["KFORGE_KILL_AT_LIBRARY"], KFORGE_KILL_AT=str(point),
                        KFORGE_KILL_COUNT=self.path("count"),
                        # The address sanitizer wants to be loaded first; it works all the same.
                        ASAN_OPTIONS=f"{plain.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0")
        run = self.kforge("run", self.problem, "--headless", "--optimize", "1", *self.policy, *MODEL)
        self.env = plain
        return run

    def journal(self):
        """The whole lines of the only journal."""
        sessions = self.sessions()
        path = self.path(f"data/kforge/sessions/{sessions[0]}/events.jsonl") if sessions else ""
        if not os.path.exists(path):
            return []
        with open(path, "rb") as file:
            return [json.loads(line) for line in file if line.endswith(b"\n")]

    @staticmethod
    def story(events):
        """What happened, without what is measured or made up on the way."""
        told = ("type", "kind", "step", "attempt", "decision", "by", "reason", "outcome", "task", "title", "text",
                "candidate", "change")
        measured = ("prompt", "keep")
        return [{key: event[key] for key in told
                 if key in event and not (key == "text" and event.get("kind", event.get("task")) in measured)
                 and not (key == "reason" and event["type"] == "session.closed")}
                for event in events if event["type"] not in ASKING]

    def kernels(self):
        """Each commit of the branch with its author and its kernel's blob, and the names of all references."""
        (session,) = self.sessions()
        commits = self.git("log", "--format=%an %T", self.branch()).split("\n")[:-1]
        trees = [(line.rsplit(" ", 1)[0], self.git("rev-parse", line.rsplit(" ", 1)[1] + ":kernel.cl").strip())
                 for line in commits]
        refs = self.git("for-each-ref", "--format=%(refname)").replace(session, "SESSION").split()
        return trees, refs

    def try_point(self, point, whole):
        run = self.start(point)
        if run.returncode != -signal.SIGKILL:  # the last calls are not the same ones every time
            self.assertIn(run.returncode, (0, 1), run.stderr)
            return
        before = self.journal()
        paid = [event for event in before if event["type"] == "model.reply"]
        asked = self.asked()
        self.assertLessEqual(asked - len(paid), 1)
        if not before:
            self.assertEqual(asked, 0)
            return
        (session,) = self.sessions()
        resumed = self.kforge("resume", session, "--headless", *self.policy)
        if len(before) == 1 and before[0]["type"] == "session.opened":
            self.assertIn("ended before it began", resumed.stderr)
            return
        self.assertIn(resumed.returncode, (0, 1), f"killed at call {point}: {resumed.stderr}")
        events = self.events()
        self.assertEqual(events[:len(before)], before)
        self.assertEqual(self.story(events), whole["story"], f"killed at call {point}")
        self.assertEqual(self.kernels(), whole["kernels"], f"killed at call {point}")
        self.assertEqual(self.asked() - asked, whole["replies"] - len(paid), f"killed at call {point}")
        self.git("fsck", "--strict")

    def test_nothing_is_paid_twice_and_the_end_is_the_same(self):
        run = self.start(0)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        with open(self.path("count"), encoding="utf-8") as file:
            calls = int(file.read())
        whole = {"story": self.story(self.journal()), "kernels": self.kernels(), "replies": self.asked()}
        self.assertEqual([author for author, _ in whole["kernels"][0]],
                         ["openai:scripted", "Ada Engineer", "openai:scripted"])
        count = calls if POINTS == "all" else min(int(POINTS), calls)
        for i in range(count):
            self.try_point(1 + i * calls // count, whole)
        print(f"{count} of {calls} moments")


if __name__ == "__main__":
    unittest.main(verbosity=2)
