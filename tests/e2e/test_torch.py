"""Test PyTorch files in KernelBench's form on the command line: valid ones, and all kinds of faults."""
import glob
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from kforge import KFORGE, Case, has_torch

SKIPPED = 77
PYTHON = os.environ.get("KFORGE_PYTHON", "/usr/bin/python3")

PAIRS = """import torch
import torch.nn as nn


class Model(nn.Module):
    \"\"\"Each pair in order, scaled.\"\"\"

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return {forward}


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""
SORTED = PAIRS.format(forward="torch.linalg.eigvalsh(torch.diag_embed(x)) * self.scale",
                      inputs="torch.randn(512, 2)")
KNOWN = PAIRS.format(forward="torch.relu(x) * self.scale", inputs="torch.randn(512, 2)")
SHARES = PAIRS.format(forward="x * self.scale", inputs="torch.rand(512, 2).softmax(dim=1)")


# PyTorch before 2.0 has no compiler, so the model brings one, which leaves it as it is. While there is a file HELD, the
# compiler does not end, so that a verdict on however slow a machine comes before the compiled baselines.
COMPILED = KNOWN.replace("import torch\n", """import os
import sys
import time
import torch

print("python", vars(sys).setdefault("since", time.monotonic_ns()))  # in the log: the process that opens the file


def compile_when_released(call, options=None):
    while os.path.exists("HELD"):
        time.sleep(0.1)
    return call


torch.compile = compile_when_released
""", 1)


PLAN = json.dumps({"launches": [{"kernel": "pairs", "global": [512], "local": [64], "args": ["x", "scale", "y"]}]})


def source(body):
    """Return a kernel in which work-item i computes pair i."""
    return ("__kernel void pairs(__global const float2 *x, __constant float *scale, __global float2 *y)\n"
            f"{{\n    size_t i = get_global_id(0);\n    float a = x[i].x, b = x[i].y;\n    {body}\n}}\n")


def kernel(body):
    """Return the kernel as a candidate in the form of a reply."""
    return f"```opencl\n{source(body)}```\n\n```json\n{PLAN}\n```\n"


class Worker:
    """A kforge-worker that answers several requests, because each start of Python with PyTorch takes seconds."""

    def __init__(self, case):
        program = os.path.join(os.path.dirname(KFORGE), "kforge-worker")
        self.process = subprocess.Popen([program, "--timing-limit", "0.1"], env=case.env, cwd=case.root, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, what, **members):
        """Return the answer to a request; an error is an answer with "error"."""
        self.process.stdin.write(json.dumps({"id": 1, "do": what, **members}) + "\n")
        self.process.stdin.flush()
        answer = {"event": "progress"}
        while answer["event"] not in ("error", "result"):
            answer = json.loads(self.process.stdout.readline())
        return answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=120)
        self.process.stdout.close()


class TorchCase(Case):
    """A test with its own temporary folder, to detect files left behind."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("tmp"))
        self.env.update(TMPDIR=self.path("tmp"), XDG_STATE_HOME=self.path("state"), KFORGE_PYTHON=PYTHON)
        self.addCleanup(self.expect_nothing_left)

    def ours(self):
        """Return the processes whose working folder is in the test's folder."""
        found = []
        for link in glob.glob("/proc/[0-9]*/cwd"):
            try:
                found += [link] if os.readlink(link).startswith(self.path("tmp")) else []
            except OSError:  # it has ended, or belongs to another user
                pass
        return found

    def expect_nothing_left(self):
        """Wait until the keeper process has removed all files and processes."""
        deadline = time.monotonic() + 120
        while (self.ours() or os.listdir(self.path("tmp"))) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual((self.ours(), os.listdir(self.path("tmp"))), ([], []))


