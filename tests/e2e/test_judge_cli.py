"""Test the judge on the command line: devices, lint, tuning, tools and limits."""
import glob
import json
import os
import re
import subprocess
import unittest

from kforge import KFORGE, NO_DRIVER, PLAN, RIGHT, WITHOUT_PLAN, Case, problem, reply

SHIPPED = os.path.join(os.path.dirname(__file__), "../../prompts/problems")
DEGENERATE = "linear_max_centre_gelu"  # a shipped problem with a degeneracy that lint reports
HOST = """
```c
void scale(const float *restrict x, float *restrict y, int n)
{
#pragma omp parallel for
    BODY
}
```
```json
{"launches": [{"kernel": "scale", "threads": "all", "args": ["x", "y", {"i32": "M * N"}]}]}
```
"""
HANGING = reply("volatile __global float *v = y; while (i == 0) v[0] = x[0];")


class Devices(Case):
    """The devices of this machine."""

    def test_roofs_are_measured_once_and_kept(self):
        self.own_cache("compiled")
        measured, kept, anew, later = (json.loads(self.kforge("devices", "--json", *args).stdout)[0]["roofs"]
                                       for args in ([], [], ["--measure"], []))
        self.assertEqual(kept, measured)
        self.assertNotEqual(anew, measured)
        self.assertEqual(later, anew)
        self.assertGreater(kept["flops_per_us"], 0)
        self.assertGreater(kept["memory"][0]["bytes_per_us"], 0)

    def test_says_when_others_kept_the_machine_busy(self):
        self.own_cache("roofs")
        self.change_roofs(lambda roofs: roofs.update(busy_cores=0))
        self.assertNotIn("others", self.kforge("devices").stdout)
        self.change_roofs(lambda roofs: roofs.update(busy_cores=1.5))
        self.assertIn("  measured   while other programs used 1.5 cores", self.kforge("devices").stdout)

    def test_roofs_that_a_candidate_beats_are_raised(self):
        def lower(roofs):
            roofs.update(flops_per_us=1, memory=[{**level, "bytes_per_us": 1} for level in roofs["memory"]])
        self.own_cache("roofs", "compiled")
        self.change_roofs(lower)
        verdict = json.loads(self.kforge("eval", self.problem, self.write("right.md", RIGHT), "--json").stdout)
        self.assertEqual(verdict["outcome"], "correct")
        self.assertLess(verdict["bound"]["fraction"], 1.25)
        (kept, *_) = json.loads(self.kforge("devices", "--json").stdout)
        self.assertGreater(kept["roofs"]["flops_per_us"], 100)
        self.assertGreater(min(level["bytes_per_us"] for level in kept["roofs"]["memory"]), 100)

    def test_text_names_driver_compiler_and_memory(self):
        (device, *_) = json.loads(self.kforge("devices", "--json").stdout)
        text = self.kforge("devices").stdout
        for key in ("id", "name", "platform", "compiler"):
            self.assertIn(device[key], text)
        self.assertIn("memory", text)

    def test_says_what_holds_a_candidate(self):
        (device, *_) = json.loads(self.kforge("devices", "--json").stdout)
        safeguards = {"network", "files", "privileges", "processes", "limits"}
        self.assertEqual(set(device["containment"]), safeguards)
        text = self.kforge("devices").stdout
        self.assertIn("  contained  ", text)
        self.assertIn("  worker     ", text)
        held = [*device["containment"].values(), *(device["judge"][name] for name in ("network", "files", "privileges"))]
        self.assertEqual(text.count("  missing    "), held.count(False))

    def test_one_device_by_the_beginning_of_its_id(self):
        named = json.loads(self.kforge("devices", "--json", "--device", "opencl:0").stdout)
        self.assertEqual([device["id"] for device in named], ["opencl:0"])


class Lint(Case):
    """Findings of task lint: shortcuts that a wrong kernel could use."""

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

    def test_a_bad_file_does_not_hide_the_others(self):
        broken = self.write("broken.json", "{")
        missing = self.path("missing.json")
        run = self.kforge("lint", broken, self.problem, missing)
        self.assertEqual((run.returncode, run.stdout), (2, f"{self.problem}: ok\n"))
        self.assertEqual([line.split(": ")[:2] for line in run.stderr.splitlines()],
                         [["kforge", broken], ["kforge", missing]])
        entries = json.loads(self.kforge("lint", "--json", broken, self.problem).stdout)
        self.assertEqual([(e["file"], "error" in e, "findings" in e) for e in entries],
                         [(broken, True, False), (self.problem, False, True)])

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


