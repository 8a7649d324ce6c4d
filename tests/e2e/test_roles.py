"""Test sessions of several agents: writers in turn, an analyst, prices by model, fork and resume."""
import json
import os
import unittest

from kforge import ADVICE, RIGHT, WRONG, Case


class Roles(Case):
    def setUp(self):
        super().setUp()
        self.start_model({"match": "You analyse", "reply": ADVICE}, {"reply": RIGHT}, any_order=True)
        text = self.write("wrong.md", WRONG)
        self.wrong = "command:cat " + text
        os.makedirs(self.path("config/kforge"))
        self.write("config/kforge/prices.json", json.dumps({"kforge": 1, "prices": {
            "openai:writer": {"prompt": 100000, "reply": 0}, "openai:reader": {"prompt": 0, "reply": 100000},
            "command": {"prompt": 0, "reply": 0}}}))

    def roles(self):
        return ("--agent", self.wrong, "--agent", "openai:writer", "--analyst", "openai:reader")

    def test_a_panel_says_who_won_and_what_each_model_took(self):
        run = self.kforge("run", self.problem, "--headless", "--optimize", "1", *self.roles())
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        (session,) = self.sessions()
        opened = self.events("session.opened")[0]
        self.assertEqual((opened["agent"], opened["others"], opened["analyst"], opened["limits"]["attempts"]),
                         (self.wrong, ["openai:writer"], "openai:reader", 2))
        asked = [(e["task"], e["agent"]) for e in self.events("model.request")]
        self.assertEqual(asked[:3], [("generate", self.wrong), ("generate", "openai:writer"),
                                     ("analyse", "openai:reader")])
        self.assertEqual(asked[3], ("generate", self.wrong))  # the limit of 1 leaves one attempt
        # By the usage that the scripted server counts, 11 and 7 tokens.
        costs = {e["agent"]: e["cost_usd"] for e in self.events("model.reply")}
        self.assertAlmostEqual(costs["openai:writer"], 1.1)
        self.assertAlmostEqual(costs["openai:reader"], 0.7)
        table = self.kforge("show", session).stdout.partition("agent  ")[2].splitlines()
        writer = next(line.split() for line in table if line.startswith("openai:writer"))
        self.assertEqual(writer[:5], ["openai:writer", "writes", "1", "1", "1"])
        self.assertEqual(writer[6:], ["*", "1", "18", "$1.1"])
        self.assertIn("Kforge-Model: openai:writer", self.git("log", "-1", "--format=%(trailers)", self.branch()))

    def test_a_fork_keeps_the_agents_and_resume_asks_them(self):
        self.kforge("run", self.problem, "--headless", "--optimize", "0", *self.roles())
        (session,) = self.sessions()
        step = next(e["step"] for e in self.events("step.proposed") if e["kind"] == "keep")
        self.assertEqual(self.kforge("fork", session, str(step), "--optimize", "2").returncode, 0)
        (fork,) = set(self.sessions()) - {session}
        resumed = self.kforge("resume", fork, "--headless", "--policy", "auto")
        self.assertIn(resumed.returncode, (0, 1), resumed.stdout + resumed.stderr)
        told = self.kforge("replay", fork, "--json").stdout
        requests = [json.loads(line) for line in told.splitlines() if '"model.request"' in line]
        self.assertEqual([(e["task"], e["agent"]) for e in requests][2:5],
                         [("analyse", "openai:reader"), ("generate", self.wrong), ("generate", "openai:writer")])
        alone = self.kforge("fork", session, str(step), "--agent", "builtin", "--analyst", "none")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        (other,) = set(self.sessions()) - {session, fork}
        self.assertIn("on opencl:0 by builtin; without an analyst\n", self.kforge("show", other).stdout)

    def test_an_analyst_that_is_not_there_is_told_before_the_session(self):
        run = self.kforge("run", self.problem, "--headless", "--analyst", "opnai:x")
        self.assertEqual(run.returncode, 2)
        self.assertIn('no agent "opnai:x"', run.stderr)
        self.assertEqual(self.sessions(), [])


if __name__ == "__main__":
    unittest.main()
