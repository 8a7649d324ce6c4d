"""Kill kforge (kill -9) before its n-th system call with an outside effect, and resume the session.

KFORGE_KILL_POINTS is the number of tested calls, evenly spaced over the session; "all" tests every call, and
"all:3/60" the third of 60 parts, so that 60 processes can share the work.
"""
import fcntl
import json
import os
import pty
import shutil
import signal
import struct
import termios
import threading
import unittest

from kforge import ADVICE, BROKEN, RIGHT, Case, chosen, reply

MODEL = ("--agent", "openai:scripted")
MINE = reply("y[i] = fmax(2.0f * x[i], 0.0f);", "By hand.")
FASTER = reply("y[i] = x[i] > 0.0f ? 2.0f * x[i] : 0.0f;", "Without a function.")
KEEP = {"kind": "keep", "decide": "accept"}
POINTS = os.environ.get("KFORGE_KILL_POINTS", "6")

# Events that may appear again after a kill: kforge repeats an unanswered request, and may learn more of a device.
BESIDES = ("model.request", "evaluation.started", "device.described")


class Killed(Case):
    """A session that is run once for each kill point, killed there, and resumed."""

    options = ("--optimize", "1")
    requests = 1      # the most that are open at the same time
    numbered = False  # True: each reply has a different text

    def setUp(self):
        super().setUp()
        self.write("mine.md", MINE)
        self.policy = ("--policy", self.write("rules.json", json.dumps({"kforge": 1, "rules": self.rules()})))
        # Answers depend on the question only, so that a repeated question gets the same answer.
        self.start_model({"match": "You analyse", "reply": ADVICE},
                         {"match": "work on four elements at a time", "reply": FASTER, "numbered": self.numbered},
                         {"match": "undeclared identifier", "reply": RIGHT, "numbered": self.numbered},
                         {"reply": BROKEN, "numbered": self.numbered}, any_order=True)

    @staticmethod
    def rules():
        """Return rules that also retry and edit a step."""
        return [{"kind": "candidate", "attempt": 2, "decide": "retry", "reason": "shorter"},
                {"kind": "keep", "attempt": 3, "decide": "edit", "file": "mine.md"},
                KEEP]

    def launch(self):
        """Run a new session to its end; return the exit status and the output."""
        run = self.kforge("run", self.problem, "--headless", *self.options, *self.policy, *MODEL)
        return run.returncode, run.stdout + run.stderr

    @staticmethod
    def count(events, kind):
        return sum(event["type"] == kind for event in events)

    def start(self, point):
        """Run a new session, killed before call number `point`; 0: not killed."""
        shutil.rmtree(self.path("data"), ignore_errors=True)
        if os.path.exists(self.path("requests.jsonl")):
            os.unlink(self.path("requests.jsonl"))
        plain = dict(self.env)
        self.env.update(LD_PRELOAD=os.environ["KFORGE_KILL_AT_LIBRARY"], KFORGE_KILL_AT=str(point),
                        KFORGE_KILL_COUNT=self.path("count"),
                        # The address sanitizer checks that it is loaded first; it also works second.
                        ASAN_OPTIONS=f"{plain.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0")
        ended = self.launch()
        self.env = plain
        return ended

    def journal(self):
        """Return the events of the only journal, without an incomplete last line."""
        sessions = self.sessions()
        path = self.path(f"data/kforge/sessions/{sessions[0]}/events.jsonl") if sessions else ""
        if not os.path.exists(path):
            return []
        with open(path, "rb") as file:
            return [json.loads(line) for line in file if line.endswith(b"\n")]

    told = ("type", "kind", "step", "attempt", "decision", "by", "reason", "outcome", "task", "title", "text",
            "candidate", "change")

    def story(self, events):
        """Return the events without members that differ between runs (measurements, object ids)."""
        measured = ("prompt", "keep")
        return [{key: event[key] for key in self.told
                 if key in event and not (key == "text" and event.get("kind", event.get("task")) in measured)
                 and not (key == "reason" and event["type"] == "session.closed")}
                for event in events if event["type"] not in BESIDES]

    def kernels(self):
        """Return the author and the kernel's blob of each commit of the branch, and the names of all refs."""
        (session,) = self.sessions()
        commits = self.git("log", "--format=%an %T", self.branch()).split("\n")[:-1]
        trees = [(line.rsplit(" ", 1)[0], self.git("rev-parse", line.rsplit(" ", 1)[1] + ":kernel.cl").strip())
                 for line in commits]
        refs = self.git("for-each-ref", "--format=%(refname)").replace(session, "SESSION").split()
        return trees, refs

    def ending(self):
        """Return everything that must not depend on kills."""
        return {"story": self.story(self.events()), "kernels": self.kernels(),
                "replies": len(self.events("model.reply"))}

    def try_point(self, point, whole):
        status, said = self.start(point)
        if status != -signal.SIGKILL:  # a run may have fewer calls than the first one
            self.assertIn(status, (0, 1), said)
            return
        before = self.journal()
        paid = self.count(before, "model.reply")
        unanswered = self.count(before, "model.request") - paid
        self.assertLessEqual(unanswered, self.requests)
        if not before:
            self.assertEqual(self.asked(), 0)
            return
        (session,) = self.sessions()
        resumed = self.kforge("resume", session, "--headless", *self.policy)
        if "problem.loaded" not in (event["type"] for event in before):
            self.assertIn("ended before the problem was loaded", resumed.stderr)
            return
        self.assertIn(resumed.returncode, (0, 1), resumed.stderr)
        self.assertEqual(self.events()[:len(before)], before)
        self.assertEqual(self.ending(), whole)
        self.assertEqual(self.count(self.events()[len(before):], "model.request"), whole["replies"] - paid)
        # The model may or may not have received the open requests.
        self.assertIn(self.asked() - whole["replies"], range(unanswered + 1))
        self.git("fsck", "--strict")

    def whole(self):
        """Run the session without a kill; return its ending and its number of calls."""
        # Compiled now, the kernel is loaded from the cache in all sessions.
        self.kforge("eval", self.problem, self.write("faster.md", FASTER))
        status, said = self.start(0)
        self.assertIn(status, (0, 1), said)
        with open(self.path("count"), encoding="utf-8") as file:
            calls = int(file.read())
        self.check_whole()
        return self.ending(), calls

    def check_whole(self):
        """Check that the uninterrupted session is as intended."""

    def try_points(self):
        whole, calls = self.whole()
        points = chosen(calls, POINTS)
        failures = self.in_lanes(lambda lane, point: lane.try_point(point, whole), points)
        print(f"{len(points) - len(failures)} of {len(points)} moments, of {calls} that there are", flush=True)
        self.assertEqual(failures, [])