class Convenience(Case):
    """Arguments that may be left out or shortened."""

    def test_a_plan_that_follows_from_the_kernel_is_derived(self):
        run = self.kforge("eval", self.problem, self.write("right.md", WITHOUT_PLAN), "--json")
        self.assertEqual(json.loads(run.stdout)["outcome"], "correct", run.stderr)

    def test_a_shipped_problem_by_its_name(self):
        run = self.kforge("lint", "saxpy")
        self.assertRegex(run.stdout, r"^/.*/prompts/problems/saxpy\.json: ok\n$")
        run = self.kforge("eval", "saxpy", self.write("right.md", RIGHT))
        self.assertRegex(run.stderr, r"plan: .*expected one of .*\(N=")
        for args in (["lint", "saxpi"], ["eval", "saxpi", self.path("right.md")], ["run", "saxpi", "--headless"]):
            run = self.kforge(*args)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertIn("saxpi: no such file, and no problem of this name ships with kforge", run.stderr)

    def test_a_prefix_on_this_machine_finds_the_worker_beside_kforge(self):
        self.env["PATH"] = "/usr/bin:/bin"
        run = self.kforge("devices", "--json", "--worker", "A=1 nice -n 5")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue(json.loads(run.stdout))


class Surroundings(Case):
    """Missing environment variables, standard streams and disk space."""

    def in_shell(self, line, *args):
        return subprocess.run(["sh", "-c", line, KFORGE, *args], env=self.env, cwd=self.root, text=True,
                              capture_output=True, timeout=300, check=False)

    def test_without_a_path_a_right_candidate_is_right(self):
        right = self.write("right.md", RIGHT)
        for path in ("/nonexistent", ""):
            self.env["PATH"] = path
            self.assertTrue(self.kforge("eval", self.problem, right).stdout.startswith("correct"), path)

    def test_what_is_printed_never_goes_into_a_file_of_its_own(self):
        self.env["XDG_STATE_HOME"] = self.path("state")
        run = self.in_shell('"$0" "$@" <&- >&- 2>&-; echo "ended with $?"', "run", self.problem, "--optimize", "0")
        self.assertEqual(run.stdout, "ended with 1\n")
        self.assertTrue(self.events("candidate.kept"))
        with open(self.path("state/kforge/kforge.log"), encoding="utf-8") as log:
            self.assertNotIn("step 1", log.read())

    def test_output_that_does_not_arrive_is_a_failure(self):
        run = self.in_shell('"$0" "$@" >/dev/full', "lint", self.problem)
        self.assertEqual(run.returncode, 5)
        self.assertEqual(run.stderr, "kforge: standard output: some of it could not be written: free some space on the disk\n")

    def test_a_reader_that_has_had_enough_is_no_failure(self):
        run = self.in_shell('{ "$0" "$@"; echo "ended with $?" >&2; } | true', "lint", self.problem)
        self.assertEqual(run.stderr, "ended with 0\n")


class Tuning(Case):
    """The search through a plan's tunables."""

    # 16 x 16 x 16 choices; only the factor matters, and only 8 to 11 are correct.
    PLAN = {"tune": {"A": list(range(16)), "FACTOR": list(range(16)), "B": list(range(16))},
            "build": ["-DFACTOR={FACTOR}"],
            "launches": [{"kernel": "twice_relu", "global": ["M*N"], "args": ["x", "y"]}]}

    def tune(self, *options, plan=None):
        text = reply("y[i] = (float)(FACTOR / 4) * fmax(x[i], 0.0f);", plan=plan or self.PLAN)
        return self.kforge("eval", self.problem, self.write("open.md", text), *options).stdout

    def tuned(self, *options):
        return json.loads(self.tune("--json", *options))

    def test_says_what_it_tried_of_how_many_and_is_the_same_every_time(self):
        verdict = self.tuned("--tune-choices", "8", "--tune-limit", "120")
        tuning = verdict["tuning"]
        self.assertEqual((verdict["outcome"], tuning["choices"], len(tuning["tried"])), ("correct", 4096, 8))
        right = [choice for choice in tuning["tried"] if re.search(r" FACTOR=(8|9|10|11) ", choice["values"])]
        self.assertGreater(len(right), 1)
        for choice in tuning["tried"]:
            self.assertEqual(choice["outcome"], "correct" if choice in right else "wrong_values")
            self.assertEqual("median_us" in choice, choice in right)
        times = [choice["median_us"] for choice in tuning["tried"][:len(right)]]
        self.assertEqual(times, sorted(times))
        self.assertEqual(tuning["chosen"], tuning["tried"][0]["values"])
        again = self.tuned("--tune-choices", "8", "--tune-limit", "120")["tuning"]["tried"]
        self.assertEqual({choice["values"] for choice in again},
                         {choice["values"] for choice in tuning["tried"]})

    def test_ends_when_its_time_is_over(self):
        verdict = self.tuned("--tune-limit", "0.001")
        self.assertEqual([choice["values"] for choice in verdict["tuning"]["tried"]], ["A=0 FACTOR=0 B=0"])
        self.assertEqual(verdict["outcome"], "wrong_values")

    def test_text_lists_the_choices(self):
        lines = self.tune(plan={**self.PLAN, "tune": {"FACTOR": [4, 8]}}).splitlines()
        place = lines.index("tuned     FACTOR=8, 2 of 2 choices tried")
        self.assertRegex(lines[place + 1], "^          FACTOR=8: .* us$")
        self.assertEqual(lines[place + 2], "          FACTOR=4: wrong_values")

    def test_a_count_is_a_number_of_choices(self):
        for text in ("0", "-1", "1.5", "4097", "many"):
            run = self.kforge("eval", self.problem, "-", "--tune-choices", text)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertIn(f'--tune-choices "{text}"', run.stderr)


