"""Test the real program in tmux, with worker, device, git and a scripted model."""
import json
import os
import subprocess
import sys
import time
import unittest

from kforge import ADVICE, BROKEN, RIGHT, WRONG, Terminal, reply


class Screen(Terminal):
    """The engineer works on the screen."""

    def test_accept_veto_and_leave(self):
        self.start_model({"reply": BROKEN}, {"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT})
        self.start("run", self.problem, "--agent", "openai:scripted")
        self.sees("STEP 5 keep")
        self.sees("correct in")
        self.sees("STEP 6 recommendation", press="a")
        self.assertEqual(len(self.events("candidate.kept")), 1)
        self.sees("work on four elements at a time")
        self.sees("because:", press="v")
        self.tmux("send-keys", "too early for that", "Enter")
        self.sees("STEP 9 keep")
        self.assertIn("too early for that", self.prompts()[-1])
        self.sees("ended with", press="q")
        self.assertIn("kforge resume", self.shown())
        vetoed = [e for e in self.events("step.decided") if e["decision"] == "vetoed"]
        self.assertEqual((vetoed[0]["by"], vetoed[0]["reason"]), ("engineer", "too early for that"))

    def test_why_it_has_stopped_stays_to_be_read(self):
        self.env["TMPDIR"] = self.path("nowhere")
        self.start()
        self.sees("choose what to work on")
        self.tmux("send-keys", "Enter")
        self.sees("stopped")  # and the reason, where the path is short
        self.tmux("send-keys", "?")
        self.sees("Keys: Escape goes back")
        self.tmux("send-keys", "?")
        self.sees("q goes back; once this is fixed")
        self.assertIn("stopped: " + self.path("nowhere"), self.shown())
        self.tmux("send-keys", ":", "messages", "Enter")  # the bar is cut where the path is long
        self.sees("set TMPDIR to another folder")

    def test_the_prompt_goes_out_as_it_was_edited(self):
        self.start_model({"reply": RIGHT})
        self.env["EDITOR"] = self.write("editor", "#!/bin/sh\necho 'Mind the tail.' >>\"$1\"\n", 0o755)
        self.start("run", self.problem, "--agent", "openai:scripted", "--policy", "manual")
        self.sees("STEP 1 prompt")
        self.sees("a accept")
        self.sees("STEP 2 candidate", press="e")
        (prompt,) = self.prompts()
        self.assertTrue(prompt.endswith("Mind the tail.\n"), prompt[-80:])
        (decided,) = self.events("step.decided")
        self.assertEqual((decided["decision"], self.blob(decided["text"])), ("edited", prompt))
        self.sees("ended with", press="q")

    def test_a_recommendation_leads_back_into_the_session_at_work(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT})
        self.start("run", self.problem, "--agent", "openai:scripted")
        self.sees("STEP 3 keep")
        self.sees("STEP 4 recommendation", press="a")
        self.sees("STEP 7 keep", press="a")
        self.tmux("send-keys", "R")
        self.sees("1.20x promised")
        self.tmux("send-keys", "Enter")
        self.sees("Agents [step 4: recommendation]")
        self.sees("STEP 7 waits for you")  # the session is resumed, not replayed
        self.assertNotIn("REPLAY", self.shown())
        self.sees("ended with", press="q")

    def test_parallel_answers_are_read_one_by_one(self):
        os.makedirs(self.path("config/kforge"))
        self.write("config/kforge/prices.json", json.dumps(
            {"kforge": 1, "prices": {"openai:scripted": {"prompt": 0, "reply": 100, "context": 100000}}}))
        self.start_model({"reply": "alpha " * 200, "thinking": "hmm " * 100, "then": "silence"},
                         {"reply": "omega " * 200, "thinking": "hmm " * 100, "then": "silence"})
        self.start("run", self.problem, "--agent", "openai:scripted", "--attempts", "2")
        self.sees("~800 tokens, ~")  # 3200 bytes of both
        self.sees("~$0.08 so far")  # and nothing for the prompt
        self.sees("thinking: ~100 tokens, ", press="7")
        self.assertNotIn("hmm", self.shown())
        self.click("(t: unfold)")
        self.sees("hmm hmm")
        self.tmux("send-keys", "t")
        self.sees("(t: unfold)")
        self.sees("[generating 1 of 2, ]: next]", press="7")
        first = "alpha" if "alpha" in self.shown() else "omega"
        self.assertNotIn("omega" if first == "alpha" else "alpha", self.shown())
        self.tmux("send-keys", "]")
        self.sees("[generating 2 of 2, ]: next]")
        self.sees("omega" if first == "alpha" else "alpha")
        self.assertNotIn(first, self.shown())
        self.sees("ended with", press="q")

    def test_hostile_text_reaches_nothing_but_its_pane(self):
        hostile = self.write("hostile.py", "import sys, time\n" "sys.stdin.read()\n"
                             "sys.stdout.buffer.write(b'before \\x1b[2J\\x1b]52;c;aGVsbG8=\\a\\x1b]2;taken\\a'\n"
                             "    b'\\xe2\\x80\\xae \\xff \\0 ' + 300000 * b'x + ' + b' after ')\n"
                             "sys.stdout.flush()\n" "time.sleep(600)\n")
        self.start("run", self.problem, "--agent", f"command:exec {sys.executable} {hostile}", "--policy", "auto")
        self.sees(" after ", press="7")
        self.sees("<U+202E>", press="g")
        self.assertIn("<U+001B>]52;", self.shown())
        self.assertNotIn("hello", self.tmux("show-buffer", check=False))
        self.assertNotEqual(self.tmux("display-message", "-p", "#{pane_title}").strip(), "taken")
        lines = self.shown().splitlines()
        self.assertIn("twice_relu", lines[0])
        self.assertIn("? help", lines[-1])
        self.sees("ended with", press="q")

    def children(self, pid):
        said = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], text=True, capture_output=True, check=False)
        return [int(child) for child in said.stdout.split()]

    @staticmethod
    def runs(pid):
        """Return whether a process runs; a zombie does not."""
        said = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], text=True, capture_output=True, check=False)
        return said.stdout.strip()[:1] not in ("", "Z")

    def lose_the_terminal(self):
        """Take the terminal away: kforge and its worker must exit, long before an evaluation that hangs ends."""
        (kforge,) = self.children(self.tmux("display-message", "-p", "#{pane_pid}").strip())
        (worker,) = self.children(kforge)
        self.tmux("kill-server")
        deadline = time.monotonic() + 120
        while self.runs(kforge) or self.runs(worker):
            self.assertLess(time.monotonic(), deadline, "it outlives its terminal")
            time.sleep(0.02)
        self.assertEqual(self.kforge("show", self.sessions()[0]).returncode, 0)

    def test_a_terminal_that_goes_away_ends_it_with_the_journal_whole(self):
        self.start("run", self.problem, "--policy", "manual")
        self.sees("STEP 1 prompt")
        self.lose_the_terminal()
        self.assertEqual(self.events()[-1]["type"], "step.proposed")

    def test_a_terminal_that_goes_away_waits_for_no_evaluation(self):
        hang = reply("volatile __global float *v = y; while (i == 0) v[0] = x[0];", "Never ends.")
        self.start_model({"reply": hang})
        self.start("run", self.problem, "--agent", "openai:scripted", "--policy", "auto", "--run-limit", "300")
        self.sees("| verifying")
        self.sees("no run is under way: change the policy", press="A")
        self.lose_the_terminal()
        self.assertEqual(self.events()[-1]["type"], "evaluation.started")

    def test_a_small_terminal_shows_one_pane(self):
        self.start_model({"reply": RIGHT})
        self.start("run", self.problem, "--agent", "openai:scripted", size=(60, 16))
        self.sees("STEP 3 keep")
        self.sees("ended with", press="q")

    def test_a_branch_is_a_session_of_its_own(self):
        self.start("run", self.problem)
        self.sees("STEP 3 keep")
        self.sees("decide step 3 again", press="b")
        self.tmux("send-keys", "C-u", "builtin", "Enter")
        self.sees("fork of")
        self.sees("STEP 3 keep")
        self.assertEqual(len(self.sessions()), 2)
        self.sees("ended with", press="q")

    def test_a_reply_is_pasted(self):
        reference = self.write("twice_relu.cu", "__global__ void twice_relu();\n")
        self.start("run", self.problem, "--agent", "manual:" + self.path("chat"), "--reference", reference)
        self.sees("write the reply to")
        self.tmux("set-buffer", RIGHT)
        self.tmux("paste-buffer", "-p")
        self.sees("Enter sends them")
        self.tmux("send-keys", "Enter")
        self.sees("STEP 3 keep")
        self.sees("ported from twice_relu.cu", press="p")
        self.sees("__global__ void twice_relu();")
        self.sees("ended with", press="q")

    def test_what_was_taken_back_waits_again(self):
        self.start("run", self.problem)
        self.sees("STEP 3 keep")
        self.sees("STEP 4 recommendation", press="a")
        self.sees("decision undone", press="u")
        self.sees("STEP 3 keep")
        self.sees("decision redone", press="U")
        self.sees("STEP 4 recommendation")
        self.sees("ended with", press="q")
        kinds = [e["type"] for e in self.events()]
        self.assertLess(kinds.index("step.undone"), kinds.index("step.redone"))

    def test_the_answers_of_a_round_stand_side_by_side(self):
        self.start_model({"reply": WRONG}, {"reply": RIGHT}, any_order=False)
        self.start("run", self.problem, "--agent", "openai:scripted", "--attempts", "2")
        self.sees("STEP 4 keep")
        self.sees("Straight from the definition")  # this candidate waits for a decision, whichever reply came first
        self.tmux("send-keys", "2", "f")
        self.sees("2 answers to step 1: #")
        self.sees("was chosen, the only correct one")
        self.sees("wrong_values")
        self.sees("ended with", press="q")

    def test_about_names_what_the_judge_computes_with(self):
        self.start()
        self.sees("choose what to work on")
        self.tmux("send-keys", ":", "about", "Enter")
        self.sees("About: Escape goes back")
        self.sees("OpenBLAS")
        self.sees("ended with", press="q")

    def test_the_built_in_agents_run_on(self):
        self.start("run", self.problem, "--optimize", "1")
        self.sees("STEP 3 keep")
        self.sees("and run on until", press="A")
        self.tmux("send-keys", "C-u", "Enter")
        self.sees("closed")
        self.sees("ended with", press="q")
        self.assertEqual(self.events()[-1]["type"], "session.closed")


