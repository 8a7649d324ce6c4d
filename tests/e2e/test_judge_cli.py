"""The judge from the command line: devices, lint, and everything that can be wrong with what is given."""
import copy
import glob
import json
import os
import unittest

from kforge import PROBLEM, RIGHT, Case, reply

SHIPPED = os.path.join(os.path.dirname(__file__), "../../prompts/problems")
DEGENERATE = "linear_max_centre_gelu"  # shipped so that lint has something to find
NO_DRIVER = {"OCL_ICD_VENDORS": "/nonexistent/"}
HANGING = reply("volatile __global float *v = y; while (1) v[0] = x[0];")


def problem(**changes):
    """The small problem's text with other members."""
    return json.dumps({**copy.deepcopy(PROBLEM), **changes})


class Devices(Case):
    """What this machine has."""

    def test_roofs_are_measured_once_and_kept(self):
        self.env["XDG_CACHE_HOME"] = self.path("cache")
        (unmeasured, *_) = json.loads(self.kforge("devices", "--json").stdout)
        self.assertIsNone(unmeasured["roofs"])
        self.assertIn("--measure", self.kforge("devices").stdout)
        measured = json.loads(self.kforge("devices", "--json", "--measure").stdout)
        kept = json.loads(self.kforge("devices", "--json").stdout)
        self.assertEqual([device["roofs"] for device in kept], [device["roofs"] for device in measured])
        self.assertGreater(kept[0]["roofs"]["flops_per_us"], 0)
        self.assertGreater(kept[0]["roofs"]["memory"][0]["bytes_per_us"], 0)

    def test_text_names_driver_compiler_and_memory(self):
        (device, *_) = json.loads(self.kforge("devices", "--json").stdout)
        text = self.kforge("devices").stdout
        for key in ("id", "name", "platform", "compiler"):
            self.assertIn(device[key], text)
        self.assertIn("memory", text)

    def test_one_device_by_the_beginning_of_its_id(self):
        named = json.loads(self.kforge("devices", "--json", "--device", "opencl:0").stdout)
        self.assertEqual([device["id"] for device in named], ["opencl:0"])


class Lint(Case):
    """What a kernel would get away with."""

    def test_shipped_problems_are_fit_but_the_one_that_shows_lint(self):
        paths = sorted(glob.glob(os.path.join(SHIPPED, "*.json")))
        run = self.kforge("lint", "--json", *paths)
        found = {entry["name"]: entry["findings"] for entry in json.loads(run.stdout)}
        self.assertEqual(len(found), len(paths))
        for name, findings in found.items():
            names = [finding["name"] for finding in findings]
            if name == DEGENERATE:
                self.assertIn("zero_passes", names)
            else:
                self.assertEqual(findings, [], name)

    def test_says_ok_or_what_it_finds(self):
        idle = self.write("idle.json", problem(graph=[
            {"op": "abs", "in": ["x"], "out": "t"}, {"op": "relu", "in": ["t"], "out": "y"}]))
        run = self.kforge("lint", self.problem, idle)
        self.assertEqual(run.stdout, f"{self.problem}: ok\n"
                         f"{idle}: idle_operation: graph[1] relu: it never changes \"t\"\n")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(self.kforge("lint", self.problem).returncode, 0)

    def test_needs_no_device(self):
        self.env.update(NO_DRIVER)
        self.assertEqual(self.kforge("lint", self.problem).returncode, 0)

    def test_a_verdict_repeats_what_lint_finds(self):
        tiny = self.write("tiny.json", problem(
            graph=[{"op": "mul", "in": ["x", 0], "out": "y"}]))
        zeros = self.write("zeros.md", reply("y[i] = 0;"))
        run = self.kforge("eval", tiny, zeros, "--json")
        verdict = json.loads(run.stdout)
        self.assertEqual(verdict["outcome"], "correct", run.stderr)
        self.assertIn("task:zero_passes", [hazard["name"] for hazard in verdict["hazards"]])