class Looks(Case):
    """Tools that examine a candidate."""

    def test_a_tool_that_is_not_here_says_so(self):
        self.env["PATH"] = "/nonexistent"
        said = self.kforge("eval", self.problem, self.write("right.md", RIGHT), "--profile", "--sanitize").stdout
        self.assertIn("profile   none: there is no such tool for opencl:0, which runs OpenCL C\n", said)
        self.assertIn("memcheck  none: oclgrind is not installed on the device's machine: install the package oclgrind, or add "
                      "it to PATH\n", said)

    def test_a_wrong_trial_on_varied_data_says_what_the_data_are(self):
        said = self.kforge("eval", self.problem, self.write("wrong.md", reply("y[i] = fmin(2 * fmax(x[i], 0), 20);"))).stdout
        self.assertRegex(said, r"\nverify    M=\d+ N=\d+, outliers, seed .*\n(          .*\n)+"
                               r"          One element of most rows of the inputs is 64 times as large")

    def test_a_plan_that_is_refused_far_above_the_main_size_is_right_and_says_so(self):
        rows = self.write("rows.json", problem(dims={"M": 4, "N": 32}, dynamic=["N"]))
        plan = {"launches": [{"kernel": "twice_relu", "global": ["M*N"], "local": ["N"], "args": ["x", "y"]}]}
        said = self.kforge("eval", rows, self.write("rows.md", reply("y[i] = 2 * fmax(x[i], 0);", plan=plan))).stdout
        self.assertIn("correct", said)
        self.assertRegex(said, r"\nhazard    not_larger: does not run at M=4 N=4[0-9]{3}, which is no error: .*local")

    def sanitize(self, body, tool, **changes):
        """Return the verdict's findings, as pairs of kind and line."""
        candidate = self.write("candidate.md", reply(body, **changes))
        found = json.loads(self.kforge("eval", self.problem, candidate, "--json", f"--sanitize={tool}").stdout)["sanitizing"]
        self.assertNotIn("missing", found)
        self.assertEqual((found["tool"], found["program"], found["dims"]), (tool, "oclgrind", "M=64 N=256"))
        return [(error["kind"], error["line"]) for error in found["errors"]]

    def test_a_sanitizer_finds_what_the_judge_cannot_see(self):
        # The first element beyond y lies in its guard zone, where only the write is wrong, and local memory has none.
        self.assertEqual(self.sanitize("y[i + (i == 16383)] = x[i];", "memcheck"),
                         [("Invalid write of size 4 at global memory", 4)])
        self.assertEqual(self.sanitize("__local float t[64]; size_t l = get_local_id(0);\n    t[l] = x[i];\n"
                                       "    y[i] = t[(l + 1) % 64];", "racecheck"),
                         [("Read-write data race at local memory", 5)])
        self.assertEqual(self.sanitize("__local float t[64]; if (i) t[get_local_id(0)] = 1;\n    y[i] = t[0];",
                                       "initcheck"), [("Uninitialized value written to global memory", 5)])

    def test_the_compilers_sanitizers_name_lines_of_c(self):
        wrong = self.write("wrong.md", HOST.replace("BODY", "for (int i = 0; i <= n; i++)\n"
                           "        y[0] = y[i] = x[i] + i * 1048576\n            + (int)(x[i] * 1e20f);"))
        del self.env["KFORGE_CC"]
        found = {}
        for tool in ("memcheck", "racecheck", "initcheck"):
            run = self.kforge("eval", self.problem, wrong, "--device", "host:0", "--json", f"--sanitize={tool}")
            self.assertTrue(run.stdout, run.stderr)
            found[tool] = json.loads(run.stdout)["sanitizing"]
        (race, *_), lines = found["racecheck"]["errors"], {}
        for error in found["memcheck"]["errors"]:
            lines[error["kind"].split(":")[0].rsplit(" is ", 1)[-1]] = error["line"], error.get("kernel")
        self.assertEqual(lines["signed integer overflow"], (5, None))
        self.assertEqual(lines["outside the range of representable values of type 'int'"], (6, None))
        self.assertEqual((lines["outside of its buffer"], found["memcheck"]["program"]), ((5, "scale"), "gcc"))
        self.assertEqual((race["kind"], race["line"]), ("data race: write of size 4, previous write of size 4", 5))
        self.assertIn("gcc has no initcheck", found["initcheck"]["missing"])

    def test_a_driver_without_ptx_says_so(self):
        right = self.write("right.md", RIGHT)
        for form, called in (("--ptx", "PTX"), ("--sass", "machine code")):
            result = self.kforge("eval", self.problem, right, form)
            self.assertEqual(result.returncode, 5)
            self.assertIn(f"opencl:0 does not show {called}", result.stderr)
            self.assertEqual(result.stdout, "")

    def test_one_listing_at_a_time(self):
        result = self.kforge("eval", self.problem, self.write("right.md", RIGHT), "--ptx", "--sass")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("--ptx and --sass: one listing at a time", result.stderr)

    def test_a_listing_is_of_the_choice_that_is_right_and_fastest(self):
        plan = {**PLAN, "tune": {"MODE": [0, 1]}, "build": ["-DMODE={MODE}"]}
        text = reply("\n#if MODE == 0\n#error not this one\n#endif\n    y[i] = 2.0f * fmax(x[i], 0.0f);", plan=plan)
        result = self.kforge("eval", self.problem, self.write("tuned.md", text), "--ptx")
        self.assertIn("opencl:0 does not show PTX", result.stderr)

    def test_a_tool_that_there_is_not_is_a_usage_error(self):
        result = self.kforge("eval", self.problem, self.write("right.md", RIGHT), "--sanitize=spellcheck")
        self.assertEqual(result.returncode, 2)

    def test_a_listing_of_what_does_not_compile_is_an_error(self):
        text = reply("\n#warning a warning is not why\n    nonsense;")
        result = self.kforge("eval", self.problem, self.write("bad.md", text), "--ptx")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, "build_failed.*nonsense")


