"""Test the time while a model thinks: work done in advance, and the display of progress."""
import json
import os
import re
import time
import unittest

from kforge import ADVICE, BROKEN, RIGHT, Case, Terminal

MODEL = ("--agent", "openai:scripted")


class Ahead(Terminal):
    """Roofs and expectations are computed while the model works, and neither waits for the other."""

    def roofs(self):
        """Return, for each description of the device, whether it has roofs, and the number of its event."""
        return [(json.loads(self.blob(e["text"]))["roofs"] is not None, e["seq"])
                for e in self.events("device.described")]

    def test_both_are_ready_before_the_model_answers(self):
        self.own_cache("compiled")
        # The model answers after one more request, which the test itself sends.
        self.start_model({"reply": BROKEN, "after": 2}, {"reply": "too early"}, {"reply": RIGHT})
        self.start("run", self.problem, "--headless", "--optimize", "0", *MODEL)
        self.sees(": expected values 14/14")
        self.assertEqual(self.events("model.reply"), [])
        (before, _), (measured, at) = self.roofs()
        self.assertEqual((before, measured), (False, True))
        self.ask_model()
        self.sees("ended with 1")
        self.assertLess(at, self.events("model.reply")[0]["seq"])
        first, _, repair = self.prompts()
        self.assertNotIn("the graph as it is written takes at least", first)
        self.assertIn("the graph as it is written takes at least", repair)
        (correct,) = [e for e in self.events("evaluation.finished") if e["outcome"] == "correct"]
        self.assertGreater(correct["bound_fraction"], 0)

    def test_known_roofs_are_in_the_first_prompt(self):
        self.raise_roofs()
        self.start_model({"reply": RIGHT})
        self.kforge("run", self.problem, "--headless", "--optimize", "0", *MODEL)
        self.assertTrue(self.roofs()[0][0])
        self.assertIn("the graph as it is written takes at least", self.prompts()[-1])


class FromTheJournal(Case):
    """A prompt is rendered from the journal alone."""

    def setUp(self):
        super().setUp()
        self.raise_roofs()

    def test_it_is_the_same_when_it_is_rendered_again(self):
        self.start_model({"reply": BROKEN}, {"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT}, {"reply": ADVICE})
        self.kforge("run", self.problem, "--headless", "--optimize", "1", *MODEL)
        (session,) = self.sessions()
        journal = f"data/kforge/sessions/{session}/events.jsonl"
        events = self.events()
        prompts = [e for e in events if e.get("kind") == "prompt" and e["type"] == "step.proposed"]
        self.assertEqual(len(prompts), 3)
        for prompt in prompts:
            self.write(journal, "".join(json.dumps(e) + "\n" for e in events[:prompt["seq"] - 1]))
            resumed = self.kforge("resume", session, "--headless", "--policy", "manual")
            self.assertEqual(resumed.returncode, 2, resumed.stderr)
            again = [e for e in self.events("step.proposed") if e["step"] == prompt["step"]]
            self.assertEqual(again[0]["text"], prompt["text"])


class Progress(Terminal):
    """The progress line, which overwrites itself."""

    def see_time_advance(self):
        """Wait until the line shows two times of the analysis, although the model is silent."""
        seen = set()
        deadline = time.monotonic() + 120
        while len(seen) < 2:
            self.assertLess(time.monotonic(), deadline, self.shown())
            seen.update(re.findall(r"analysing (\d\d:\d\d)", self.shown()))
            time.sleep(0.25)

    def test_it_says_what_happens_for_how_long_the_best_and_the_cost(self):
        os.makedirs(self.path("config/kforge"))
        self.write("config/kforge/prices.json", json.dumps(
            {"kforge": 1, "prices": {"openai:scripted": {"prompt": 1000, "reply": 10000}}}))
        self.start_model({"reply": RIGHT}, {"silent": True})
        self.start("run", self.problem, "--headless", *MODEL, size=(100, 30))
        self.see_time_advance()
        line = self.shown().rstrip("\n").splitlines()[-1]
        self.assertRegex(line, r"^ +\d+\.\ds  analysing \d\d:\d\d(: expected values \d+/\d+)?, "
                               r"best [0-9.]+ .s, \$0\.081$")
        self.tmux("send-keys", "C-c")
        self.sees("ended with 130")
        self.assertNotIn("analysing", self.shown())

    def test_a_narrow_terminal_holds_it_in_one_line(self):
        self.start_model({"reply": RIGHT}, {"silent": True})
        self.start("run", self.problem, "--headless", *MODEL, size=(30, 30))
        self.see_time_advance()
        self.assertEqual(self.shown().count("analysing"), 1)

    def test_there_is_none_where_nobody_watches(self):
        self.start_model({"reply": RIGHT, "pause_ms": 30}, {"reply": ADVICE, "pause_ms": 30})
        run = self.kforge("run", self.problem, "--headless", "--optimize", "0", *MODEL)
        self.assertNotIn("generating", run.stdout)
        for control in ("\033", "\r"):
            self.assertNotIn(control, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