class BadInput(Case):
    """One line that names file and place, and nothing on standard output."""

    def refuse(self, args, code, *named):
        run = self.kforge(*args)
        self.assertEqual(run.returncode, code, (args, run.stdout, run.stderr))
        self.assertEqual(run.stdout, "", args)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        for part in named:
            self.assertIn(part, run.stderr)

    def test_problems(self):
        tensors = copy.deepcopy(PROBLEM["tensors"])
        tensors["y"]["shape"] = ["N", "M"]
        graph = copy.deepcopy(PROBLEM["graph"])
        graph[1]["op"] = "multiply"
        cases = [('{"kforge": 1,\n "name": }', ("line 2", "column")),
                 (problem(graph=graph), ("graph[1].op", "multiply")),
                 (problem(tensors=tensors), ("graph[1].out", "[256, 64]", "[64, 256]")),
                 (problem(dims={"M": 65536, "N": 65536}), ("tensors.x", "65536")),
                 (problem(dims={"M": 2 ** 31, "N": 1}), ("dims.M", "2147483647")),
                 (problem(colour="red"), ("colour",))]
        for text, places in cases:
            bad = self.write("bad.json", text)
            self.refuse(["lint", self.problem, bad], 2, bad, *places)
            self.refuse(["eval", bad, self.write("right.md", RIGHT)], 2, bad, *places)

    def test_files(self):
        for bad in (self.path("absent"), self.root):
            self.refuse(["lint", self.problem, bad], 2, bad)
            self.refuse(["eval", bad, self.problem], 2, bad)
            self.refuse(["eval", self.problem, bad], 2, bad)

    def test_replies(self):
        for text in ("I would rather not.", RIGHT + RIGHT):
            bad = self.write("bad.md", text)
            self.refuse(["eval", self.problem, bad], 2, bad, "exactly one")

    def test_devices(self):
        right = self.write("right.md", RIGHT)
        for command in (["devices"], ["eval", self.problem, right]):
            self.refuse([*command, "--device", "opencl:99"], 5, "opencl:99", "opencl:0")
        self.env.update(NO_DRIVER)
        for command in (["devices"], ["eval", self.problem, right]):
            self.refuse(command, 5, "pocl-opencl-icd")

    def test_a_worker_that_is_not_there(self):
        self.refuse(["devices", "--worker", "/nonexistent/ssh"], 5, "/nonexistent/ssh")


class Tuning(Case):
    """The search through a plan's tunables."""

    # 16 x 16 x 16 choices, of which only the factor matters: 2 is right.
    PLAN = {"tune": {"A": list(range(16)), "FACTOR": list(range(16)), "B": list(range(16))},
            "build": ["-DFACTOR={FACTOR}"],
            "launches": [{"kernel": "twice_relu", "global": ["M*N"], "args": ["x", "y"]}]}

    def tune(self, *options, plan=None):
        text = reply("y[i] = (float)FACTOR * fmax(x[i], 0.0f);", plan=plan or self.PLAN)
        return self.kforge("eval", self.problem, self.write("open.md", text), *options).stdout

    def tuned(self, *options):
        return json.loads(self.tune("--json", *options))

    def test_says_what_it_tried_of_how_many_and_is_the_same_every_time(self):
        verdict = self.tuned("--tune-choices", "27")
        tuning = verdict["tuning"]
        self.assertEqual((verdict["outcome"], tuning["choices"], len(tuning["tried"])), ("correct", 4096, 27))
        right = [choice for choice in tuning["tried"] if " FACTOR=2 " in choice["values"]]
        self.assertTrue(right)
        for choice in tuning["tried"]:
            self.assertEqual(choice["outcome"], "correct" if choice in right else "wrong_values")
            self.assertEqual("median_us" in choice, choice in right)
        times = [choice["median_us"] for choice in tuning["tried"][:len(right)]]
        self.assertEqual(times, sorted(times))
        self.assertEqual(tuning["chosen"], tuning["tried"][0]["values"])
        again = self.tuned("--tune-choices", "27")["tuning"]["tried"]
        self.assertEqual({choice["values"] for choice in again},
                         {choice["values"] for choice in tuning["tried"]})

    def test_ends_when_its_time_is_over(self):
        verdict = self.tuned("--tune-limit", "0.001")
        self.assertEqual([choice["values"] for choice in verdict["tuning"]["tried"]], ["A=0 FACTOR=0 B=0"])
        self.assertEqual(verdict["outcome"], "wrong_values")

    def test_text_lists_the_choices(self):
        lines = self.tune(plan={**self.PLAN, "tune": {"FACTOR": [1, 2]}}).splitlines()
        place = lines.index("tuned     FACTOR=2, 2 of 2 choices tried")
        self.assertRegex(lines[place + 1], "^          FACTOR=2: .* us$")
        self.assertEqual(lines[place + 2], "          FACTOR=1: wrong_values")

    def test_a_count_is_a_number_of_choices(self):
        for text in ("0", "-1", "1.5", "4097", "many"):
            run = self.kforge("eval", self.problem, "-", "--tune-choices", text)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertIn(f'--tune-choices "{text}"', run.stderr)


class Limits(Case):
    """How long a build and a run may take."""

    def test_a_run_ends_at_its_limit(self):
        run = self.kforge("eval", self.problem, self.write("hang.md", HANGING), "--run-limit", "2.5")
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertTrue(run.stdout.startswith("timed_out: the run took longer than 2.5 s"), run.stdout)

    def test_a_build_ends_at_its_limit(self):
        self.kforge("eval", self.problem, self.write("right.md", RIGHT))  # measures roofs, without a limit
        run = self.kforge("eval", self.problem, self.write("new.md", reply(f"y[i] = {os.getpid()};")),
                          "--build-limit", "0.001")
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertTrue(run.stdout.startswith("timed_out: the build took longer than 0.001 s"), run.stdout)

    def test_a_limit_is_a_number_of_seconds(self):
        for command in ("eval", "run"):
            for text in ("0", "-1", "soon", "1m", "nan", "1e9"):
                run = self.kforge(command, self.problem, "--run-limit", text)
                self.assertEqual(run.returncode, 2)
                self.assertIn(f'--run-limit "{text}"', run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