class Problems(TorchCase):
    """Valid files."""

    def judge(self, model, *bodies):
        """Return the verdicts on kernels with these bodies, from one worker."""
        with Worker(self) as worker:
            problem = worker.ask("describe", model=model, file="pairs.py", tolerance="f32")["problem"]
            worker.ask("load", problem=json.dumps(problem), file="pairs.py")
            return [worker.ask("evaluate", candidate={"language": "opencl", "source": source(body), "plan": PLAN,
                                                      "remark": ""})["verdict"] for body in bodies]

    def test_a_session_with_the_file_in_its_prompts(self):
        """In the class mixed, which has more baselines. The first kernel forgets the parameter, which begins as ones.

        A session that ends before its baselines are compiled waits for them, and times the second kernel with them.
        A later verdict that does not wait for them tells that time and its day, but compares with none of them.
        One Python describes the file and judges, and another one compiles.
        """
        forgets = kernel("y[i] = (float2)(fmax(a, 0.0f), fmax(b, 0.0f));")
        right = kernel("y[i] = (float2)(fmax(a, 0.0f) * scale[0], fmax(b, 0.0f) * scale[1]);")
        self.start_model({"reply": forgets}, {"reply": right}, {"reply": right})
        os.mkdir(self.path("shown"))
        self.env["KFORGE_READABLE"] = self.env.get("KFORGE_READABLE", "") + ":" + self.path("shown")
        model = COMPILED.replace("HELD", self.path("shown/held"))
        run = self.kforge("run", self.write("pairs.py", model), "--headless", "--agent", "openai:m", "--optimize",
                          "0", "--tolerance", "mixed")
        self.assertEqual(run.returncode, 1, run.stderr + run.stdout)
        with open(self.path("state/kforge/kforge.log"), encoding="utf-8") as log:
            self.assertEqual(len({line for line in log if line.startswith("python ")}), 2)
        prompt = self.prompts()[0]
        self.assertIn(model, prompt)
        self.assertIn("- scale: param, f32 [2]", prompt)
        self.assertIn("relu(x)", prompt)
        first, second = self.events("evaluation.finished")
        self.assertEqual((first["outcome"], second["outcome"]), ("wrong_values", "correct"))
        names = [other["name"] for other in json.loads(self.blob(second["verdict"]))["against"]]
        self.assertIn("eager", names)
        self.assertIn("eager_bf16", names)
        self.assertIn("eager_bf16w", names)
        verdict = json.loads(self.blob((self.events("baselines.timed") or [second])[-1]["verdict"]))
        self.assertLessEqual({"eager", "compile", "compile_bf16"}, {other["name"] for other in verdict["against"]})
        self.assertFalse(verdict.get("awaited"))
        self.write("shown/held", "")
        later = self.kforge("eval", self.path("pairs.py"), self.write("pairs.md", right), "--tolerance", "mixed",
                            "--no-wait", "--baselines", "eager,compile")
        self.assertEqual(later.returncode, 0, later.stderr)
        self.assertRegex(later.stdout, r"(?m)^compile +being compiled; [0-9.]+ [mu]?s on 20[0-9]{2}-[0-9]{2}-[0-9]{2}$")
        self.assertRegex(later.stdout, r"(?m)^eager .*x \[")
        self.assertNotRegex(later.stdout, r"(?m)^compile.*x \[")
        self.assertNotRegex(later.stdout, r"(?m)^(eager|compile)_")
        self.assertNotIn("with compiled baselines", later.stdout)
        self.check_a_session_that_does_not_wait()

    def check_a_session_that_does_not_wait(self):
        """The compiler is still held, so a session that waited for it would not end."""
        run = self.kforge("run", self.path("pairs.py"), "--headless", "--json", "--agent", "openai:m", "--optimize",
                          "0", "--no-wait", "--baselines", "compile", "--without-profile")
        self.assertEqual(run.returncode, 1, run.stderr + run.stdout)
        kinds = [json.loads(line)["type"] for line in run.stdout.splitlines()]
        self.assertIn("evaluation.finished", kinds)
        self.assertNotIn("baselines.timed", kinds)
        self.assertEqual(kinds[-1], "session.closed")

    def test_the_verdict_waits_for_no_compiler_and_wrong_baselines_are_none(self):
        """The model computes something else at lower precision, and its compiler stops the clock.

        A clock that is stopped stands for a GPU whose events see no work.
        """
        far = PAIRS.format(forward="torch.relu(x) * self.scale * (1.5 if torch.is_autocast_cpu_enabled() else 1)",
                           inputs="torch.randn(512, 2)")
        compiler = ("import time\n\n\ndef stop(call, options=None):\n    time.perf_counter = lambda: 0.0\n"
                    "    return call\n\n\ntorch.compile = stop\n")
        right = kernel("y[i] = (float2)(fmax(a, 0.0f) * scale[0], fmax(b, 0.0f) * scale[1]);")
        run = self.kforge("eval", self.write("pairs.py", far + compiler), self.write("pairs.md", right), "--tolerance",
                          "mixed")
        self.assertEqual(run.returncode, 0, run.stderr)
        first, _, follows = run.stdout.partition("\nwith compiled baselines: ")
        self.assertRegex(first, "^correct: .* over the strongest baseline so far ")
        self.assertRegex(first, r"(?m)^eager .*x \[")
        self.assertRegex(first, r"(?m)^eager_bf16w .*x \[")
        self.assertNotRegex(first, r"(?m)^eager_bf16 ")
        self.assertRegex(first, "no_baseline: eager_bf16: .* % of its elements are not within the tolerance")
        self.assertRegex(first, r"(?m)^compile   being compiled")
        self.assertEqual(first.count(", the strongest"), 1)
        self.assertRegex(follows, "no_baseline: compile_bf16: .* % of its elements are not within the tolerance")
        self.assertIn("no_baseline: compile: its time is 0 us: the clock did not measure its work", follows)
        self.assertNotRegex(follows, r"(?m)^compile ")

    def test_pytorch_says_what_to_expect_where_the_graph_is_not_known(self):
        right, wrong = self.judge(SORTED, "y[i] = (float2)(fmin(a, b) * scale[0], fmax(a, b) * scale[1]);",
                                  "y[i] = (float2)(a * scale[0], b * scale[1]);")
        self.assertEqual(right["outcome"], "correct", right)
        self.assertEqual(right["bound"]["flops"], 0)
        self.assertEqual(wrong["outcome"], "wrong_values")

    def test_the_built_in_agents_need_the_graph(self):
        run = self.kforge("run", self.write("sorted.py", SORTED), "--headless")
        self.assertEqual((run.returncode, self.sessions()), (2, []))
        self.assertRegex(run.stderr, r"^kforge: .*sorted\.py:[0-9]+: no operation for eigvalsh: the built-in agents "
                         "need the whole graph; choose a language model with --agent\n$")

    def test_inputs_that_only_the_file_can_make(self):
        """The first kernel is right only for pairs that add up to 1."""
        right, wrong = self.judge(SHARES, "float sum = a + b;\n    "
                                  "y[i] = fabs(sum - 1.0f) < 1e-5f ? (float2)(a * scale[0], b * scale[1]) : 0;",
                                  "y[i] = (float2)(scale[0], scale[1]);")
        self.assertEqual(right["outcome"], "correct", right)
        self.assertEqual(wrong["outcome"], "wrong_values")

    def test_lint_takes_several_files_in_any_guise(self):
        """One begins with a byte order mark, one prints what looks like an answer, and one has a finding."""
        marked = self.write("marked.py", "\ufeff" + KNOWN)
        prints = self.write("prints.py", "print('{\"problem\": 1}', flush=True)\n" + KNOWN)
        zero = self.write("zero.py", PAIRS.format(forward="(x * 0) @ self.scale", inputs="torch.rand(8, 2)"))
        run = self.kforge("lint", marked, prints, zero)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertTrue(run.stdout.startswith(f"{marked}: ok\n{prints}: ok\n{zero}: "), run.stdout)
        self.assertIn("zero_passes: y:", run.stdout)


