"""Test what the judge says of all kinds of invalid input on the command line."""
import copy
import json
import os
import unittest

from kforge import NO_DRIVER, PLAN, PROBLEM, RIGHT, WITHOUT_PLAN, Case, problem, reply


class BadInput(Case):
    """Invalid input gives one line with file, place and remedy, and exit code 2, and leaves nothing behind."""

    def refuse(self, args, line, code=2):
        run = self.kforge(*args)
        self.assertEqual((run.stderr, run.stdout, run.returncode), (f"kforge: {line}\n", "", code), args)
        self.assertFalse(os.path.exists(self.path("data")))

    def refuse_problem(self, text, fault):
        bad, right = self.write("bad.json", text), self.write("right.md", RIGHT)
        for args in (["lint", bad], ["eval", bad, right]):
            self.refuse(args, f"{bad}: {fault}")

    def refuse_plan(self, fault, **changes):
        bad = self.write("bad.md", reply("y[i] = 0;", plan={**PLAN, **changes}))
        self.refuse(["eval", self.problem, bad], f"{bad}: plan: {fault}")

    def refuse_launch(self, fault, **changes):
        self.refuse_plan(fault, launches=[{**PLAN["launches"][0], **changes}])

    def test_a_suites_verb_names_its_own_arguments(self):
        for verb, arguments in (("run", "FILE, or --problems PATTERN..."), ("compare", "OLD NEW"),
                                ("task", "SUITE NUMBER [PID]")):
            self.refuse(["suite", verb], f"suite {verb}: expected {arguments}: see kforge suite --help")

    def test_malformed_json(self):
        self.refuse_problem('{"kforge": 1,\n "name": }', "line 2 column 10: not valid JSON: check quotes, commas and brackets")
        self.refuse_problem(problem()[:100], "line 1 column 100: not valid JSON: check quotes, commas and brackets")
        self.refuse_problem('{"name": "[", "dims": ' + "[" * 100_000, "line 1 column 1022: nested too deep: at most 1000 levels are read")
        self.refuse_problem(problem(dims=[]), "dims: expected an object, found an array")
        self.refuse_problem(problem(colour="red"), 'unknown key "colour": expected one of kforge, name, summary, dims, '
                            'tensors, graph, dynamic, also, tolerance, torch')

    def test_unknown_operation(self):
        self.refuse_problem(problem(graph=[{"op": "multiply", "in": ["x", 2], "out": "y"}]), 'graph[0].op: no '
                            'operation "multiply": they are named as PyTorch\'s functions, such as matmul, mul, gelu')

    def test_unknown_tensor(self):
        self.refuse_problem(problem(graph=[{"op": "mul", "in": ["xx", 2], "out": "y"}]),
                            'graph[0].in[0]: no tensor "xx" before here: expected one of x')

    def test_shape_mismatch(self):
        self.refuse_problem(problem(graph=[{"op": "matmul", "in": ["x", "x"], "out": "y"}]), "graph[0]: matmul of "
                            "x f32 [64, 256], x f32 [64, 256]: expected the same inner size, found 256 and 64")
        self.refuse_problem(problem(graph=[{"op": "sum", "in": ["x"], "out": "y"}]),
                            'graph[0].out: "y" is declared as f32 [64, 256], computed is f32 []')

    def test_dimensions_that_overflow(self):
        self.refuse_problem(problem(dims={"M": 2 ** 21, "N": 2 ** 21}),
                            "tensors.x.shape: [2097152, 2097152] is more than 1099511627776 elements")
        self.refuse_problem(problem(dims={"M": 2 ** 41, "N": 1}),
                            "dims.M: expected 1 to 1099511627776, found 2199023255552")
        tensors = copy.deepcopy(PROBLEM["tensors"])
        tensors["x"]["shape"] = ["*".join(["N"] * 9)]
        self.refuse_problem(problem(tensors=tensors), 'tensors.x.shape[0]: "N*N*N*N*N*N*N*N*N", at character 16: '
                            'the value needs more than 64 bits')

    def test_problems_that_are_too_large(self):
        self.env["POCL_MEMORY_LIMIT"] = "4"  # GB; what PoCL allows otherwise depends on the memory that is free
        (device, *_) = json.loads(self.kforge("devices", "--json").stdout)
        wide = problem(dims={"M": 2 ** 15, "N": 2 ** 16 - 1})
        bad = self.write("bad.json", wide)
        self.refuse(["eval", bad, self.write("right.md", RIGHT)],
                    f"{bad}: tensors.x: takes {2 ** 15 * (2 ** 16 - 1) * 4 + 8192} bytes, opencl:0 allows "
                    f"{device['max_buffer_bytes']} in a buffer: make its dimensions smaller")
        tensors = {"x": {**PROBLEM["tensors"]["x"], "shape": [1, 1, "N"]},
                   "y": {**PROBLEM["tensors"]["y"], "shape": [1, 1, 513]}}
        self.refuse_problem(problem(dims={"M": 1, "N": 1024}, tensors=tensors, graph=[
            {"op": "avg_pool1d", "in": ["x"], "out": "y", "kernel_size": 2 ** 30, "stride": 1,
             "padding": 2 ** 29 - 256}]), "graph[0]: avg_pool1d of x f32 [1, 1, 1024]: windows of 5.51e+11 places in "
            "all, expected at most 1e+11")
        tensors = {"x": {**PROBLEM["tensors"]["x"], "shape": ["N", "N"]},
                   "y": {**PROBLEM["tensors"]["y"], "shape": ["N", "N"]}}
        self.refuse_problem(problem(dims={"M": 1, "N": 20000}, tensors=tensors, graph=[
            {"op": "matmul", "in": ["x", "x"], "out": "y"}]), "graph[0]: matmul takes 1.6e+13 operations, the graph "
            "up to here 1.6e+13, expected at most 1e+13: make its dimensions smaller")
        self.refuse_problem(problem(graph=None), "graph: null, but only a PyTorch model can give the outputs of a problem without a graph")

    def test_a_plan_whose_buffers_do_not_fit(self):
        (device, *_) = json.loads(self.kforge("devices", "--json").stdout)
        huge = {"dtype": "f64", "shape": [2 ** 31 - 1]}
        self.assertLess(device["max_buffer_bytes"], 2 ** 34)
        self.refuse_plan(f"scratch.s takes 17179877368 bytes, opencl:0 allows {device['max_buffer_bytes']} in a "
                         "buffer (M=64 N=256)", scratch={"s": huge})
        tenth = {"dtype": "f32", "shape": [device["max_buffer_bytes"] // 8]}
        scratch = {f"s{i}": tenth for i in range(60)}
        taken = 60 * (tenth["shape"][0] * 4 + 8192) + 2 * (64 * 256 * 4 + 8192)
        self.refuse_plan(f"tensors and scratch take {taken} bytes, opencl:0 has {device['memory_bytes']} "
                         "(M=64 N=256)", scratch=scratch)

    def test_a_kernel_argument_that_does_not_exist(self):
        self.refuse_launch('launches[0].args[1]: no tensor, scratch, dimension or tunable "ww": '
                           'expected one of x, y, M, N (M=64 N=256)', args=["x", "ww"])

    def test_plans_that_say_what_cannot_be(self):
        self.refuse_launch('launches[0].global[0]: "M*Q", at character 3: no "Q": expected one of M, N (M=64 N=256)',
                           **{"global": ["M*Q"]})
        self.refuse_launch("launches[0].local[0]: 7 does not divide the global size 16384: round that up, "
                           "align(..., 7) (M=64 N=256)", local=[7])
        self.refuse_plan('build[0]: "-I/etc" is not allowed: an option is -DNAME, -DNAME=VALUE, -cl-..., NVRTC\'s '
                         '--use_fast_math, --fmad, --ftz, --prec-div, --prec-sqrt, --maxrregcount, --std, hiprtc\'s '
                         '-munsafe-fp-atomics, -m[no-]cumode, -m[no-]wavefrontsize64, gcc\'s -O..., '
                         '-ffast-math and its parts, -ffp-contract, -funroll-loops, -mprefer-vector-width, '
                         'without blanks and quotes (M=64 N=256)', build=["-I/etc"])

    def test_a_missing_device(self):
        right = self.write("right.md", RIGHT)
        ids = ", ".join(device["id"] for device in json.loads(self.kforge("devices", "--json").stdout))
        for command in (["devices"], ["eval", self.problem, right]):
            self.refuse([*command, "--device", "opencl:99"], f'no device "opencl:99": expected one of {ids}')
        run = self.kforge("run", self.problem, "--headless", "--device", "opencl:99")
        self.assertEqual((run.stderr, run.returncode), (f'kforge: no device "opencl:99": expected one of {ids}\n', 2))

    def test_a_driver_without_a_device(self):
        self.env["POCL_DEVICES"] = "nosuch"
        del self.env["KFORGE_CC"]
        why = "OpenCL's loader has a platform \"Portable Computing Language\" without a device (POCL_DEVICES=\"nosuch\""
        self.assertIn(why, self.kforge("devices").stdout)
        self.assertIn(f'no device "opencl:0": expected one of host:0; {why}',
                      self.kforge("devices", "--device", "opencl:0").stderr)
        shown = self.kforge("run", self.problem, "--headless", "--agent", "command:false")
        self.assertIn(f"host:0 is used: {why}", shown.stdout)

    def test_a_recording_is_not_resumed(self):
        self.refuse(["resume", "softmax_written"], "softmax_written is a recording: kforge replay plays it, kforge fork "
                    "softmax_written STEP continues it as a new session")

    def test_a_driver_that_crashes(self):
        os.mkdir(self.path("vendors"))
        self.write("vendors/crashing.icd", os.environ["KFORGE_CRASHING_DRIVER"] + "\n")
        self.env["OCL_ICD_VENDORS"] = self.path("vendors")
        del self.env["KFORGE_CC"]
        said = ("a driver crashed while the devices were listed (Aborted): No memory for this driver; "
                "remove that driver, or name a device of another kind, such as --device host:0")
        for command in (["devices"], ["devices", "--device", "opencl:0"],
                        ["eval", self.problem, self.write("right.md", RIGHT)]):
            self.refuse(command, said)
        named = json.loads(self.kforge("devices", "--json", "--device", "host:0").stdout)
        self.assertEqual([device["id"] for device in named], ["host:0"])

    def test_a_missing_driver(self):
        for name, value in ({**NO_DRIVER, "POCL_DEVICES": "nosuch"}).items():
            before = dict(self.env)
            self.env.pop("OCL_ICD_VENDORS", None)
            self.env[name] = value
            for command in (["devices"], ["eval", self.problem, self.write("right.md", RIGHT)]):
                self.refuse(command, f'no device with {name}="{value}" and KFORGE_CC="none" in the environment: unset it; if '
                            "there is still none, install a driver, for the CPU the package pocl-opencl-icd or gcc")
            self.env = before

    def test_options_and_arguments_that_are_wrong(self):
        help_is = "see kforge {} --help"
        for args, fault in ((["eval", "--bogus"], 'eval: no option "--bogus": '),
                            (["eval", self.problem], "eval: expected PROBLEM KERNEL: "),
                            (["devices", "--device"], "devices: --device needs a value: "),
                            (["devices", "now"], "devices: expected options only: "),
                            (["show", "a", "1", "2"], "show: expected SESSION [STEP]: "),
                            (["resume", "a", "--context", "9"], 'resume: no option "--context": '),
                            (["fork", "a", "1", "--repo", "b"], 'fork: no option "--repo": ')):
            self.refuse(args, fault + help_is.format(args[0]))
        for args, fault in ((["run", self.problem, "--flat", "x"], '--flat "x": expected a whole number'),
                            (["run", self.problem, "--budget-usd", "0"], '--budget-usd "0": expected a number above 0'),
                            (["run", "--ask", "--json"], "--ask and --json both use standard output: leave one out"),
                            (["run", "--headless", "--keys", "k"], "--keys needs the screen: leave out --headless, "
                             "--json and --ask"),
                            (["lint", "--tolerance", "f16", "m.py"], 'no tolerance "f16": expected f32 or mixed'),
                            (["show", "a", "0"], "step 0: steps are numbered from 1"),
                            (["export", "a", "b", "--as", "d"], '--as "d": expected c or torch'),
                            (["export", "a", "b", "--as", "c", "--tf32-convolutions"], "--tf32-convolutions: only with --as torch")):
            self.refuse(args, fault)

    def test_unreadable_files(self):
        absent = self.path("absent")
        for bad, fault in ((absent, "cannot open: No such file or directory; check the path"),
                           (self.root, "cannot read: Is a directory; name a file")):
            for args in (["lint", bad], ["eval", bad, self.problem], ["eval", self.problem, bad]):
                self.refuse(args, f"{bad}: {fault}")

    def test_what_is_no_text(self):
        self.refuse_problem(" \n", "is empty, expected JSON")
        for name, text in (("latin.json", problem().encode().replace(b"Twice", b"Zweimal gr\xf6\xdfer")),
                           ("zero.json", problem().encode() + b"\0"), ("noise.py", bytes(range(256)))):
            with open(self.path(name), "wb") as file:
                file.write(text)
            self.refuse(["lint", self.path(name)], f"{self.path(name)}: not a text in UTF-8: save it as one")
        self.refuse(["eval", self.problem, self.write("zero.md", RIGHT + "\0")],
                    f"{self.path('zero.md')}: not a text in UTF-8: save it as one")

    def test_replies_without_a_kernel_or_with_two(self):
        for text, fault in (("I would rather not.", "there is no fenced block marked \"opencl\""),
                            (RIGHT + RIGHT, "there are 2 fenced blocks marked \"opencl\", the first at line 3 and "
                             "the last at line 16")):
            bad = self.write("bad.md", text)
            self.refuse(["eval", self.problem, bad], f"{bad}: kernel: {fault}, expected exactly one")

    def test_for_programs_a_bad_reply_is_a_verdict(self):
        wrong_plan = reply("y[i] = 0;", plan={"launches": []})
        for text, outcome in (("I would rather not.", "bad_reply"), (wrong_plan, "bad_plan")):
            run = self.kforge("eval", self.problem, self.write("bad.md", text), "--json")
            self.assertEqual((json.loads(run.stdout)["outcome"], run.stderr, run.returncode), (outcome, "", 2))

    def test_a_worker_that_is_not_there(self):
        self.refuse(["devices", "--worker", "/nonexistent/ssh"], "a program was not found: /bin/sh: 1: "
                    "/nonexistent/ssh: not found: install it where this command runs it: /nonexistent/ssh kforge-worker",
                    code=5)

    def test_a_prefix_that_does_not_start_the_worker(self):
        self.refuse(["devices", "--worker", "false"], "the worker did not start (exit status 1): a prefix for "
                    'kforge-worker must run it, as "ssh gpu7" does: false kforge-worker', code=5)
        ssh = self.write("ssh", "#!/bin/sh\necho Pseudo-terminal >&2\necho \"ssh: no host $1\" >&2\nexit 255\n", 0o755)
        self.refuse(["devices", "--worker", 'sh -c "echo hello; exit 3"'], "the worker did not start (exit status 3): hello: in the "
                    'command sh -c "echo hello; exit 3" kforge-worker', code=5)
        self.refuse(["devices", "--worker", f"{ssh} gpu7"], "the worker did not start (exit status 255): ssh: no host gpu7: in the "
                    f"command {ssh} gpu7 kforge-worker", code=5)

    def test_a_plan_error_names_the_main_dimensions(self):
        path = self.write("dynamic.json", problem(dynamic=["M", "N"]))
        bad = self.write("bad.md", reply("y[i] = 0;", plan={"launches": [{**PLAN["launches"][0], "args": ["x", "ww"]}]}))
        self.refuse(["eval", path, bad], f'{bad}: plan: launches[0].args[1]: no tensor, scratch, dimension or tunable "ww": '
                    "expected one of x, y, M, N (M=64 N=256)")

    def test_a_plan_that_does_not_follow_from_the_kernel(self):
        bad = self.write("bad.md", WITHOUT_PLAN.replace("get_global_id(0)", "get_global_id(1)"))
        self.refuse(["eval", self.problem, bad], f'{bad}: launch plan: there is no fenced block marked "json", expected '
                    "exactly one; and kforge cannot derive it from the kernel: it uses an index other than "
                    "get_global_id(0)")


if __name__ == "__main__":
    unittest.main(verbosity=2)