class Limits(Case):
    """Time limits of a build and of a run."""

    def test_a_run_ends_at_its_limit(self):
        run = self.kforge("eval", self.problem, self.write("hang.md", HANGING), "--run-limit", "2.5")
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertTrue(run.stdout.startswith("timed_out: the run took longer than 2.5 s"), run.stdout)

    def test_a_build_ends_at_its_limit(self):
        self.kforge("eval", self.problem, self.write("right.md", RIGHT))  # measures the roofs first, without a time limit
        run = self.kforge("eval", self.problem, self.write("new.md", reply(f"y[i] = {os.getpid()};")),
                          "--build-limit", "0.001")
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertTrue(run.stdout.startswith("timed_out: the build took longer than 0.001 s"), run.stdout)

    def test_timing_ends_at_its_limit(self):
        """Four rounds of at most 64 runs are the least; without the limit there are at least five, of 64 for this kernel."""
        run = self.kforge("eval", self.problem, self.write("right.md", RIGHT), "--json", "--timing-limit", "0.001")
        self.assertLessEqual(json.loads(run.stdout)["timing"]["runs"], 4 * 64)

    def test_a_limit_is_a_number_of_seconds(self):
        for command in ("eval", "run"):
            for text in ("0", "-1", "soon", "1m", "nan", "1e9"):
                run = self.kforge(command, self.problem, "--run-limit", text)
                self.assertEqual(run.returncode, 2)
                self.assertIn(f'--run-limit "{text}"', run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