class Strangers(TorchCase):
    """Faulty files give one line with place and remedy, and leave nothing behind."""

    def refuse(self, model, fault, *options):
        path = self.write("model.py", model)
        run = self.kforge("eval", path, self.write("any.md", kernel("y[i] = x[i];")), *options)
        self.assertEqual((run.stderr, run.stdout, run.returncode), (f"kforge: {path}{fault}\n", "", 2))
        self.expect_nothing_left()

    @staticmethod
    def inputs(body):
        """Return a model whose get_inputs has `body` on line 17."""
        return PAIRS.format(forward="x", inputs="None").replace("    return [None]", f"    {body}")

    def refuse_inputs(self, body, fault, *options):
        self.refuse(self.inputs(body), f":17: {fault}", *options)

    def test_a_fault_is_told_with_its_place_and_remedy(self):
        form = "a problem in KernelBench's form has Model, get_inputs, get_init_inputs"
        faults = (
            ("import torch\nclass Model(:\n", ":2: syntax error: invalid syntax"),
            ("import torch\n", f": no class Model: {form}"),
            ("class Model:\n    pass\n", f": no function get_inputs: {form}"),
            ("import no_such_thing\n", ":1: no module \"no_such_thing\": install it for this Python, or remove the "
             "import"),
            (self.inputs("return [torch.load('weights.pt')]"), ":17: opens the file \"weights.pt\" (No such file or "
             "directory): make the data in the model's file"),
            (self.inputs("import urllib.request; urllib.request.urlopen('http://192.0.2.1/')"), ":17: uses the "
             "network, which is closed to models: make the data in the model's file"),
            (self.inputs("return [torch.frombuffer(bytearray(1 << 46), dtype=torch.uint8)]"), ":17: needs more memory "
             "than the machine has: choose smaller sizes"),
            (PAIRS.format(forward="x", inputs="'text'"), ": get_inputs: element 0 is a str, expected a tensor or a "
             "number"),
            (self.inputs("return [torch.ones(2) @ torch.ones(3, 3)]"), ":17: RuntimeError: mat1 and mat2 shapes cannot "
             "be multiplied (1x2 and 3x3)"),
            ("import sys\nsys.exit(3)\n", ":2: ends the process: remove the call of exit() or sys.exit()"),
        )
        with Worker(self) as worker:
            for model, fault in faults:
                answer = worker.ask("describe", model=model, file="model.py", tolerance="f32")
                self.assertEqual(answer.get("error"), "model.py" + fault)

    def test_endless_loops(self):
        late = "still running after 2 s: look for an endless loop"
        self.refuse_inputs("while True: pass", late, "--build-limit", "2")
        self.refuse("import time\nwhile True:\n    try:\n        while True:\n            time.sleep(1)\n"
                    "    except BaseException:\n        pass\n", f": {late}", "--build-limit", "2")

    def test_interrupted(self):
        model = self.write("model.py", "while True: pass\n")
        run = self.spawn("lint", model)
        while not self.ours():
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(), -signal.SIGINT)
        self.expect_nothing_left()  # well before the limit of one minute for a model

    def test_ends_python(self):
        self.refuse("import os, time\nos.closerange(0, 99)\ntime.sleep(0.1)\nos._exit(3)\n",
                    ": the model ended its Python process")
        self.refuse("import os\nos.abort()\n", ": the model crashed Python: Aborted")

    def test_processes_that_try_to_stay(self):
        self.refuse_inputs("import subprocess; subprocess.Popen(['sleep', '600']); raise ValueError('done')",
                           "ValueError: done")
        self.refuse("import os, time\nif os.fork() == 0:\n    try:\n        os.setsid()\n    finally:\n"
                    "        time.sleep(600)\nraise ValueError('done')\n", ":7: ValueError: done")


