"""Test decisions: by lines on standard input, by rules from a file, undone and redone."""
import base64
import json
import re
import unittest

from kforge import ADVICE, RIGHT, WRONG, Case, reply

MODEL = ("--agent", "openai:scripted")


class Deciding(Case):
    """The engineer decides with lines on standard input."""

    def test_a_vetos_reason_reaches_the_next_prompt(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT}, {"reply": ADVICE},
                         {"reply": RIGHT})
        run = self.kforge("run", self.problem, "--headless", "--ask", "--policy", "guided", "--optimize", "1",
                          *MODEL, stdin="v use local memory\na\nA\n")
        self.assertIn("use local memory", "".join(self.prompts()), run.stdout + run.stderr)
        decided = self.events("step.decided")
        vetoes = [e for e in decided if e["decision"] == "vetoed" and e["by"] == "engineer"]
        self.assertEqual(vetoes[0]["reason"], "use local memory")

    def test_edited_advice_promises_what_the_edit_says(self):
        editor = self.write("editor", "#!/bin/sh\nsed -i 's/four elements/eight elements/; s/1[.]2/3.5/' \"$1\"\n",
                            0o755)
        self.env["EDITOR"] = editor
        self.env.pop("VISUAL", None)
        self.start_model({"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT}, {"reply": ADVICE},
                         {"reply": RIGHT})
        self.kforge("run", self.problem, "--headless", "--ask", "--policy", "guided", "--optimize", "2",
                    *MODEL, stdin="a\ne\nA\n")
        edited = [e for e in self.events("step.decided") if e["decision"] == "edited"]
        self.assertEqual((edited[0]["change"], edited[0]["gain"]), ("work on eight elements at a time", 3.5))
        last = self.prompts()[-1]
        self.assertIn("work on eight elements at a time", last)
        self.assertIn("3.5", last)

    def test_an_edit_is_a_commit_of_the_engineers(self):
        editor = self.write("editor", "#!/bin/sh\nsed -i 's/2.0f \\* fmax/fmax(2.0f, 2.0f) * fmax/' \"$1\"\n",
                            0o755)
        self.env["EDITOR"] = editor
        self.env.pop("VISUAL", None)
        self.start_model({"reply": RIGHT}, {"reply": ADVICE})
        run = self.kforge("run", self.problem, "--headless", "--ask", "--policy", "guided", "--optimize", "0",
                          *MODEL, stdin="e\na\nA\n")
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        authors = self.git("log", "--format=%an", self.branch()).split("\n")[:2]
        self.assertEqual(authors, ["Ada Engineer", "openai:scripted"])
        blame = self.git("blame", "--line-porcelain", self.branch(), "--", "kernel.cl")
        self.assertIn("author Ada Engineer", blame)
        self.assertIn("author openai:scripted", blame)

    def test_an_edits_difference_reaches_the_next_prompt(self):
        editor = self.write("editor", "#!/bin/sh\nsed -i 's/2.0f \\* fmax/fmax(2.0f, 2.0f) * fmax/' \"$1\"\n",
                            0o755)
        self.env["EDITOR"] = editor
        self.env.pop("VISUAL", None)
        self.start_model({"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT}, {"reply": ADVICE})
        self.kforge("run", self.problem, "--headless", "--ask", "--policy", "guided", "--optimize", "1",
                    *MODEL, stdin="e\na\nA\n")
        prompts = [p for p in self.prompts() if "+" in p and "fmax(2.0f, 2.0f) * fmax" in p]
        self.assertTrue(prompts)
        self.assertRegex(prompts[0], r"(?m)^-.*2\.0f \* fmax")
        self.assertRegex(prompts[0], r"(?m)^\+.*fmax\(2\.0f, 2\.0f\) \* fmax")

    def test_leaving_keeps_the_session(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE})
        run = self.kforge("run", self.problem, "--headless", "--ask", "--policy", "guided", *MODEL, stdin="q\n")
        (session,) = self.sessions()
        self.assertIn(f"kforge resume {session}", run.stdout)
        self.assertEqual(run.returncode, 1)  # a correct candidate exists, but is not kept yet
        before = self.events()
        resumed = self.kforge("resume", session, "--headless", "--ask", stdin="q\n")
        self.assertEqual(self.events(), before, resumed.stderr)

    def test_leaving_without_anything_correct_is_no_success(self):
        del self.env["KFORGE_CC"]
        run = self.kforge("run", self.problem, "--ask", "--policy", "manual", "--device", "host:0",
                          stdin="l cpp\nq\n")
        self.assertEqual((run.returncode, run.stderr.replace("kforge: ", "")), (3, (
            "C++: the built-in agents write OpenCL C, CUDA C++, HIP C++ and C; choose one of these, or a language model with "
            "--agent\n")))
        self.assertEqual(self.events("language.changed"), [])

    def test_what_a_model_says_does_nothing_to_the_terminal(self):
        hostile = "\x1b]52;c;aGk=\x07\u202eturn it around"
        advice = ADVICE.replace("work on four elements at a time", json.dumps(hostile)[1:-1])
        self.start_model({"reply": RIGHT.replace("Straight", f"{hostile} Straight")}, {"reply": advice})
        run = self.kforge("run", self.problem, "--ask", *MODEL, stdin="a\ns\nq\n")
        (session,) = self.sessions()
        others = [self.kforge(*args).stdout for args in (
            ("sessions",), ("show", session), ("show", session, "4"), ("review", session), ("fork", session, "4"),
            ("export", session, self.path("out")), ("replay", session))]
        self.assertIn("<U+001B>]52;c;aGk=<U+0007><U+202E>turn it around", run.stdout)
        for text in (run.stdout, *others):
            self.assertTrue(text)
            self.assertNotRegex(text, "[\x1b\x07\u202e]")


    def test_where_the_input_ends_the_step_still_waits(self):
        self.start_model({"reply": RIGHT})
        run = self.kforge("run", self.problem, "--headless", "--ask", "--policy", "guided", *MODEL)
        (session,) = self.sessions()
        self.assertEqual((run.returncode, run.stderr), (2, "kforge: step 3 waits for a decision: continue with kforge "
                                                        f"resume {session} --ask\n"))

    def test_what_is_correct_and_vetoed_is_not_incorrect(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE})
        rules = self.write("rules.json", json.dumps({"kforge": 1, "rules": [
            {"kind": "keep", "decide": "veto", "reason": "not yet"}]}))
        run = self.kforge("run", self.problem, "--headless", "--optimize", "0", "--policy", rules, *MODEL)
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertEqual(self.events("candidate.kept"), [])


class TurningBack(Case):
    """Steps that are retried, decisions that are undone, and policies for a limited number of steps."""

    def ask(self, answers, *args):
        return self.kforge("run", self.problem, "--headless", "--ask", *args, *MODEL, stdin="\n".join(answers) + "\n")

    def test_a_retry_asks_again_with_the_instruction(self):
        self.start_model({"reply": WRONG}, {"reply": RIGHT}, {"reply": ADVICE}, {"reply": ADVICE},
                         {"reply": RIGHT})
        run = self.ask(["a", "r mind the positive part", "a", "a", "a", "r look at the memory", "a", "A"],
                       "--policy", "manual", "--optimize", "1")
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        decided = [e for e in self.events("step.decided") if e["decision"] == "retried"]
        self.assertEqual([e["reason"] for e in decided], ["mind the positive part", "look at the memory"])
        first, again, analysis, other, _ = self.prompts()
        self.assertNotIn("mind the positive part", first)
        self.assertIn("mind the positive part", again)
        self.assertNotIn("look at the memory", analysis)
        self.assertIn("look at the memory", other)
        outcomes = [e["attempt"] for e in self.events("evaluation.finished")]
        self.assertEqual(outcomes, [2, 3])
        (session,) = self.sessions()
        self.git("rev-parse", f"refs/kforge/{session}/candidates/1")

    def test_an_undone_keep_moves_the_branch_back_and_a_redone_one_forward(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE}, {"reply": ADVICE}, {"reply": RIGHT})
        run = self.ask(["a", "u", "q"], "--policy", "guided", "--optimize", "1")
        self.assertIn("decision undone", run.stdout, run.stderr)
        (session,) = self.sessions()
        kept = self.events("candidate.kept")[0]["commit"]
        self.assertEqual(self.git("branch", "--list", "kforge/*"), "")
        self.assertEqual(self.git("for-each-ref", "--format=%(objectname)",
                                  f"refs/kforge/{session}/undone").split(), [kept])
        before = self.events()
        run = self.kforge("resume", session, "--ask", stdin="U\nq\n")
        self.assertIn("decision redone", run.stdout, run.stderr)
        self.assertEqual(self.events()[:len(before)], before)
        self.assertEqual(self.git("rev-parse", self.branch()).strip(), kept)
        self.assertEqual(len(self.prompts()), 2)
        run = self.kforge("resume", session, "--ask", stdin="u\nv not good enough\nA\n")
        self.assertIn(run.returncode, (0, 1, 3), run.stdout + run.stderr)
        self.assertIn("not good enough", self.prompts()[2])
        self.git("fsck", "--strict")

    def test_a_branch_that_a_kill_left_behind_follows_on_resuming(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE})
        self.ask(["a", "u", "q"], "--policy", "guided", "--optimize", "1")
        (session,) = self.sessions()
        kept = self.events("candidate.kept")[0]["commit"]
        self.git("update-ref", f"refs/heads/{self.branch()}", kept)
        self.kforge("resume", session, "--ask", stdin="q\n")
        self.assertEqual(self.git("branch", "--list", "kforge/*"), "")

    def test_a_run_stops_where_it_was_told_to(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE}, {"reply": WRONG}, {"reply": RIGHT})
        run = self.ask(["a", "A failure 50", "q"], "--policy", "guided", "--optimize", "5")
        self.assertIn("the run ends: a candidate failed", run.stdout, run.stderr)
        started = self.events("run.started")[0]
        self.assertEqual((started["steps"], started["until_failure"]), (50, True))
        self.assertEqual(self.events()[-1]["kind"], "prompt")

    def test_words_that_end_no_run_are_named(self):
        self.start_model({"reply": RIGHT})
        run = self.ask(["A soon", "q"], "--policy", "guided")
        self.assertIn('"soon" is not a limit of a run', run.stderr)
        self.assertEqual(self.events("run.started"), [])

    def test_a_message_and_a_file_are_recorded(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE})
        with open(self.path("window.png"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n\0\1")
        self.write("counters.txt", "stalls: 17 %\n")
        self.write("program", "\0\1\2")
        run = self.ask(["m use vectors", "m ", "f window.png", "f counters.txt", "f program", "f nowhere", "q"],
                       "--policy", "guided")
        self.assertIn("is neither text in UTF-8 nor an image", run.stderr)
        self.assertIn("nowhere", run.stderr)
        self.assertEqual([e["text"] for e in self.events("note")], ["use vectors"])
        image, text = self.events("attachment")
        self.assertEqual((image["name"], image["media_type"]), ("window.png", "image/png"))
        self.assertEqual((text["media_type"], self.blob(text["text"])), ("text/plain", "stalls: 17 %\n"))

    def test_what_is_attached_goes_to_the_next_analysis_and_to_no_other(self):
        self.start_model({"reply": RIGHT}, {"status": 400, "body": "no eyes"}, {"reply": ADVICE}, {"reply": RIGHT},
                         {"reply": ADVICE})
        with open(self.path("window.png"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n\0\1")
        self.write("counters.txt", "stalls: 17 %\n")
        run = self.ask(["f window.png", "f counters.txt", "a", "a", "a", "q"], "--policy", "guided")
        self.assertIn("answered 400: no eyes; sending the text without the images", run.stdout)
        first, seen, blind, faster, second = self.prompts()
        self.assertEqual([part["type"] for part in seen], ["text", "image_url"])
        self.assertEqual(seen[1]["image_url"]["url"], "data:image/png;base64,iVBORw0KGgoAAQ==")
        self.assertEqual(seen[0]["text"], blind)
        self.assertIn("stalls: 17 %", blind)
        self.assertIn("Attached by the engineer: window.png", blind)
        for prompt in (first, faster, second):
            self.assertNotIn("Attached by the engineer", prompt)


    def test_a_command_takes_pictures_for_the_analyst(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT})
        png = base64.b64decode(
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
        with open(self.path("one.png"), "wb") as file:
            file.write(png)
        self.write("counters.txt", "stalls: 17 %\n")
        self.write("take", f"""
            test "$KFORGE_ATTEMPT" = 1 || {{ echo no display >&2; exit 3; }}
            grep -q correct verdict.json && grep -q kernel plan.json && test -s problem.json && test -s kernel.cl &&
            "$KFORGE_PROGRAM" export "$KFORGE_SESSION" c --attempt 1 --as c && test -s c/main.c &&
            cp '{self.path("one.png")}' kcachegrind-1.png""")
        run = self.kforge("run", self.problem, "--headless", "--optimize", "1", *MODEL, "--attach",
                          self.path("counters.txt"), "--picture", f"sh {self.path('take')}")
        (session,) = self.sessions()
        self.assertIn(f"picture kcachegrind-1.png: kforge picture {session} 1", run.stdout)
        taken, none = self.events("picture.taken")
        self.assertEqual((taken["attempt"], taken["name"], taken["media_type"]), (1, "kcachegrind-1.png", "image/png"))
        self.assertEqual(none["reason"], "the command exited with 3: no display")
        text, image = self.prompts()[1]
        self.assertEqual(image["image_url"]["url"], "data:image/png;base64," + base64.b64encode(png).decode())
        for said in ("The profiler's window with this candidate: kcachegrind-1.png", "Instruction Fetch (Ir)",
                     "stalls: 17 %"):
            self.assertIn(said, text["text"])
        (kept, *_) = self.events("candidate.kept")
        self.assertIn("picture.png", self.git("ls-tree", "--name-only", kept["commit"]))
        shown = self.kforge("picture", session)
        (path,) = re.findall(r"^(/\S+\.png): this terminal has neither", shown.stdout, re.M)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), png)
        self.assertIn("attempt 2 has no picture", self.kforge("picture", session, "2").stderr)


class Rules(Case):
    """Decisions by rules from a file."""

    def rules(self, *rules, **more):
        return self.write("rules.json", json.dumps({"kforge": 1, "rules": list(rules), **more}))

    def decisions(self):
        kinds = {e["step"]: e["kind"] for e in self.events("step.proposed")}
        return [(kinds[e["step"]], e["decision"]) for e in self.events("step.decided")]

    def test_the_first_that_matches_decides(self):
        self.write("mine.md", reply("y[i] = fmax(2.0f * x[i], 0.0f);", "By hand."))
        rules = self.rules({"kind": "candidate", "attempt": 1, "decide": "retry", "reason": "shorter"},
                           {"kind": "recommendation", "tag": "vectors", "step": 6, "decide": "veto",
                            "reason": "no vectors"},
                           {"kind": "keep", "attempt": 3, "decide": "edit", "file": "mine.md"},
                           {"kind": "keep", "outcome": "correct", "gain": {"below": 1000}, "decide": "veto",
                            "reason": "once is enough"})
        self.start_model({"reply": RIGHT}, {"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT})
        run = self.kforge("run", self.problem, "--headless", "--optimize", "1", "--policy", rules, *MODEL)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        self.assertEqual(self.decisions(), [
            ("prompt", "accepted"), ("candidate", "retried"), ("prompt", "accepted"), ("candidate", "accepted"),
            ("keep", "accepted"), ("recommendation", "vetoed"), ("prompt", "accepted"),
            ("candidate", "accepted"), ("keep", "edited"), ("keep", "vetoed")])
        self.assertEqual({e["by"] for e in self.events("step.decided")}, {"policy"})
        again, last = self.prompts()[1], self.prompts()[3]
        self.assertIn("shorter", again)
        self.assertIn("no vectors", last)
        self.assertEqual([e["attempt"] for e in self.events("evaluation.finished")], [2, 3, 4])

    def test_no_rule_holds_a_session_up(self):
        rules = self.rules({"decide": "retry"}, {"kind": "prompt", "decide": "veto"})
        self.start_model({"reply": RIGHT, "repeat": True})
        run = self.kforge("run", self.problem, "--headless", "--optimize", "1", "--policy", rules, *MODEL)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)

    def test_a_broken_file_is_a_line_that_says_where(self):
        good = {"kind": "keep", "decide": "accept"}
        cases = [('{"kforge": 1, "rules": [', "rules.json: line 1"),
                 (json.dumps({"kforge": 2, "rules": []}), 'rules.json: "kforge" must be 1'),
                 (json.dumps({"kforge": 1, "rules": [good, {"kind": "kiss", "decide": "accept"}]}),
                  "rules.json: rules[1].kind: "),
                 (json.dumps({"kforge": 1, "rules": [{"kind": "keep"}]}), "rules.json: rules[0]: decide: missing"),
                 (json.dumps({"kforge": 1, "rules": [{**good, "when": 1}]}), "rules.json: rules[0]"),
                 (json.dumps({"kforge": 1, "rules": [{**good, "gain": {"over": 1}}]}), "rules[0].gain"),
                 (json.dumps({"kforge": 1, "rules": [{**good, "outcome": "fine"}]}), 'no outcome "fine"'),
                 (json.dumps({"kforge": 1, "rules": [{"decide": "edit"}]}), '"file" must be given for "edit"'),
                 (json.dumps({"kforge": 1, "rules": [{"decide": "edit", "file": "absent.md"}]}),
                  "rules[0].file: "),
                 (json.dumps({"kforge": 1, "rules": [], "otherwise": "sure"}), 'no policy "sure"')]
        for text, named in cases:
            run = self.kforge("run", self.problem, "--headless", "--policy", self.write("rules.json", text))
            self.assertEqual(run.returncode, 2, text)
            self.assertIn(named, run.stderr.splitlines()[0])
        self.assertEqual(self.sessions(), [])

    def test_where_nobody_is_there_to_decide_the_session_stays_open(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE})
        run = self.kforge("run", self.problem, "--headless", "--policy", "guided", *MODEL)
        (session,) = self.sessions()
        self.assertEqual(run.returncode, 2)
        self.assertIn(f"step 3 waits for a decision: continue with kforge resume {session} --ask", run.stderr)
        resumed = self.kforge("resume", session, "--headless", "--policy", self.rules(
            {"kind": "recommendation", "decide": "veto"}, otherwise="manual"))
        self.assertEqual(resumed.returncode, 2, resumed.stdout)
        self.assertEqual([e["kind"] for e in self.events("policy.changed")], ["prompt", "candidate"])
        self.assertEqual(self.decisions(), [("prompt", "accepted"), ("candidate", "accepted")])
        resumed = self.kforge("resume", session, "--headless", "--policy", "auto")
        self.assertIn(("keep", "accepted"), self.decisions(), resumed.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
