"""Test sessions on the command line, with worker, device, git and a scripted model."""
import json
import os
import signal
import subprocess
import time
import unittest

from kforge import ADVICE, BROKEN, HANGING, RIGHT, WRONG, Case, reply

MODEL = ("--agent", "openai:scripted")


class BuiltIn(Case):
    """The built-in agents need neither network nor key."""

    def test_first_run_ends_with_a_commit(self):
        run = self.kforge("run", self.problem, "--headless", "--optimize", "2")
        self.assertIn(run.returncode, (0, 1), run.stderr + run.stdout)
        self.assertIn("on branch " + self.branch(), run.stdout)
        self.assertNotIn("\033", run.stdout)
        self.git("fsck", "--strict")
        trailers = self.git("log", "-1", "--format=%(trailers)", self.branch())
        for name in ("Session", "Step", "Origin", "Model", "Device", "Time-us", "Speedup", "Bound-fraction",
                     "Verdict"):
            self.assertIn(f"Kforge-{name}: ", trailers)
        files = self.git("ls-tree", "--name-only", self.branch()).split()
        for name in ("kernel.cl", "plan.json", "problem.json", "prompt.md", "reply.md", "verdict.json"):
            self.assertIn(name, files)
        listed = self.kforge("sessions")
        self.assertIn("twice_relu", listed.stdout)

    def test_a_new_repository_is_said_to_be_new_and_found_from_anywhere(self):
        run = self.kforge("run", self.problem, "--headless", "--repo", "mine", "--optimize", "0")
        self.assertIn(f"  {self.path('mine')}: made a new repository\n", run.stdout)
        self.assertEqual(self.events("session.opened")[0]["repository"], self.path("mine"))
        again = self.kforge("run", self.problem, "--headless", "--repo", "mine", "--optimize", "0")
        self.assertNotIn("new repository", again.stdout)

    def test_a_repository_that_is_named_gets_a_branch_and_nothing_else(self):
        repo = self.path("mine")
        subprocess.run(["git", "init", "-q", "-b", "trunk", repo], check=True)
        self.write("mine/kernel.cl", "mine\n")
        self.git("add", ".", repo=repo)
        self.git("commit", "-qm", "mine", repo=repo)
        self.write("mine/kernel.cl", "dirty\n")
        before = self.git("status", "--porcelain=v2", "--branch", repo=repo)
        run = self.kforge("run", self.problem, "--headless", "--repo", repo, "--optimize", "1")
        self.assertIn(run.returncode, (0, 1), run.stderr)
        self.assertEqual(self.git("status", "--porcelain=v2", "--branch", repo=repo), before)
        self.assertIn(self.branch(), self.git("branch", "--list", "kforge/*", repo=repo))


