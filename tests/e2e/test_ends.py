"""Test how sessions end, rounds with several attempts, and sessions after faults."""
import json
import signal
import subprocess
import time
import unittest

from kforge import ADVICE, HANGING, RIGHT, WRONG, Case, reply

MODEL = ("--agent", "openai:scripted")
SLOW = reply("float s = 0;\n    for (int k = 0; k < 8; k++)\n        s += sqrt(fabs(x[i]) + k);\n"
             "    y[i] = s > 1e30f ? s : 2.0f * fmax(x[i], 0.0f);", "Adds up roots that nobody needs.")


class Ends(Case):
    """The ends of a session, and their exit codes."""

    def closed(self):
        event = self.events()[-1]
        self.assertEqual(event["type"], "session.closed")
        return event["cause"]

    def run_model(self, *args):
        return self.kforge("run", self.problem, "--headless", *args, *MODEL)

    def test_a_budget_counts_at_the_next_step(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT})
        run = self.run_model("--budget-tokens", "36")
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertEqual(self.closed(), "budget")
        self.assertIn("budget: 36 tokens of 36 tokens used", run.stdout)
        # The recommendation was paid for and is recorded; no request follows it.
        self.assertEqual([e.get("kind") for e in self.events("step.proposed")][-1], "recommendation")
        self.assertEqual(len(self.prompts()), 2)
        self.assertEqual(len(self.events("candidate.kept")), 1)

    def test_what_was_paid_is_judged_and_kept(self):
        self.start_model({"reply": RIGHT})
        run = self.run_model("--budget-tokens", "18")
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertEqual([e["outcome"] for e in self.events("evaluation.finished")], ["correct"])
        self.assertEqual(len(self.events("candidate.kept")), 1)
        self.assertEqual(len(self.prompts()), 1)

    def test_a_model_is_not_waited_for_beyond_the_minutes(self):
        self.start_model({"reply": RIGHT, "then": "silence"})
        run = self.run_model("--budget-minutes", "0.02")
        self.assertEqual(run.returncode, 4, run.stdout + run.stderr)
        (cancelled,) = self.events("model.cancelled")
        self.assertIn("__kernel void twice_relu", self.blob(cancelled["text"]))
        self.assertEqual(self.closed(), "budget")
        (session,) = self.sessions()
        self.assertEqual(self.kforge("resume", session, "--headless").returncode, 4)

    def test_flat_rounds_end_it_without_a_gain(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE}, {"reply": WRONG}, {"reply": WRONG})
        run = self.run_model("--flat", "2")
        self.assertEqual((run.returncode, self.closed()), (1, "flat"), run.stderr)

    def test_nothing_correct(self):
        self.start_model({"reply": WRONG})
        run = self.run_model("--functional", "1")
        self.assertEqual((run.returncode, self.closed()), (3, "functional"), run.stderr)

    def test_a_gain_that_a_rule_believes_in(self):
        slow = reply("float s = 0; for (int k = 0; k < 40; k++) s += x[i] * 1e-9f * k; "
                     "y[i] = 2.0f * fmax(x[i], 0.0f) + 0.0f * s;", "Slow.")
        self.start_model({"reply": slow}, {"reply": ADVICE}, {"reply": RIGHT})
        run = self.run_model("--optimize", "1", "--timing-limit", "1")  # the interval of the gain is narrow then
        self.assertEqual((run.returncode, self.closed()), (0, "optimize"), run.stdout + run.stderr)

    def test_the_engineer_ends_it(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE})
        run = self.kforge("run", self.problem, "--ask", *MODEL, stdin="a\nx\n")
        self.assertEqual((run.returncode, self.closed()), (1, "asked"), run.stderr)
        (session,) = self.sessions()
        self.assertEqual(self.kforge("resume", session, "--headless").returncode, 1)

    def test_a_model_that_is_not_there(self):
        self.start_model({"status": 401, "body": "no"})
        self.assertEqual(self.run_model().returncode, 5)

    def test_an_interrupt_leaves_it_open(self):
        self.start_model({"silent": True}, {"reply": RIGHT}, {"reply": ADVICE})
        with open(self.path("out"), "w", encoding="utf-8") as out:
            run = self.spawn("run", self.problem, "--headless", "--optimize", "0", *MODEL, stdout=out)
        self.wait_for_requests(1)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=120), 130)
        (session,) = self.sessions()
        with open(self.path("out"), encoding="utf-8") as out:
            self.assertIn(f"continue with: kforge resume {session}", out.read())
        self.assertEqual(self.kforge("resume", session, "--headless").returncode, 1)

    def test_json_lines_are_the_journal(self):
        self.start_model({"reply": WRONG}, {"reply": RIGHT}, {"reply": ADVICE})
        run = self.kforge("run", self.problem, "--json", "--optimize", "0", *MODEL)
        self.assertEqual([json.loads(line) for line in run.stdout.splitlines()], self.events())


