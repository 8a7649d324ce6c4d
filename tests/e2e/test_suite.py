"""Test suites with real sessions: kforge suite run, a kill, and kforge suite resume."""
import glob
import json
import os
import signal
import time
import unittest

from kforge import PROBLEM, Case


class Suite(Case):
    def suite(self, name="suite.json", **members):
        """Write a suite of the small problem; return its path."""
        return self.write(name, json.dumps({"kforge": 1, "name": "small", "problems": ["twice_relu.json"],
                                            "arms": [{"name": "only"}], **members}))

    def journal(self):
        (suite,) = os.listdir(self.path("data/kforge/suites"))
        with open(self.path(f"data/kforge/suites/{suite}/events.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_a_killed_suite_goes_on_with_its_session(self):
        """The agent waits for a file while kforge is killed; then it answers without a kernel, which takes no build."""
        model = self.write("model", "#!/bin/sh\ntouch began\nwhile [ ! -e go ]; do sleep 0.05; done\necho no idea\n",
                           0o755)
        arms = [{"name": "only", "agent": "command:" + model, "functional": 1, "timing_limit": 0.1}]
        run = self.spawn("suite", "run", self.suite(arms=arms))
        while not os.path.exists(self.path("began")):
            self.assertIsNone(run.poll())
            time.sleep(0.05)
        self.assertIn(f"process {run.pid} of this machine runs it\n", self.kforge("suite", "status").stdout)
        (process,) = glob.glob(self.path("data/kforge/suites/*/process.json"))
        self.write(process, json.dumps({"host": "node9", "pid": run.pid}))
        self.assertIn(f"process {run.pid} on node9 runs it\n", self.kforge("suite", "status").stdout)
        run.send_signal(signal.SIGKILL)
        run.wait()
        # No lock is held, as on a file system that loses it, but node9 renewed its lease a moment ago.
        refused = self.kforge("suite", "resume")
        self.assertEqual(refused.returncode, 5, refused.stderr)
        self.assertIn(f"the suite is run by process {run.pid} on node9: stop it there first", refused.stderr)
        os.utime(process, (0, 0))
        self.write("go", "")
        resumed = self.kforge("suite", "resume")
        self.assertEqual(resumed.returncode, 0, resumed.stdout + resumed.stderr)
        self.assertIn("1/1  twice_relu, only, repeat 1: nothing correct, 1 attempt\n", resumed.stdout)
        self.assertEqual([e["type"] for e in self.journal()],
                         ["suite.opened", "task.started", "task.started", "task.ended"])
        (session,) = self.sessions()
        self.assertEqual({e["session"] for e in self.journal()[1:]}, {session})
        self.assertEqual(len(self.events("session.closed")), 1)
        self.assertEqual(len(self.events("session.opened")), 1)
        told = self.kforge("suite", "report", "--json").stdout
        report = json.loads(told)
        compared = self.kforge("suite", "compare", report["suite"], self.write("other.json", told))
        self.assertEqual(compared.returncode, 0, compared.stderr)
        self.assertIn("0 got worse, 0 got better, 1 are the same, 0 are unknown\n", compared.stdout)
        worse = self.write("better.json", told.replace('"correct":false', '"correct":true'))
        compared = self.kforge("suite", "compare", worse, report["suite"])
        self.assertEqual(compared.returncode, 3, compared.stdout)
        self.assertIn("fewer are correct", compared.stdout)
        self.assertEqual([(t["session"], t["state"], t["correct"], t["attempts"]) for t in report["tasks"]],
                         [(session, "ended", False, 1)])

    def test_a_step_that_waits_gets_its_decision_from_outside(self):
        """The task leaves its session while the step waits, and goes on with the decision; one for another step is dropped."""
        arms = [{"name": "asked", "policy": "guided", "functional": 2, "optimize": 1, "timing_limit": 0.1}]
        run = self.kforge("suite", "run", self.suite(arms=arms), "--headless")
        self.assertEqual(run.returncode, 6, run.stdout + run.stderr)
        self.assertIn("twice_relu, asked, repeat 1: waits for a decision\n", run.stdout)
        (session,) = self.sessions()
        step = self.events("step.proposed")[-1]
        self.assertEqual(step["kind"], "keep")
        decision = self.path(f"data/kforge/sessions/{session}/decision.json")
        self.write(decision, json.dumps({"step": step["step"] - 1, "decision": "accepted"}))
        self.assertEqual(self.kforge("suite", "resume", "--headless").returncode, 6)
        self.assertFalse(os.path.exists(decision))
        self.assertEqual(self.events("step.proposed")[-1], step)
        self.write(decision, json.dumps({"step": step["step"], "decision": "vetoed", "reason": "no"}))
        self.assertEqual(self.kforge("suite", "resume", "--headless").returncode, 6)
        decided = [e for e in self.events("step.decided") if e["step"] == step["step"]]
        self.assertEqual([(e["decision"], e["by"], e["reason"]) for e in decided], [("vetoed", "engineer", "no")])

    def test_a_budget_ends_sessions_that_run(self):
        """What the first reply cost is unknown, so it may be all of the budget; the second reply never comes."""
        model = self.write("model", "#!/bin/sh\n[ -e asked ] && exec sleep 600\ntouch asked\necho no idea\n", 0o755)
        result = self.kforge("suite", "run", self.suite(arms=[{"name": "only", "agent": "command:" + model}],
                                                        budget={"usd": 1}))
        self.assertEqual(result.returncode, 4, result.stdout + result.stderr)
        self.assertIn("stopped: the suite's budget of $1 is used up", result.stdout)
        self.assertEqual([e["type"] for e in self.journal()], ["suite.opened", "task.started", "suite.stopped"])

    def test_bad_input_is_told_before_a_session_begins(self):
        os.makedirs(self.path("empty"))
        for args, said in (
                (("run", self.suite("1.json", problems=["twice_relu.json", "level9/*.py"])),
                 "1.json: problems[1]: no file matches"),
                (("run", self.suite("2.json", problems=["empty"])), "no problem (*.json, *.py) is in it"),
                (("run", self.suite("3.json", arms=[{"name": "a", "reference": "gone.cu"}])),
                 "3.json: arms[0].reference: "),
                (("run", self.suite("4.json", arms=[{"name": "a", "agent": ["builtin", "x"]}])),
                 '4.json: arms[0].agent[1]: no agent "x"'),
                (("run", "--problems", "softmax", "--analyst", "opnai:x"), '--analyst: no agent "opnai:x"'),
                (("run", self.suite("5.json"), "--ablate", "reference"), '--ablate reference: arm "only" has none'),
                (("run", self.suite(), "--agent", "openai:x"), "options of sessions are for --problems")):
            with self.subTest(args=args):
                result = self.kforge("suite", *args)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(said, result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertEqual(self.sessions(), [])

    def test_a_folder_is_its_problems_by_number_and_ablations_are_arms(self):
        """A model that has no idea takes no build: only the order of the tasks is looked at."""
        os.makedirs(self.path("level"))
        for name in ("10_b.json", "2_a.json", "README.md"):
            self.write("level/" + name, json.dumps(PROBLEM))
        run = self.kforge("suite", "run", "--problems", "level", "--agent", "command:sleep 0.1; echo no idea", "--functional", "2",
                          "--attempts", "2", "--ablate", "analyst,profile", "--jobs", "2")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        begun = {e["task"]: (e["problem"], e["arm"]) for e in self.journal() if e["type"] == "task.started"}
        self.assertEqual([begun[i + 1] for i in range(6)],
                         [(p, a) for p in ("2_a", "10_b") for a in ("full", "no-analyst", "no-profile")])
        self.assertIn("; without profiles\n", "".join(self.kforge("show", s).stdout for s in self.sessions()))
        report = json.loads(self.kforge("suite", "report", "--json").stdout)
        apart = sum(model["minutes"] for model in report["models"])
        self.assertTrue(0 < sum(task["minutes"] for task in report["tasks"]) < apart, "replies of a round overlap")

    def test_an_arm_without_its_model_fails_in_a_line(self):
        self.env.pop("OPENAI_API_KEY", None)
        result = self.kforge("suite", "run", "--problems", "twice*", "--agent", "openai:x")
        self.assertEqual(result.returncode, 5)
        self.assertEqual(result.stdout.count("failed: "), 1)
        self.assertIn("twice_relu, x, repeat 1: failed: ", result.stdout)  # the arm is called like its agent
        self.assertIn("OPENAI_API_KEY", result.stdout)
        self.assertIn("0 of 1 tasks ended, 1 failed", result.stdout)


if __name__ == "__main__":
    unittest.main()