class Repositories(Case):
    """kforge adds a branch to the engineer's repository, and changes nothing else."""

    def setUp(self):
        super().setUp()
        self.repo = self.path("mine")
        self.git_init("-b", "trunk", self.repo)
        self.write("mine/kernel.cl", "mine\n")
        self.git("add", ".", repo=self.repo)
        self.git("commit", "-qm", "mine", repo=self.repo)
        self.start_model({"match": "You analyse", "reply": ADVICE}, {"reply": RIGHT}, any_order=True)

    def git_init(self, *args):
        subprocess.run(["git", "init", "-q", *args], check=True, env=self.env)

    def state(self, top):
        """Return the working tree, the index and the other refs, as git shows them."""
        files = {}
        for folder, _, names in os.walk(top):
            if ".git" not in folder.split(os.sep):
                for name in names:
                    with open(os.path.join(folder, name), "rb") as file:
                        files[os.path.join(folder, name)] = file.read()
        refs = [line for line in self.git("for-each-ref", repo=top).splitlines() if "kforge" not in line]
        return (files, refs, self.git("status", "--porcelain=v2", "--branch", repo=top),
                self.git("stash", "list", repo=top), self.git("config", "--list", repo=top))

    def run_in(self, repo, *args):
        run = self.kforge("run", self.problem, "--headless", "--repo", repo, "--optimize", "0", *args, *MODEL)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.git("fsck", "--strict", repo=repo)
        (session,) = self.sessions()
        self.assertIn(f"kforge/twice_relu/{session}", self.git("branch", "--list", "kforge/*", repo=repo))

    def test_dirty_with_a_stash_and_something_staged(self):
        self.write("mine/kernel.cl", "stashed\n")
        self.git("stash", repo=self.repo)
        self.write("mine/staged.cl", "staged\n")
        self.git("add", "staged.cl", repo=self.repo)
        self.write("mine/kernel.cl", "dirty\n")
        self.write("mine/untracked.cl", "untracked\n")
        before = self.state(self.repo)
        self.run_in(self.repo)
        self.assertEqual(self.state(self.repo), before)

    def test_bare(self):
        bare = self.path("bare.git")
        self.git_init("--bare", bare)
        self.run_in(bare)
        self.assertEqual(self.git("rev-parse", "--is-bare-repository", repo=bare).strip(), "true")

    def test_a_linked_worktree(self):
        tree = self.path("tree")
        self.git("worktree", "add", "-q", "-b", "side", tree, repo=self.repo)
        self.write("tree/kernel.cl", "dirty\n")
        before = self.state(tree), self.state(self.repo)
        self.run_in(tree)
        self.assertEqual((self.state(tree), self.state(self.repo)), before)
        self.assertIn("kforge/twice_relu/", self.git("branch", "--list", "kforge/*", repo=self.repo))

    def test_hooks_do_not_run(self):
        for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "pre-auto-gc"):
            self.write(f"mine/.git/hooks/{name}", f"#!/bin/sh\ntouch {self.path('ran-' + name)}\nexit 1\n", 0o755)
        self.run_in(self.repo)
        self.assertEqual([name for name in os.listdir(self.root) if name.startswith("ran-")], [])

    def test_sessions_side_by_side_do_not_disturb_each_other(self):
        before = self.state(self.repo)
        out = [open(self.path(f"out{i}"), "w", encoding="utf-8") for i in range(3)]
        runs = [self.spawn("run", self.problem, "--headless", "--repo", self.repo, "--optimize", "1", *MODEL,
                           stdout=file, stderr=file) for file in out]
        for run, file in zip(runs, out):
            self.assertIn(run.wait(timeout=120), (0, 1))
            file.close()
        sessions = self.sessions()
        self.assertEqual(len(sessions), 3)
        for session in sessions:
            refs = self.git("for-each-ref", "--format=%(refname)", f"refs/kforge/{session}/candidates",
                            repo=self.repo).split()
            self.assertEqual(len(refs), 2)
            self.assertEqual(set(self.git("log", "--format=%(trailers:key=Kforge-Session,valueonly,separator=%x20)",
                                          f"kforge/twice_relu/{session}", repo=self.repo).split()), {session})
        self.assertEqual(self.state(self.repo), before)
        self.git("fsck", "--strict", repo=self.repo)


