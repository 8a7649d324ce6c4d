"""Test finished sessions: show, replay, measure again, fork, export."""
import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from kforge import ADVICE, BROKEN, RIGHT, WRONG, Case

MODEL = ("--agent", "openai:scripted")
SHIPPED = os.path.join(os.path.dirname(__file__), "../../prompts/sessions")


class Recorded(Case):
    """A test that begins with a session of a build error, wrong values, a correct kernel and one optimization.

    The session runs once for each class.  Each test gets a copy at the same path, because the journal names that path.
    """

    recording = None

    def make_root(self):
        if not self.recording:
            return super().make_root()
        root, _, _ = self.recording
        os.mkdir(root, 0o700)
        return root

    def setUp(self):
        super().setUp()
        if not self.recording:
            type(self).recording = self.record()
        _, data, self.ran = self.recording
        shutil.copytree(data, self.path("data"), symlinks=True)
        (self.session,) = self.sessions()
        self.first_events = self.events()

    def record(self):
        """Run the session; return its folder, the data folder and the output."""
        self.start_model({"reply": BROKEN}, {"reply": WRONG}, {"reply": RIGHT}, {"reply": ADVICE},
                         {"reply": RIGHT})
        ran = self.kforge("run", self.problem, "--headless", "--optimize", "1", *MODEL)
        for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
            del self.env[name]  # without network and key from here on
        kept = tempfile.mkdtemp(prefix="kforge-e2e-")
        self.addClassCleanup(shutil.rmtree, kept)
        return self.root, shutil.move(self.path("data"), kept), ran

    def journal(self, session):
        with open(self.path(f"data/kforge/sessions/{session}/events.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]


class Show(Recorded):
    """`kforge show`: decisions and reasons."""

    def test_steps_in_a_line_each_and_one_with_its_texts(self):
        shown = self.kforge("show", self.session)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("twice_relu on", shown.stdout)
        self.assertIn("attempt 1: Does not compile -> build_failed [accepted]", shown.stdout)
        self.assertIn("attempt 3: Straight from the definition -> correct, ", shown.stdout)
        self.assertIn("[accepted: the first correct candidate]", shown.stdout)
        step = self.kforge("show", self.session[:9], "2").stdout
        self.assertIn("fmax(z[i], 0.0f)", step)
        self.assertIn("undeclared identifier", step)
        self.assertNotIn("fmax(z[i], 0.0f)", self.kforge("show", self.session, "1").stdout)

    def test_the_trajectory_is_a_picture_or_a_table(self):
        for name in ("t.csv", "t.svg"):
            plotted = self.kforge("show", self.session, "--plot", self.path(name))
            self.assertEqual((plotted.returncode, plotted.stderr), (0, ""))
        with open(self.path("t.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        judged = {e["attempt"]: e for e in self.events("evaluation.finished")}
        attempts = {int(row["attempt"]): row for row in rows if row["kind"] == "attempt"}
        self.assertEqual({n: row["outcome"] for n, row in attempts.items() if row["outcome"]},
                         {n: e["outcome"] for n, e in judged.items()})
        self.assertEqual(attempts[1]["speed"], "")
        self.assertEqual(float(attempts[3]["speed"]), 1)
        self.assertIn("plain kernel", [row["title"] for row in rows if row["kind"] == "level"])
        picture = xml.etree.ElementTree.parse(self.path("t.svg"))
        self.assertIn("#3 ", " ".join(title.text for title in picture.iter("{http://www.w3.org/2000/svg}title")))
        self.assertEqual(self.kforge("show", self.session, "--plot", "t.pdf").returncode, 2)

    def test_promises_stand_beside_gains(self):
        listed = self.kforge("show", self.session, "--recommendations").stdout
        self.assertRegex(listed, r"1\.20x +[0-9.]+x +vectors +work on four elements at a time")

    def test_recommendations_are_reviewed(self):
        (item,) = [json.loads(line) for line in self.kforge("review", "--json").stdout.splitlines()]
        advice = next(e for e in self.first_events if e.get("kind") == "recommendation")
        self.assertEqual((item["session"], item["step"]), (self.session, advice["step"]))
        self.assertEqual((item["decision"], item["by"], item["promised"]), ("accepted", "policy", 1.2))
        self.assertEqual(item["evidence"], advice["evidence"])
        self.assertEqual(item["outcome"], "correct")
        self.assertGreater(item["gained"], 0)
        self.assertEqual(self.kforge("review", "--json", "--problem", "conv2d").stdout, "")
        self.assertEqual(self.kforge("review", "--json", "--only", "starred").stdout, "")
        self.assertEqual((item["starred"], item["reviewed"]), (False, False))
        self.assertIn("# Recommendations", self.kforge("review", "--markdown").stdout)
        self.assertIn("expected unreviewed", self.kforge("review", "--only", "new").stderr)
        self.assertEqual(self.kforge("review", self.session).stdout,
                         self.kforge("show", self.session, "--recommendations").stdout)
        self.assertEqual(self.kforge("review", "nosuch").returncode, 2)

    def test_only_an_open_session_is_resumed_without_being_named(self):
        resumed = self.kforge("resume", "--headless")
        self.assertEqual((resumed.returncode, resumed.stdout), (2, ""))
        self.assertIn("no session is open: kforge fork", resumed.stderr)

    def test_what_is_not_there_is_named(self):
        for args, named in ((["show", "nosuch"], "nosuch"), (["show", self.session, "99"], "no step 99"),
                            (["show", self.session, "x"], "x"), (["replay", "nosuch"], "nosuch"),
                            (["fork", self.session, "99"], "no step 99"),
                            (["export", self.session, self.path("out"), "--attempt", "9"], "no attempt 9")):
            run = self.kforge(*args)
            self.assertEqual(run.returncode, 2, args)
            self.assertIn(named, run.stderr)

    def test_sessions_are_found_by_what_they_are_known_by(self):
        for text in ("RELU", "scripted", self.session[5:12], "straight from"):
            self.assertIn(self.session, self.kforge("sessions", text).stdout)
        self.assertEqual(self.kforge("sessions", "conv2d").stdout, "")
        listed = json.loads(self.kforge("sessions", "--json").stdout)
        self.assertEqual((listed["session"], listed["attempts"], listed["open"]), (self.session, 4, False))
        kept = {e["attempt"]: e["commit"] for e in self.events("candidate.kept")}
        self.assertEqual(listed["best"]["commit"], kept[listed["best"]["attempt"]])
        self.assertNotIn("cost_usd", listed)

    def test_every_command_says_how_it_is_used_and_how_it_ends(self):
        commands = re.findall(r"^  (\w+) ", self.kforge("--help").stdout, re.M)
        for command in ("run", "resume", "sessions", "show", "replay", "fork", "export"):
            self.assertIn(command, commands)
        for command in commands:
            text = self.kforge(command, "--help").stdout
            self.assertIn(f"usage: kforge {command}", text)
            self.assertIn("\nexit code: ", text)


class Replay(Recorded):
    """Replay, and new measurements, without network or key."""

    @staticmethod
    def lines(text):
        """Return the lines of the steps without their times."""
        return [line.strip().split("  ", 1)[1] for line in text.splitlines()
                if re.match(r" *[0-9.:]+s?  (session|step|attempt|closed)", line)]

    def test_it_is_told_as_it_was(self):
        told = self.kforge("replay", self.session)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(self.lines(told.stdout), self.lines(self.ran.stdout))
        told = self.kforge("replay", self.session, "--json")
        self.assertEqual([json.loads(line) for line in told.stdout.splitlines()], self.first_events)

    def test_candidates_are_measured_again(self):
        measured = self.kforge("replay", self.session, "--measure", "--json")
        self.assertEqual(measured.returncode, 0, measured.stderr)
        results = [json.loads(line) for line in measured.stdout.splitlines()][len(self.first_events):]
        self.assertEqual([r["then"]["outcome"] for r in results],
                         ["build_failed", "wrong_values", "correct", "correct"])
        for result in results:
            self.assertEqual(result["then"]["outcome"], result["now"]["outcome"])
            self.assertEqual("median_us" in result["now"], result["now"]["outcome"] == "correct")
        self.assertEqual(self.events(), self.first_events)

    def test_an_outcome_that_differs_has_its_own_code(self):
        folder = self.path("recording")
        self.assertEqual(self.kforge("export", self.session, folder, "--recording").returncode, 0)
        self.assertEqual(self.kforge("replay", folder, "--check").returncode, 0)
        with open(folder + "/events.jsonl", encoding="utf-8") as file:
            journal = file.read()
        self.assertNotIn(self.root, journal)
        self.write("recording/events.jsonl", journal.replace('"wrong_values"', '"timed_out"'))
        self.assertEqual(self.kforge("replay", folder, "--measure").returncode, 0)
        checked = self.kforge("replay", folder, "--check")
        self.assertEqual(checked.returncode, 3)
        self.assertRegex(checked.stdout, r"2  timed_out +wrong_values .*DIFFERS: Forgets the positive part")

    def test_a_recording_answers_in_the_place_of_the_model(self):
        folder = self.path("recording")
        self.kforge("export", self.session, folder, "--recording")
        run = self.kforge("run", self.problem, "--json", "--optimize", "1", "--agent", "recorded:" + folder)
        events = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual([e["outcome"] for e in events if e["type"] == "evaluation.finished"],
                         ["build_failed", "wrong_values", "correct", "correct"])
        self.assertEqual(events, self.journal(events[0]["session"]))
        # A session resumed in the middle gets the next reply, not the first one again.
        (fork,) = re.findall(r"kforge resume (\S+)", self.kforge("fork", events[0]["session"], "1").stdout)
        path = self.path(f"data/kforge/sessions/{fork}/events.jsonl")
        self.assertIn(self.kforge("resume", fork, "--headless").returncode, (0, 1))
        whole = self.journal(fork)
        first = next(i for i, e in enumerate(whole) if e["type"] == "evaluation.finished")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(e) + "\n" for e in whole[:first + 1])
        resumed = self.kforge("resume", fork, "--json")
        self.assertEqual([json.loads(line)["outcome"] for line in resumed.stdout.splitlines()
                          if "evaluation.finished" in line], ["wrong_values", "correct", "correct"])

    def run_knowing(self, knowledge, *args):
        """Run a short session on a device with the given description; return its events and the result."""
        self.env["XDG_CACHE_HOME"] = shutil.copytree(knowledge, tempfile.mkdtemp(dir=self.root), dirs_exist_ok=True)
        run = self.kforge("run", self.problem, "--json", "--optimize", "0", *args)
        return [json.loads(line) for line in run.stdout.splitlines()], run

    def test_a_recording_answers_strictly_what_it_was_asked(self):
        # Prompts describe the device, so each session needs the same description.
        self.raise_roofs()
        knowledge = self.path("cache")
        self.start_model({"reply": BROKEN}, {"reply": RIGHT})
        recorded, _ = self.run_knowing(knowledge, *MODEL)
        folder = self.path("recording")
        self.kforge("export", recorded[0]["session"], folder, "--recording")
        del self.env["OPENAI_BASE_URL"]
        strictly = ("--agent", "recorded:strict:" + folder)
        again, run = self.run_knowing(knowledge, *strictly)
        self.assertEqual(run.returncode, 1, run.stderr)
        for kind in ("model.request", "model.reply"):
            self.assertEqual([e["text"] for e in again if e["type"] == kind],
                             [e["text"] for e in recorded if e["type"] == kind])
        self.assertEqual([e["outcome"] for e in again if e["type"] == "evaluation.finished"],
                         ["build_failed", "correct"])
        # The second prompt differs from the recording, so only the first one got a reply.
        changed = os.path.join(folder, "texts", [e["text"] for e in recorded if e["type"] == "model.request"][1])
        with open(changed, "a", encoding="utf-8") as file:
            file.write("And be quick about it.\n")
        other, run = self.run_knowing(knowledge, *strictly)
        self.assertEqual(run.returncode, 5)
        self.assertEqual(run.stderr, f"kforge: {folder}: no reply to this prompt is recorded; "
                         'without "strict:" replies come in order, whatever the prompt\n')
        self.assertEqual([e["outcome"] for e in other if e["type"] == "evaluation.finished"], ["build_failed"])
        self.assertIn("the session is saved", self.kforge("resume", other[0]["session"], "--headless").stdout)


class Fork(Recorded):
    """Forks: sessions that begin as a copy of another one."""

    def fork(self, step, *args):
        run = self.kforge("fork", self.session, str(step), *args)
        self.assertEqual(run.returncode, 0, run.stderr)
        return re.search(r"kforge resume (\S+)", run.stdout)[1]

    def test_it_shares_the_beginning_and_goes_its_own_way(self):
        advice = next(e for e in self.first_events if e.get("kind") == "recommendation")
        kept = next(e for e in self.first_events if e["type"] == "candidate.kept")
        model = self.write("model", "#!/bin/sh\ncat reply.md\n", 0o755)
        self.write("reply.md", RIGHT)
        fork = self.fork(advice["step"], "--agent", "command:" + model, "--optimize", "2")
        opened, *shared = self.journal(fork)
        self.assertEqual(shared, self.first_events[1:advice["seq"]])
        self.assertEqual((opened["forked_from"], opened["forked_at"]), (self.session, advice["seq"]))
        self.assertEqual(opened["limits"]["optimize"], 2)
        self.assertEqual(self.git("rev-parse", f"kforge/twice_relu/{fork}").strip(), kept["commit"])
        run = self.kforge("resume", "--json")  # the fork is the only session that is open
        self.assertIn(run.returncode, (0, 1), run.stderr)
        events = self.journal(fork)
        self.assertEqual([json.loads(line) for line in run.stdout.splitlines()], events[advice["seq"]:])
        self.assertEqual(events[:advice["seq"]], [opened] + shared)
        self.assertEqual(events[-1]["type"], "session.closed")
        replies = [e for e in events if e["type"] == "model.reply"]
        self.assertGreater(len(replies), 4)
        self.assertEqual(self.journal(self.session), self.first_events)
        self.git("fsck", "--strict")
        refs = self.git("for-each-ref", "--format=%(refname)", f"refs/kforge/{fork}/candidates").split()
        attempts = [e for e in events if e["type"] == "evaluation.finished"]
        self.assertEqual(len(refs), len(attempts))
        # The fork is timed in turn with the best attempt that it shares, which is the first correct one too.
        own = next(e for e in attempts if e["seq"] > advice["seq"] and e["outcome"] == "correct")
        self.assertEqual(own["timed_with"], kept["attempt"])
        self.assertGreater(own["gain"], 0)
        self.assertIn(f"from {self.session}", self.kforge("show", fork).stdout)

    def test_a_session_that_ships_is_gone_on_with(self):
        run = self.kforge("fork", "softmax_written", "13", "--agent", "builtin")
        self.assertEqual(run.returncode, 0, run.stderr)
        fork = re.search(r"kforge resume (\S+)", run.stdout)[1]
        events = self.journal(fork)
        kept = [e["commit"] for e in events if e["type"] == "candidate.kept"]
        self.assertEqual(self.git("rev-list", "--reverse", f"kforge/softmax/{fork}").split(), kept)
        self.assertEqual(len(self.git("for-each-ref", f"refs/kforge/{fork}/candidates").splitlines()), 4)
        shown = self.kforge("show", fork, "12")
        self.assertIn("reciprocal", shown.stdout, shown.stderr)
        self.git("fsck", "--strict")

    def test_its_texts_outlive_its_parent(self):
        fork = self.fork(2)
        repo = self.path("data/kforge/history.git")
        for ref in self.git("for-each-ref", "--format=%(refname)").split():
            if self.session in ref:
                self.git("update-ref", "-d", ref)
        self.git("gc", "-q", "--prune=now", repo=repo)
        shown = self.kforge("show", fork, "2")
        self.assertIn("fmax(z[i], 0.0f)", shown.stdout, shown.stderr)

    def test_what_it_shares_was_paid_by_the_other(self):
        advice = next(e for e in self.first_events if e.get("kind") == "recommendation")
        shown = self.kforge("show", self.fork(advice["step"])).stdout
        self.assertNotIn("tokens", shown)
        self.assertIn("90 tokens", self.kforge("show", self.session).stdout)


class Export(Recorded):
    """Export of the best candidate as files."""

    def test_the_files_are_judged_again_by_themselves(self):
        run = self.kforge("export", self.session, self.path("out"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(sorted(os.listdir(self.path("out"))),
                         ["README.md", "candidate.md", "kernel.cl", "plan.json", "problem.json", "verdict.json"])
        with open(self.path("out/README.md"), encoding="utf-8") as file:
            command = file.read().splitlines()[-1].split()
        self.assertEqual(command[:2], ["kforge", "eval"])
        judged = self.kforge("eval", *(self.path("out/" + name) for name in command[2:]))
        self.assertEqual(judged.returncode, 0, judged.stderr)

    def test_an_attempt_can_be_named_and_nothing_is_written_over(self):
        out = self.path("out")
        self.assertEqual(self.kforge("export", self.session, out, "--attempt", "2").returncode, 0)
        with open(out + "/kernel.cl", encoding="utf-8") as file:
            self.assertIn("2.0f * x[i]", file.read())
        again = self.kforge("export", self.session, out)
        self.assertEqual(again.returncode, 2)
        self.assertIn("already exists", again.stderr)

    def test_a_program_of_its_own_builds_and_checks_itself(self):
        out = self.path("out")
        run = self.kforge("export", self.session, out, "--as", "c")
        self.assertEqual(run.returncode, 0, run.stderr)
        for command in (["cmake", "-B", "build", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror"],
                        ["cmake", "--build", "build"], ["ctest", "--test-dir", "build", "--output-on-failure", "-V"]):
            made = subprocess.run(command, cwd=out, env=self.env, text=True, capture_output=True, check=False)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        self.assertRegex(made.stdout, r"y: right, the worst error is \S+ of the tolerance")
        self.assertRegex(made.stdout, r"\d us, the median of 21 runs")

    def test_a_program_whose_kernel_is_wrong_says_so(self):
        out = self.path("out")
        self.kforge("export", self.session, out, "--as", "c")
        with open(out + "/kernel.cl", encoding="utf-8") as file:
            kernel = file.read()
        with open(out + "/kernel.cl", "w", encoding="utf-8") as file:
            file.write(kernel.replace("x[i]", "(x[i] + 1)"))
        subprocess.run("cmake -B build && cmake --build build", shell=True, cwd=out, env=self.env,
                       capture_output=True, check=True)
        (program,) = (name for name in os.listdir(out + "/build") if os.access(f"{out}/build/{name}", os.X_OK)
                      and os.path.isfile(f"{out}/build/{name}"))
        run = subprocess.run([f"build/{program}"], cwd=out, env=self.env, text=True, capture_output=True, check=False)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("y: WRONG", run.stdout)

    def test_pytorch_takes_no_opencl(self):
        run = self.kforge("export", self.session, self.path("model.py"), "--as", "torch")
        self.assertEqual(run.returncode, 2)
        self.assertIn("there is no PyTorch module for kernels in OpenCL C: export it as c", run.stderr)
        self.assertEqual(self.kforge("export", self.session, self.path("m"), "--as", "rust").returncode, 2)


class Shipped(Case):
    """The shipped sessions, on this machine, without network, key or repository."""

    def smaller(self, name, dims):
        """Return a copy of a shipped session whose problem has other dimensions, so that it is measured sooner."""
        folder = shutil.copytree(os.path.join(SHIPPED, name), self.path(name))
        path = os.path.join(folder, "events.jsonl")
        with open(path, encoding="utf-8") as file:
            events = file.read()
        (old,) = re.findall(r'"problem.loaded".*"text":"(\w+)"', events)
        with open(os.path.join(folder, "texts", old), encoding="utf-8") as file:
            problem = json.load(file)
        self.assertEqual(problem["dims"].keys(), dims.keys())
        text = json.dumps({**problem, "dims": dims}).encode()
        new = hashlib.sha1(b"blob %d\0" % len(text) + text).hexdigest()
        with open(os.path.join(folder, "texts", new), "wb") as file:
            file.write(text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(events.replace(old, new))
        return folder

    def outcomes(self, name):
        """Replay and measure a session; return the new outcomes, which must not differ from the recorded ones."""
        run = self.kforge("replay", name, "--check", "--json", "--tune-choices", "1", timeout=500)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        return [r["now"]["outcome"] for r in lines if r["type"] == "replay.measured"]

    def test_written_replies_are_repaired_twice_and_sped_up_twice(self):
        self.assertEqual(self.outcomes("softmax_written"),
                         ["build_failed", "wrong_values", "correct", "correct", "correct"])
        told = self.kforge("replay", "softmax_written").stdout
        self.assertEqual(told.count(" kept as "), 3)
        promised = self.kforge("show", "softmax_written", "--recommendations").stdout
        self.assertEqual(len(re.findall(r"^\S+ +\d+ +\S+ +[\d.]+x +[\d.]+x ", promised, re.M)), 2)

    def test_the_pictures_of_a_profiler_are_replayed_and_shown(self):
        told = self.kforge("replay", "softmax_c_kcachegrind").stdout
        self.assertRegex(told, r"attempt 1  picture kcachegrind.png: kforge picture \S+ 1")
        for args in ((), ("1",)):
            shown = self.kforge("picture", "softmax_c_kcachegrind", *args)
            (path,) = re.findall(r"^(/\S+\.png): this terminal", shown.stdout, re.M)
            with open(path, "rb") as file:
                self.assertEqual(file.read(24), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\5\0\0\0\3\x5c")
        advice = self.kforge("show", "softmax_c_kcachegrind", "4").stdout
        self.assertIn("Self of __expf_fma = 69.87 %", advice)
        self.assertIn("no model was asked", advice)

    def test_it_is_measured_on_the_device_that_is_named(self):
        run = self.kforge("replay", "softmax_written", "--measure", "--device", "opencl:99")
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertIn("opencl:99", run.stderr)

    def test_candidates_stay_in_the_language_that_they_were_written_in(self):
        run = self.kforge("replay", "transpose_h200", "--check", "--device", "opencl")
        self.assertEqual(run.returncode, 5, run.stdout + run.stderr)
        self.assertIn("opencl:0 takes OpenCL C, but the candidates are in CUDA C++", run.stderr)
        self.assertNotIn("DIFFERS", run.stdout)

    def test_the_built_in_agents_are_always_correct(self):
        recording = self.smaller("linear_gelu_builtin", {"M": 64, "N": 256, "K": 192})
        outcomes = self.outcomes(recording)
        self.assertEqual(set(outcomes), {"correct"})
        with open(os.path.join(recording, "events.jsonl"), encoding="utf-8") as file:
            self.assertEqual(len(outcomes), file.read().count('"evaluation.finished"'))
        self.assertGreater(len(outcomes), 3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