class Rounds(Case):
    """Rounds with several parallel attempts."""

    def start(self, *args):
        with open(self.path("out"), "w", encoding="utf-8") as out:
            return self.spawn("run", self.problem, "--headless", *args, *MODEL, stdout=out, stderr=out)

    def outcomes(self):
        return sorted(e["outcome"] for e in self.events("evaluation.finished"))

    def test_the_best_of_those_that_are_right_is_kept(self):
        slow = reply("float s = 0; for (int k = 0; k < 40; k++) s += x[i] * 1e-9f * k; "
                     "y[i] = 2.0f * fmax(x[i], 0.0f) + 0.0f * s;", "Slow.")
        # The server answers only after it has received all three requests.
        self.start_model(*({"reply": text, "after": 3} for text in (slow, WRONG, RIGHT)))
        run = self.kforge("run", self.problem, "--headless", "--optimize", "0", "--attempts", "3", *MODEL)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertEqual(len(self.prompts()), 3)
        self.assertEqual(self.outcomes(), ["correct", "correct", "wrong_values"])
        (session,) = self.sessions()
        refs = self.git("for-each-ref", "--format=%(refname)", f"refs/kforge/{session}/candidates")
        self.assertEqual(len(refs.split()), 3)
        (kept,) = self.events("candidate.kept")
        self.assertIn("Straight from the definition", self.git("show", "-s", "--format=%B", kept["commit"]))
        shown = self.kforge("show", session).stdout
        for title in ("Slow", "Forgets the positive part", "Straight from the definition"):
            self.assertIn(title, shown)
        folder = self.path("recording")
        self.kforge("export", session, folder, "--recording")
        again = self.kforge("run", self.problem, "--json", "--optimize", "0", "--attempts", "3", "--agent",
                            "recorded:" + folder)
        self.assertEqual(sorted(json.loads(line)["outcome"] for line in again.stdout.splitlines()
                                if "evaluation.finished" in line), self.outcomes_of(session))

    def outcomes_of(self, session):
        with open(self.path(f"data/kforge/sessions/{session}/events.jsonl"), encoding="utf-8") as file:
            return sorted(e["outcome"] for e in map(json.loads, file) if e["type"] == "evaluation.finished")

    def test_replies_that_had_arrived_are_not_asked_for_again(self):
        self.start_model({"reply": WRONG}, {"reply": RIGHT}, {"silent": True}, {"reply": RIGHT})
        run = self.start("--optimize", "0", "--attempts", "3")
        while not self.journal_holds("model.reply", 2):
            time.sleep(0.02)
        run.kill()
        run.wait()
        (session,) = self.sessions()
        self.assertEqual(self.kforge("resume", session, "--headless").returncode, 1)
        self.assertEqual(len(self.prompts()), 4)
        self.assertEqual(self.outcomes(), ["correct", "correct", "wrong_values"])

    def test_a_failure_waits_for_what_is_paid(self):
        self.start_model({"status": 401, "body": "no"}, {"reply": WRONG, "after": 2}, {"reply": RIGHT})
        run = self.start("--optimize", "0", "--attempts", "2")
        self.assertEqual(run.wait(timeout=120), 5)
        self.assertEqual(len(self.events("model.reply")), 1)
        (session,) = self.sessions()
        self.assertEqual(self.kforge("resume", session, "--headless").returncode, 1)
        self.assertEqual(self.outcomes(), ["correct", "wrong_values"])

    def test_their_number_has_bounds(self):
        for count in ("0", "9", "many"):
            run = self.kforge("run", self.problem, "--headless", "--attempts", count)
            self.assertEqual(run.returncode, 2)
        self.assertEqual(self.sessions(), [])


