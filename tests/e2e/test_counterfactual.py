"""Test what a decision was worth: kforge review --counterfactual with forks that really run."""
import json
import unittest

from kforge import RIGHT, Case


class Counterfactual(Case):
    def test_an_edit_is_timed_against_a_fork_as_proposed(self):
        """The engineer makes the kernel do everything many times, so the proposal is better by far."""
        slow = self.write("editor", "#!/bin/sh\nsed -i 's/y.i. = 2.0f \\* \\(fmax.x.i., 0.0f.\\);/"
                          "float s = 0; for (int k = 0; k < 3000; k++) s += \\1 * (1.0f + k * 1e-9f); "
                          "y[i] = s < 1e-30f ? 2.0f * \\1 : 2.0f * \\1;/' \"$1\"\n", 0o755)
        self.env["EDITOR"] = slow
        self.env.pop("VISUAL", None)
        agent = "command:cat " + self.write("right.md", RIGHT)
        run = self.kforge("run", self.problem, "--headless", "--ask", "--policy", "manual", "--optimize", "0", "--agent",
                          agent, "--analyst", "none", stdin="A 2\ne\na\na\n")  # the run ends before the keep
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        (session,) = self.sessions()
        edited = next(e for e in self.events("step.decided") if e["decision"] == "edited")
        told = self.kforge("review", "--counterfactual", session, "--json", "--timing-limit", "0.1")
        self.assertEqual(told.returncode, 0, told.stderr)
        (found,) = [json.loads(line) for line in told.stdout.splitlines()]
        self.assertEqual((found["step"], found["kind"], found["decision"], found["attempts_after"]),
                         (edited["step"], "keep", "edited", 0))
        self.assertLess(found["worth"]["low"], found["worth"]["value"])
        self.assertLess(found["worth"]["value"], found["worth"]["high"])
        (fork,) = set(self.sessions()) - {session}
        self.assertEqual([f["fork"] for f in found["forks"]], [fork])
        events = [json.loads(line) for line in self.kforge("replay", fork, "--json").stdout.splitlines()]
        self.assertEqual((events[0]["forked_from"], events[0]["limits"]["optimize"]), (session, 0))
        self.assertIn({"step": edited["step"], "decision": "accepted", "by": "policy"},
                      [{k: e[k] for k in ("step", "decision", "by")} for e in events if e["type"] == "step.decided"])
        self.assertEqual(events[-1]["type"], "session.closed")

    def test_a_session_without_edits_and_vetoes_has_nothing_to_measure(self):
        agent = "command:cat " + self.write("right.md", RIGHT)
        self.kforge("run", self.problem, "--headless", "--optimize", "0", "--agent", agent, "--analyst", "none")
        (session,) = self.sessions()
        told = self.kforge("review", "--counterfactual", session)
        self.assertEqual(told.stdout, f"session {session} has no step that the engineer edited or vetoed\n")
        self.assertEqual(self.sessions(), [session])
        self.assertIn("--counterfactual needs a SESSION", self.kforge("review", "--counterfactual").stderr)


if __name__ == "__main__":
    unittest.main()
