"""Test sessions on the command line, with worker, device, git and a scripted model."""
import json
import os
import subprocess
import unittest

from kforge import ADVICE, BROKEN, HANGING, RIGHT, WRONG, Case, problem, reply

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

    def test_a_maximum_of_what_is_not_a_number_is_none(self):
        side = {"role": "input", "dtype": "f32", "shape": ["M", "N"], "fill": {"normal": [0, 1]}}
        tensors = {"x": side, "y": side, "z": {**side, "role": "output"}}
        del tensors["z"]["fill"]
        graph = [{"op": "log", "in": ["y"], "out": "l"}, {"op": "maximum", "in": ["x", "l"], "out": "most"},
                 {"op": "minimum", "in": ["most", "l"], "out": "z"}]
        path = self.write("of_logarithms.json", problem(name="of_logarithms", tensors=tensors, graph=graph))
        del self.env["KFORGE_CC"]
        run = self.kforge("run", path, "--headless", "--device", "host:0", "--functional", "1", "--optimize", "0")
        self.assertIn("correct: ", run.stdout, run.stderr)

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
        run = self.kforge("run", self.problem, "--headless", "--optimize", "0", "--run-limit", "4", *MODEL)
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

    def test_a_reference_that_the_device_takes_is_judged_first(self):
        for name, text, outcome, told in (("right.md", RIGHT, "correct", "The judge built, verified and timed it"),
                                          ("wrong.md", WRONG, "wrong_values", "it is wrong here: ")):
            self.start_model({"reply": RIGHT})
            run = self.kforge("run", self.problem, "--headless", "--optimize", "0", "--reference",
                              self.write(name, text), *MODEL)
            self.assertIn(f"reference {name} in OpenCL C: {outcome}", run.stdout)
            self.assertIn(told, self.prompts()[-1])
        self.start_model({"reply": RIGHT})
        run = self.kforge("run", self.problem, "--headless", "--optimize", "0", "--reference", self.sessions()[0],
                          *MODEL)
        self.assertIn(" in OpenCL C: correct", run.stdout, run.stderr)

    def test_the_reference_of_a_fork_is_judged_first_where_the_device_takes_it(self):
        self.start_model({"reply": RIGHT}, any_order=True)
        self.kforge("run", self.problem, "--headless", "--optimize", "0", *MODEL)
        (session,) = self.sessions()
        del self.env["KFORGE_CC"]
        for device, judged in (("opencl", "correct: "), ("host", "not judged: host:0 takes no OpenCL C")):
            fork = self.kforge("fork", session, "--device", device, "--functional", "1")
            resumed = self.kforge("resume", fork.stdout.split()[1], "--headless")
            self.assertIn(f"reference kernel.cl in OpenCL C: {judged}", resumed.stdout, fork.stderr + resumed.stderr)

    def test_a_reference_that_cannot_be_used_is_told_of(self):
        reference = self.write("t.md", '```triton\n@triton.jit\ndef f(x):\n    pass\n```\n```json\n{"launches": ['
                                       '{"kernel": "f", "grid": [1], "args": ["x"]}]}\n```\n')
        run = self.kforge("run", self.problem, "--headless", "--functional", "1", "--optimize", "0", "--reference",
                          reference)
        self.assertIn("reference t.md in Triton: not judged: opencl:0 takes no Triton", run.stdout, run.stderr)
        self.assertIn("candidate: First schedule: the reference has none", run.stdout)

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
