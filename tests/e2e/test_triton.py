"""Judge Triton kernels by Triton's interpreter. Skipped without a Python that has Triton."""
import os
import subprocess
import unittest

from kforge import Case

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
PYTHON = os.environ.get("KFORGE_PYTHON", "/usr/bin/python3")
HAS_TRITON = subprocess.run([PYTHON, "-c", "import triton, numpy"], capture_output=True).returncode == 0
DEVICE = ("--device", "triton:interpreter")

PROBLEM = """{"kforge": 1, "name": "scaled", "summary": "A sum.", "dims": {"N": 600},
 "tensors": {"x": {"role": "input", "dtype": "f32", "shape": ["N"], "fill": {"normal": [0, 1]}},
             "b": {"role": "input", "dtype": "f32", "shape": ["N"], "fill": {"normal": [0, 1]}},
             "y": {"role": "output", "dtype": "f32", "shape": ["N"]}},
 "graph": [{"op": "mul", "in": ["x", 0.5], "out": "t"}, {"op": "add", "in": ["t", "b"], "out": "y"}],
 "dynamic": ["N"], "also": [{"N": 37}], "tolerance": {"class": "f32"}}"""


@unittest.skipUnless(HAS_TRITON, "no Triton for " + PYTHON)
class Interpreter(Case):
    """The one-shot example of the prompts, right and wrong."""

    def setUp(self):
        super().setUp()
        self.sum = self.write("scaled.json", PROBLEM)
        with open(os.path.join(ROOT, "prompts/platforms/triton/example.md"), encoding="utf-8") as file:
            self.example = file.read()

    def judge(self, reply):
        return self.kforge("eval", self.sum, self.write("reply.md", reply), *DEVICE)

    def test_the_example_is_verified_without_a_time(self):
        run = self.judge(self.example)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("correct: verified but not timed: triton:interpreter gives no times", run.stdout)

    def test_wrong_kernels_are_refused(self):
        run = self.judge(self.example.replace("0.5 *", "0.51 *"))
        self.assertIn("wrong_values", run.stdout, run.stderr)
        run = self.judge(self.example.replace("tl.load(b", "tl.loads(b"))
        self.assertIn("launch_failed: line 9: ", run.stdout, run.stderr)
        run = self.judge(self.example.replace("import triton\n", "import triton(\n", 1))
        self.assertIn("build_failed: line 1: ", run.stdout, run.stderr)
        run = self.judge(self.example.replace("tl.store(y + at", "tl.store(y + at + 1"))
        self.assertIn("out_of_bounds", run.stdout, run.stderr)

    def test_a_kernel_loops_over_a_dimension(self):
        looped = self.example.replace("    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    inside = at < N\n", """\
    for begin in range(tl.program_id(0) * BLOCK, N, tl.num_programs(0) * BLOCK):
        at = begin + tl.arange(0, BLOCK)
        inside = at < N
    """)
        run = self.judge(looped)
        self.assertIn("correct: verified but not timed", run.stdout, run.stderr)

    def test_varied_data_are_tried_where_there_is_one_size(self):
        problem = self.write("rows.json", """{"kforge": 1, "name": "rows", "summary": "Softmax.", "dims": {"M": 3, "N": 40},
          "tensors": {"x": {"role": "input", "dtype": "f32", "shape": ["M", "N"], "fill": {"normal": [0, 2]}},
                      "y": {"role": "output", "dtype": "f32", "shape": ["M", "N"]}},
          "graph": [{"op": "softmax", "in": ["x"], "out": "y", "dim": -1}], "tolerance": {"class": "f32"}}""")
        kernel = """```triton
import triton
import triton.language as tl


@triton.jit
def rows(x, y, N, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.exp(tl.load(x + tl.program_id(0) * N + at, mask=at < N, other=-float('inf')))
    tl.store(y + tl.program_id(0) * N + at, value / tl.sum(value, 0), mask=at < N)
```
```json
{"launches": [{"kernel": "rows", "grid": ["M"], "args": ["x", "y", "N"], "constants": {"BLOCK": 64}}]}
```"""
        run = self.kforge("eval", problem, self.write("rows.md", kernel), *DEVICE)
        self.assertIn("wrong_values", run.stdout, run.stderr)

    def test_a_session_ends_with_the_first_correct_kernel(self):
        reply = self.write("reply.md", self.example)
        run = self.kforge("run", self.sum, "--headless", "--agent", f"command:cat {reply}", *DEVICE)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)  # correct, without a gain
        self.assertIn("\n         verified, without a time\n", run.stdout)
        (opened,) = self.events("session.opened")
        self.assertEqual(opened["language"], "triton")
        (finished,) = self.events("evaluation.finished")
        self.assertEqual((finished["outcome"], "median_us" in finished), ("correct", False))
        self.assertEqual(self.events()[-1]["type"], "session.closed")


if __name__ == "__main__":
    unittest.main()