class Model(Case):
    """A model whose first candidates are wrong."""

    def test_repairs_what_does_not_compile_and_what_is_wrong(self):
        self.start_model({"reply": BROKEN}, {"reply": WRONG}, {"reply": RIGHT}, {"reply": ADVICE},
                         {"reply": RIGHT})
        run = self.kforge("run", self.problem, "--headless", "--optimize", "1", *MODEL)
        self.assertIn(run.returncode, (0, 1), run.stderr + run.stdout)
        outcomes = [e["outcome"] for e in self.events("evaluation.finished")]
        self.assertEqual(outcomes, ["build_failed", "wrong_values", "correct", "correct"])
        first, repair, second_repair, analysis, faster = self.prompts()
        self.assertIn("twice_relu", first)
        self.assertIn("undeclared identifier", repair)
        self.assertIn("wrong_values", second_repair)
        self.assertIn("want", second_repair)
        self.assertIn("bound", analysis)
        self.assertIn("four elements at a time", faster)
        self.assertEqual(self.git("log", "-1", "--format=%an", self.branch()).strip(), "openai:scripted")
        (session,) = self.sessions()
        refs = self.git("for-each-ref", "--format=%(refname)", f"refs/kforge/{session}/candidates")
        self.assertEqual(len(refs.split()), 4)
        recommended = [e for e in self.events("step.proposed") if e["kind"] == "recommendation"]
        self.assertEqual(recommended[0]["change"], "work on four elements at a time")
        self.assertEqual(self.events("model.reply")[0]["prompt_tokens"], 11)

    def test_crash_and_hang_leave_the_loop_alive(self):
        crash = reply("*(volatile __global int *)(size_t)16 = (int)i;", "Writes where nothing is.")
        self.start_model({"reply": crash}, {"reply": HANGING}, {"reply": RIGHT})
        run = self.kforge("run", self.problem, "--headless", "--optimize", "0", "--run-limit", "1", *MODEL)
        self.assertIn(run.returncode, (0, 1), run.stderr + run.stdout)
        outcomes = [e["outcome"] for e in self.events("evaluation.finished")]
        self.assertEqual(outcomes, ["crashed", "timed_out", "correct"])

    def test_a_reply_without_a_kernel_goes_back(self):
        self.start_model({"reply": "I would rather not."}, {"reply": RIGHT}, {"reply": ADVICE})
        self.kforge("run", self.problem, "--headless", "--optimize", "0", *MODEL)
        outcomes = [e["outcome"] for e in self.events("evaluation.finished")]
        self.assertEqual(outcomes, ["bad_reply", "correct"])
        self.assertIn("bad_reply", self.prompts()[1])

    def test_a_reference_from_another_platform_survives_a_resume_and_a_fork(self):
        reference = self.write("twice_relu.cu", "__global__ void twice_relu(const float *x, float *y)\n")
        self.start_model({"reply": RIGHT}, {"status": 401}, {"reply": ADVICE}, {"reply": RIGHT}, {"reply": RIGHT})
        run = self.kforge("run", self.problem, "--headless", "--optimize", "1", "--reference", reference, *MODEL)
        self.assertEqual(run.returncode, 5)
        os.unlink(reference)
        (session,) = self.sessions()
        resumed = self.kforge("resume", session, "--headless")
        self.assertIn(resumed.returncode, (0, 1), resumed.stderr)
        (opened,) = self.events("session.opened")
        self.assertEqual(opened["reference_name"], "twice_relu.cu")
        self.assertIn("__global__ void twice_relu", self.blob(opened["reference"]))
        first, _, _, faster = self.prompts()
        for prompt in (first, faster):
            self.assertIn("twice_relu.cu solves this task on another platform", prompt)
            self.assertIn("__global__ void twice_relu", prompt)
        self.kforge("fork", session, "1", "--functional", "1", "--optimize", "0")
        forked = [name for name in self.sessions() if name != session]
        self.kforge("resume", forked[0], "--headless")
        self.assertIn("__global__ void twice_relu", self.prompts()[-1])

    def test_a_reference_is_a_text(self):
        self.start_model({"reply": RIGHT})
        with open(self.path("binary"), "wb") as file:
            file.write(b"\x7fELF\0\0")
        for name, why in (("binary", "is not text in UTF-8, as a reference must be"), ("nowhere", "nowhere")):
            run = self.kforge("run", self.problem, "--headless", "--reference", self.path(name), *MODEL)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(why, run.stderr)
        self.assertEqual(self.sessions(), [])

    def test_a_prompt_fits_the_context_that_is_given_or_known(self):
        long = self.write("long.cu", "".join(f"// line {i}\n" for i in range(4000)))
        self.write_prices({"openai:scripted": {"context": 10000}})
        self.start_model({"reply": RIGHT}, {"reply": RIGHT}, {"reply": RIGHT})
        arguments = ("run", self.problem, "--headless", "--optimize", "0", "--reference", long, *MODEL)
        for options in ((), ("--context", "100000"), ("--context", "500")):
            run = self.kforge(*arguments, *options)
        self.assertIn("the context of 500 has room for 375", run.stderr)
        known, given = self.prompts()
        self.assertIn("more bytes are left out: the prompt has to fit the model", known)
        self.assertLess(len(known), 3 * 7500)
        self.assertIn("// line 3999", given)

    def test_gives_up_after_the_functional_limit(self):
        self.start_model({"reply": WRONG, "repeat": True})
        run = self.kforge("run", self.problem, "--headless", "--functional", "2", *MODEL)
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertEqual(len(self.events("evaluation.finished")), 2)

    def test_a_budget_ends_the_session_with_its_own_code(self):
        self.set_price(1000, 10000)
        self.start_model({"reply": RIGHT}, {"reply": ADVICE})
        run = self.kforge("run", self.problem, "--headless", "--budget-usd", "0.09", *MODEL)
        self.assertEqual(run.returncode, 4, run.stderr + run.stdout)
        self.assertIn("budget: $0.081 of $0.09 used", run.stdout)
        self.assertIn("the budget of $0.09 is used up", run.stdout)
        self.assertEqual([e["cost_usd"] for e in self.events("model.reply")], [0.081, 0.081])
        self.assertIn("Kforge-Cost-usd: 0.081\n",
                      self.git("log", "-1", "--format=%(trailers)", self.branch()))

    def set_price(self, prompt, reply):
        """Prices are in $ per million tokens; a scripted reply takes 11 prompt tokens and 7 reply tokens."""
        self.write_prices({"openai:scripted": {"prompt": prompt, "reply": reply}})

    def write_prices(self, prices):
        os.makedirs(self.path("config/kforge"), exist_ok=True)
        self.write("config/kforge/prices.json", json.dumps({"kforge": 1, "prices": prices}))

    def test_without_a_price_there_is_no_budget_in_dollars(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE})
        run = self.kforge("run", self.problem, "--headless", "--budget-usd", "1", *MODEL)
        self.assertEqual(run.returncode, 2)
        self.assertIn("openai:scripted: no price is known", run.stderr)
        self.assertEqual(self.sessions(), [])
        run = self.kforge("run", self.problem, "--headless", "--optimize", "0", *MODEL)
        self.assertIn("cost     unknown, 18 tokens", run.stdout)
        self.assertNotIn("cost_usd", self.events("model.reply")[0])
        self.assertNotIn("Cost", self.git("log", "-1", "--format=%(trailers)", self.branch()))

    def test_the_key_is_nowhere(self):
        self.start_model({"status": 401, "body": "invalid key sk-marked-secret"})
        run = self.kforge("run", self.problem, "--headless", *MODEL)
        self.assertEqual(run.returncode, 5)
        self.assertNotIn("sk-marked", run.stdout + run.stderr)
        found = subprocess.run(["grep", "-rl", "sk-marked-secret", self.path("data")], check=False,
                               capture_output=True, text=True)
        self.assertEqual(found.stdout, "")


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
        run = self.kforge("run", self.problem, "--ask", "--policy", "manual", stdin="q\n")
        self.assertEqual((run.returncode, run.stderr), (3, ""))

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
        self.assertIn("taken back", run.stdout, run.stderr)
        (session,) = self.sessions()
        kept = self.events("candidate.kept")[0]["commit"]
        self.assertEqual(self.git("branch", "--list", "kforge/*"), "")
        self.assertEqual(self.git("for-each-ref", "--format=%(objectname)",
                                  f"refs/kforge/{session}/undone").split(), [kept])
        before = self.events()
        run = self.kforge("resume", session, "--ask", stdin="U\nq\n")
        self.assertIn("decision applied again", run.stdout, run.stderr)
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
        self.assertIn('"soon" is no limit of a run', run.stderr)
        self.assertEqual(self.events("run.started"), [])

    def test_a_message_and_a_file_are_recorded(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE})
        with open(self.path("window.png"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n\0\1")
        self.write("counters.txt", "stalls: 17 %\n")
        self.write("program", "\0\1\2")
        run = self.ask(["m use vectors", "f window.png", "f counters.txt", "f program", "f nowhere", "q"],
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
        self.assertEqual(run.wait(timeout=60), 130)
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
        self.assertEqual(run.wait(timeout=60), 5)
        self.assertEqual(len(self.events("model.reply")), 1)
        (session,) = self.sessions()
        self.assertEqual(self.kforge("resume", session, "--headless").returncode, 1)
        self.assertEqual(self.outcomes(), ["correct", "wrong_values"])

    def test_their_number_has_bounds(self):
        for count in ("0", "9", "many"):
            run = self.kforge("run", self.problem, "--headless", "--attempts", count)
            self.assertEqual(run.returncode, 2)
        self.assertEqual(self.sessions(), [])


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
                 (json.dumps({"kforge": 1, "rules": [{"decide": "edit"}]}), '"file" belongs to "edit"'),
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


class Faults(Case):
    """Sessions survive faults."""

    def test_killed_and_resumed_pays_nothing_twice(self):
        self.start_model({"reply": RIGHT}, {"silent": True}, {"reply": ADVICE}, {"reply": RIGHT})
        with open(self.path("out"), "w", encoding="utf-8") as out:
            run = self.spawn("run", self.problem, "--headless", "--optimize", "1", *MODEL, stdout=out)
        self.wait_for_requests(2)
        run.send_signal(signal.SIGKILL)
        run.wait()
        (session,) = self.sessions()
        resumed = self.kforge("resume", session, "--headless")
        self.assertIn(resumed.returncode, (0, 1), resumed.stderr)
        self.assertEqual(len(self.prompts()), 4)
        self.assertEqual(self.events()[-1]["type"], "session.closed")
        self.git("fsck", "--strict")

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
            run = self.spawn("run", self.problem, "--headless", "--optimize", "0", "--run-limit", "3", *MODEL,
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
        self.assertEqual(run.returncode, 5)
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