class Machines(TorchCase):
    """Messages that name the missing package of a machine."""

    def test_no_python(self):
        self.env["KFORGE_PYTHON"] = "/nonexistent/python3"
        run = self.kforge("lint", self.write("model.py", KNOWN))
        self.assertEqual(run.returncode, 5)
        self.assertEqual(run.stderr, "kforge: /nonexistent/python3: cannot start: install the package "
                         "python3-torch, or name a Python that has PyTorch in KFORGE_PYTHON\n")

    def test_no_torch(self):
        self.env["KFORGE_PYTHON"] = self.write("python", "#!/bin/sh\nexec /usr/bin/python3 -S \"$@\"\n", 0o755)
        run = self.kforge("lint", self.write("model.py", KNOWN))
        self.assertEqual(run.returncode, 5)
        self.assertEqual(run.stderr, "kforge: no PyTorch for /usr/bin/python3 (No module named 'torch'): install the "
                         "package python3-torch, or name a Python that has it in KFORGE_PYTHON\n")

    def test_tolerance_is_for_pytorch_files(self):
        run = self.kforge("lint", self.problem, "--tolerance", "mixed")
        self.assertEqual((run.returncode, run.stderr), (2, f"kforge: {self.problem}: --tolerance is for PyTorch "
                                                        "files; a JSON problem has its own tolerance\n"))


if __name__ == "__main__":
    if not has_torch(PYTHON):
        print(f"no PyTorch for {PYTHON}: install the package python3-torch", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main()