class Faults(Case):
    """Sessions survive faults."""

    def test_killed_and_resumed_pays_nothing_twice(self):
        self.start_model({"reply": SLOW}, {"reply": ADVICE}, {"reply": RIGHT}, {"silent": True}, {"reply": ADVICE},
                         {"reply": RIGHT})
        with open(self.path("out"), "w", encoding="utf-8") as out:
            run = self.spawn("run", self.problem, "--headless", "--optimize", "2", *MODEL, stdout=out)
        self.wait_for_requests(4)
        run.send_signal(signal.SIGKILL)
        run.wait()
        (session,) = self.sessions()
        resumed = self.kforge("resume", session, "--headless")
        self.assertIn(resumed.returncode, (0, 1), resumed.stderr)
        self.assertEqual(len(self.prompts()), 6)
        self.assertEqual(self.events()[-1]["type"], "session.closed")
        self.assert_timed_beside_best_and_first()
        self.git("fsck", "--strict")

    def assert_timed_beside_best_and_first(self):
        """The last candidate is as fast as the second, and much faster than the first, which may be left out."""
        verdict = json.loads(self.blob(self.events("evaluation.finished")[-1]["verdict"]))
        over = {each["name"]: each["speedup"] for each in verdict["against"]}
        self.assertLess(over["best"], 5)
        self.assertGreater(over.get("first", 10), 5)

    def test_a_candidate_whose_reference_a_crash_cut_off_gets_it_on_resuming(self):
        self.start_model({"reply": WRONG}, {"reply": RIGHT}, {"reply": ADVICE})
        self.kforge("run", self.problem, "--headless", "--optimize", "0", *MODEL)
        (session,) = self.sessions()
        self.cut_after("evaluation.finished")
        ref = f"refs/kforge/{session}/candidates/1"
        made = self.git("show", "--format=%B", "-s", ref)
        self.git("update-ref", "-d", ref)
        self.start_model({"reply": RIGHT}, {"reply": ADVICE})
        resumed = self.kforge("resume", session, "--headless")
        self.assertIn(resumed.returncode, (0, 1), resumed.stderr)
        self.assertEqual(self.git("show", "--format=%B", "-s", ref), made)

    def cut_after(self, kind):
        """Cut the journal after the first event of this type, as if kforge had been killed at that moment."""
        (session,) = self.sessions()
        lines = [json.dumps(event) for event in self.events()]
        last = next(i for i, event in enumerate(self.events()) if event["type"] == kind)
        self.write(f"data/kforge/sessions/{session}/events.jsonl", "\n".join(lines[:last + 1]) + "\n")

    def test_no_text_is_lost_to_a_collection(self):
        repo = self.path("mine")
        subprocess.run(["git", "init", "-q", "-b", "trunk", repo], check=True)
        self.start_model({"reply": WRONG}, {"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT},
                         {"status": 401})
        self.kforge("run", self.problem, "--headless", "--repo", repo, *MODEL)
        texts = [event.get("text", event.get("verdict")) for event in self.events()
                 if event["type"] not in ("note", "session.closed")]
        self.git("gc", "-q", "--prune=now", repo=repo)
        for text in filter(None, texts):
            self.assertEqual(self.git("cat-file", "-t", text, repo=repo), "blob\n")
        (session,) = self.sessions()
        commits = self.git("rev-list", f"refs/kforge/{session}/texts", repo=repo).split()
        self.start_model({"status": 401})
        self.kforge("resume", session, "--headless")
        self.assertEqual(self.git("rev-list", f"refs/kforge/{session}/texts", repo=repo).split()[-len(commits):],
                         commits)

    def test_a_worker_that_is_killed_comes_back(self):
        self.start_model({"reply": HANGING}, {"reply": RIGHT})
        with open(self.path("out"), "w", encoding="utf-8") as out:
            run = self.spawn("run", self.problem, "--headless", "--optimize", "0", "--run-limit", "5", *MODEL,
                             stdout=out, stderr=out)
        while not self.journal_holds("evaluation.started"):
            time.sleep(0.02)
        subprocess.run(["pkill", "-KILL", "-P", str(run.pid)], check=True)
        with open(self.path("out"), encoding="utf-8") as out:
            self.assertIn(run.wait(timeout=120), (0, 1), out.read())
        outcomes = [e["outcome"] for e in self.events("evaluation.finished")]
        self.assertEqual(outcomes, ["timed_out", "correct"])

    def test_bad_input_is_one_line_and_nothing_is_made(self):
        bad = self.write("bad.json", '{"kforge": 1, "name": "bad"}')
        cases = [(["run", bad, "--headless"], "bad.json"),
                 (["show", "\033[2Jnone"], '"<U+001B>[2Jnone"'),
                 (["run", self.path("absent.json"), "--headless"], "absent.json"),
                 (["run", self.problem, "--headless", "--agent", "nobody:x"], "nobody"),
                 (["run", self.problem, "--headless", "--policy", "lenient"], "lenient"),
                 (["resume", "nosuch", "--headless"], "nosuch"),
                 (["run", self.problem, "--json", "--ask"], "--ask and --json"),
                 (["run", self.problem, "--headless", "--budget-usd", "0"], '--budget-usd "0": expected a number above 0'),
                 (["run", self.problem, "--headless", "--repo", ""], '--repo "": expected a folder'),
                 (["run", self.problem, "--headless", "--optimize", "-1"], '--optimize "-1": expected a whole number'),
                 (["run", self.problem, "--headless", "--attempts", "9"], '--attempts "9": expected a number from 1'),
                 (["run", self.problem, "--headless", "--repo", self.problem], "is a file: name a git repository"),
                 (["run", self.problem, "--headless", "--agent", "recorded:nosuch"], "nosuch"),
                 (["run", self.problem, "--headless", "--agent", "command:"], "needs a command"),
                 (["dance"], "dance")]
        for args, named in cases:
            run = self.kforge(*args)
            self.assertEqual(run.returncode, 2, args)
            self.assertIn(named, run.stderr)
            self.assertEqual(run.stdout, "")
        self.assertEqual(self.sessions(), [])

    def test_a_device_that_is_not_there_is_named(self):
        run = self.kforge("run", self.problem, "--headless", "--device", "opencl:99")
        self.assertEqual(run.returncode, 2)
        self.assertIn("opencl:99", run.stderr)
        self.assertEqual(self.sessions(), [])

    def test_eval_prints_the_verdict(self):
        good = self.kforge("eval", self.problem, self.write("right.md", RIGHT))
        self.assertEqual(good.returncode, 0, good.stderr)
        self.assertTrue(good.stdout.startswith("correct"))
        bad = self.kforge("eval", self.problem, self.write("hang.md", reply("y[i] = 2.0f * x[i];")))
        self.assertEqual(bad.returncode, 3)
        self.assertIn("elements off", bad.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