class Headless(Killed):
    """On the command line."""

    def check_whole(self):
        self.assertEqual([author for author, _ in self.kernels()[0]],
                         ["openai:scripted", "Ada Engineer", "openai:scripted"])

    def test_nothing_is_paid_twice_and_the_end_is_the_same(self):
        self.try_points()


class Attempts(Killed):
    """Several proposals at the same time, no two of which are the same text."""

    options = ("--optimize", "2", "--attempts", "2", "--functional", "4")
    requests = 2
    numbered = True

    @staticmethod
    def rules():
        return []

    def ending(self):
        """Each candidate is judged once, and the outcomes are fixed. The fastest one is not: times decide on it."""
        events = self.events()
        self.assertEqual(sorted(e["text"] for e in events if e["type"] == "model.reply" and e["task"] == "generate"),
                         sorted(e["text"] for e in events if e["type"] == "step.proposed" and e["kind"] == "candidate"))
        finished = [(e["attempt"], e["outcome"]) for e in events if e["type"] == "evaluation.finished"]
        (session,) = self.sessions()
        refs = self.git("for-each-ref", "--format=%(refname)", f"refs/kforge/{session}/candidates").split()
        self.assertEqual(len(refs), len(finished))
        return {"judged": finished, "replies": len(self.events("model.reply")), "end": events[-1]["cause"]}

    def check_whole(self):
        self.assertEqual([e["outcome"] for e in self.events("evaluation.finished")],
                         ["build_failed"] * 2 + ["correct"] * 4)

    def test_no_proposal_is_lost_or_paid_twice(self):
        self.try_points()


class Screen(Killed):
    """In a terminal, with an engineer who decides on what is kept."""

    told = tuple(key for key in Killed.told if key not in ("by", "reason"))

    def setUp(self):
        super().setUp()
        # On the screen the engineer decides on each keep; in the resumed session the rules do.
        self.policy = self.guided("resumed.json", self.rules())
        self.on_screen = self.guided("screen.json", [rule for rule in self.rules() if rule != KEEP])
        keep = "wait STEP {} keep\nwait a accept\npress a\n"
        # Wait for each evaluation: the time limit of a script line is too short for all of them on a busy machine.
        self.keys = self.write("keys", "event evaluation.finished\n" * 2 + keep.format(8) + keep.format(12) +
                               "wait closed:\npress q\n")

    def guided(self, name, rules):
        rules = rules + [{"kind": "recommendation", "decide": "accept"}]
        return "--policy", self.write(name, json.dumps({"kforge": 1, "otherwise": "guided", "rules": rules}))

    def launch(self):
        outside, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        said = []
        with self.spawn("run", self.problem, "--keys", self.keys, *self.on_screen, *self.options, *MODEL,
                        env=dict(self.env, TERM="xterm-256color"), start_new_session=True, stdin=inside,
                        stdout=inside, stderr=inside) as run:
            os.close(inside)
            reader = threading.Thread(target=self.read_all, args=(outside, said))
            reader.start()
            run.wait(timeout=120)
            reader.join()
        os.close(outside)
        return run.returncode, b"".join(said).decode(errors="replace")[-2000:]

    @staticmethod
    def read_all(terminal, said):
        while True:
            try:
                said.append(os.read(terminal, 65536))
            except OSError:  # the program has closed the terminal
                return

    def test_no_decision_is_lost(self):
        self.try_points()


if __name__ == "__main__":
    unittest.main(verbosity=2)