class Replay(Terminal):
    """A replay on the screen."""

    def snapshot(self, folder):
        """Return all files with their bytes and the time of their last change (ctime)."""
        files = {}
        for place, _, names in os.walk(folder):
            for name in (".", *names):
                path = os.path.join(place, name)
                with open(path, "rb") if name != "." else open(os.devnull, "rb") as file:
                    files[path] = (file.read(), os.stat(path).st_ctime_ns)
        return files

    def look_at_everything(self, session):
        self.start("replay", session)
        self.sees("stopped 4x  step 0 of")
        self.sees("step 2 of", press="Right")
        for key in "0", "5", "9", "x", "Left", "x":
            self.tmux("send-keys", key)
        self.sees("spent so far")
        self.tmux("send-keys", "q")
        self.sees("REPLAY")
        self.tmux("send-keys", ":", "tenth 10", "Enter", ":", "profile", "Enter", "f")
        self.sees("roofs measured")  # from the recording; there is no device here
        self.tmux("send-keys", "f", "Space")
        self.sees("ended with 0", press="q")

    def test_it_writes_nothing(self):
        self.start_model({"reply": BROKEN}, {"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT})
        ran = self.kforge("run", self.problem, "--headless", "--optimize", "1", "--agent", "openai:scripted")
        self.assertIn(ran.returncode, (0, 1), ran.stderr)
        (session,) = self.sessions()
        before = self.snapshot(self.path("data"))
        self.look_at_everything(session)
        self.assertEqual(self.snapshot(self.path("data")), before)
        self.tmux("kill-server")
        folder = self.path("recording")
        self.kforge("export", session, folder, "--recording")
        before = self.snapshot(folder)
        self.look_at_everything(folder)
        self.assertEqual(self.snapshot(folder), before)

    def test_the_theme_of_the_command_line_is_shown(self):
        keys = self.write("look.keys", "wait step 0 of\n:screen look.svg\n")
        looks = {}
        for theme in "light", "dark", "mine":
            self.write_theme(theme)
            ran = self.kforge("replay", "softmax_written", "--theme", theme, "--keys", keys)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            with open(self.path("look.svg"), encoding="utf-8") as file:
                looks[theme] = file.read()
        self.assertNotEqual(looks["light"], looks["dark"])
        self.assertIn("#123456", looks["mine"])
        self.assertNotIn("#123456", looks["dark"])

    def write_theme(self, name):
        """A theme of the user, with a name that no shipped theme has."""
        os.makedirs(self.path("config/kforge/themes"), exist_ok=True)
        if name == "mine":
            self.write("config/kforge/themes/mine.json", '{"roles": {"status": {"fg": "#123456"}}}')

    def test_a_fork_goes_on_live(self):
        self.start("replay", "softmax_written", "--run-limit", "5")
        self.sees("step 0 of 15")
        self.tmux("send-keys", ":", "step 13", "Enter")
        self.sees("step 13 of 15")
        self.tmux("send-keys", "b")
        self.sees("decide step 13 again")
        self.tmux("send-keys", "C-u")
        self.tmux("send-keys", "builtin", "Enter")
        self.sees("STEP 15 keep")
        (session,) = self.sessions()
        self.assertEqual(self.events("session.opened")[0]["forked_at"], 51)
        self.sees("ended with 0", press="q")
        self.assertIn(f"kforge resume {session}", self.shown())


class Sessions(Terminal):
    """The list of sessions and its commands."""

    def test_one_that_runs_elsewhere_can_be_looked_at(self):
        with self.spawn("run", self.problem, "--ask", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                        text=True) as other:
            while "keep" not in other.stdout.readline():
                pass
            self.start()
            self.sees("choose what to work on")
            self.tmux("send-keys", "S")
            self.sees("latest first")
            self.sees("RUNNING")
            self.tmux("send-keys", "Enter")
            self.sees("another kforge runs the session")
            self.sees("REPLAY")
            other.stdin.close()
            other.wait(timeout=120)
        self.tmux("send-keys", "q")
        self.sees("sessions | 1")
        self.tmux("send-keys", "q")
        self.sees("Enter start")
        self.tmux("send-keys", "Escape")  # never leaves the program
        self.sees("nothing to go back to: q leaves")
        self.click("S sessions")
        self.sees("latest first")
        self.sees("open    twice_relu")  # has been read: the first screen has such a row, too
        self.tmux("send-keys", "Enter")
        self.sees("STEP 3 keep")
        self.tmux("send-keys", "S")
        self.sees(" here ")
        self.tmux("send-keys", "q")
        self.sees("STEP 3 keep")
        self.sees("press Escape again to go back; the session can be resumed", press="Escape")
        self.sees("Enter open", press="Escape")  # the list that it was opened from, as it is now
        self.sees(" open ")
        self.sees("ended with 1", press="q")
        self.assertIn("continue with: kforge resume", self.shown())

    def test_a_step_of_it_is_decided_anew(self):
        self.kforge("run", self.problem, "--headless", "--optimize", "0")
        (parent,) = self.sessions()
        self.start()
        self.sees("choose what to work on")
        self.tmux("send-keys", "S")
        self.sees("sessions | 1")
        self.sees(" closed ")
        self.tmux("send-keys", "b")
        self.sees("go to the step to decide again")
        self.sees("step 3 of 3", press="Right")
        self.tmux("send-keys", "b")
        self.sees("decide step 3 again")
        self.tmux("send-keys", "Enter")
        self.sees("STEP 3 keep")
        self.tmux("send-keys", "1", "f")
        self.sees(f"[fork of {parent}]")
        self.assertEqual(len(self.sessions()), 2)
        self.tmux("send-keys", "f", "q")
        self.sees("press q again to go back")
        self.sees("REPLAY", press="q")  # the fork was opened from there
        self.tmux("send-keys", "q")
        self.sees("sessions | 2")
        self.tmux("send-keys", "q")
        self.sees("Sessions 2")  # the first screen has read them again
        self.sees("ended with 1", press="q")

    def test_its_best_kernel_is_exported_and_its_advice_reviewed(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT})
        self.kforge("run", self.problem, "--headless", "--optimize", "1", "--agent", "openai:scripted")
        self.start()
        self.sees("choose what to work on")
        self.tmux("send-keys", "S")
        self.sees("latest first")
        self.sees(" closed ")
        self.tmux("send-keys", "e")
        self.sees("into a new folder")
        self.tmux("send-keys", self.path("out"), "Enter")
        self.sees("the best kernel of")
        self.assertIn("kernel.cl", os.listdir(self.path("out")))
        self.tmux("send-keys", "Enter")
        self.sees("closed: ")
        self.click("e export")
        self.sees("into a new folder")
        self.tmux("send-keys", self.path("again"), "Enter")
        self.sees("the best kernel of")
        self.assertIn("kernel.cl", os.listdir(self.path("again")))
        self.click("r replay")
        self.sees("REPLAY")
        self.click("? help")
        self.sees("Keys: Escape goes back")
        self.click(":legend")
        self.sees("asked again, with an instruction")
        self.click("Legend: Esc")
        self.sees("REPLAY")
        self.click("q back")
        self.sees("closed: ")
        self.click("q back")
        self.sees("Enter open")
        self.tmux("send-keys", "v")
        self.sees("work on four elements at a time")
        self.sees("1.20x promised")
        self.tmux("send-keys", "Enter")
        self.sees("REPLAY")
        self.sees("Agents [step 4: recommendation]")
        self.tmux("send-keys", "q")
        self.sees("Enter go there")
        self.sees("ended with ", press="q")  # with 0 or 1: whether equal kernels differ in time is chance


if __name__ == "__main__":
    unittest.main(verbosity=2)
