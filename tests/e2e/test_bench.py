"""Test ./run bench --gpu on the device of this machine: each part reports its rows, and --merge joins several runs."""
import json
import os
import subprocess
import sys
import unittest

from kforge import Case, KFORGE, has_torch

SKIPPED = 77
BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "bench.py")
sys.path.append(os.path.dirname(BENCH))

import report  # noqa: E402

PYTHON = os.environ.get("KFORGE_PYTHON", "/usr/bin/python3")


FILE = """
import torch


class Model(torch.nn.Module):
    def forward(self, x): return RESULT


def get_inputs(): return [torch.rand(64, 1024)]


def get_init_inputs(): return []
"""


class BenchCase(Case):
    def bench(self, *args):
        """Run the benchmark and return its report; measured() reads its JSON."""
        env = dict(self.env, KFORGE_BIN=os.path.dirname(KFORGE), KFORGE_PYTHON=PYTHON)
        run = subprocess.run([sys.executable, "-B", BENCH, "--json", self.path("bench.json"), *args], env=env,
                             text=True, capture_output=True, timeout=300, check=False)
        self.assertEqual(run.returncode, 0, run.stderr + run.stdout)
        return run.stdout

    def measured(self):
        with open(self.path("bench.json"), encoding="utf-8") as file:
            return json.load(file)


class Reports(BenchCase):
    def test_turnaround(self):
        printed = self.bench("--gpu", "--device", "opencl:0", "--quick", "--only", "turnaround")
        rows = self.measured()["turnaround"]
        self.assertEqual([row["problem"] for row in rows], ["add_rmsnorm", "argmax"])
        for row in rows:
            self.assertGreater(row["build_ms"]["median"], 0)
            self.assertGreater(row["total_ms"]["median"], row["build_ms"]["median"])
        self.assertIn("| median of 2 ", printed)

    def test_of_a_row_in_two_runs_the_last_counts(self):
        def run(*times):
            row = lambda kernel, us: {"kernel": kernel, "size": 1, "us": {"median": us, "count": 1},
                                      "ncu_us": {"median": 100, "count": 1}, "ratio": us / 100}
            machine = {"date": "now", "commit": "c", "cpu": "cpu", "cores": 1, "load_before": 0, "kernel": "6",
                       "disk": "d", "compiler": "cc", "devices": [], "pytorch": "2"}
            return json.dumps({"machine": machine, "fidelity": [row(*time) for time in times]})
        files = self.write("1.json", run(("a", 90), ("b", 101))), self.write("2.json", run(("a", 99)))
        printed = self.bench("--merge", *files)
        self.assertRegex(printed, r"\| b 1 +\| 101 us +\| 100 us +\| 1\.010 ")
        self.assertRegex(printed, r"\| a 1 +\| 99 us +\| 100 us +\| 0\.990 ")
        self.assertIn("differ by at most 1 %", printed)

    def test_files_of_kernelbench_have_their_rows_in_a_place_of_their_own(self):
        page = self.write("page.md", "".join(f"before\n{report.BEGIN[part]}\nold\n{report.END}\nafter\n" for part in ("files", "rows")))
        row = {"level": "level1", "file": "7_file.py", "tolerance": "f32", "us": 2.0, "ci95_us": [1.0, 3.0], "bound": None,
               "full": None, "matched": None, "attempts": [{"outcome": "correct"}], "seconds": 1.0, "to_verdict": 1.0}
        report.update(page, "files", {"files": [row]})
        with open(page, encoding="utf-8") as file:
            together, each = file.read().split("before\n")[1:]
        for part in (together, each):
            self.assertTrue(part.endswith("after\n"))
            self.assertNotIn("old\n", part)
        self.assertNotIn("7_file", together)
        self.assertEqual(each.count("| 1_7_file "), 1)


class Models(BenchCase):
    def test_sessions_that_share_a_worker(self):
        printed = self.bench("--gpu", "--device", "opencl:0", "--small", "--only", "fused", "--model", "add_rmsnorm",
                            "--rounds", "0")
        rows = self.measured()["fused"]
        self.assertEqual([(row["model"], row["dtype"], row["batch"]) for row in rows],
                         [("add_rmsnorm", dtype, 8) for dtype in ("f32", "bf16")])
        for row in rows:
            self.assertGreater(row["us"], 0)
            self.assertIn("eager", row["baselines"])
        self.assertRegex(printed, r"(?s)f32, by the number.*\| geometric mean .* \(1\).*bf16, by.* \(1\)")

    def test_sessions_on_files_to_the_first_correct_kernel(self):
        for level, text in (("level1", "torch.relu(x)"), ("level2", "x + torch.randn(64, 1024)")):
            os.makedirs(self.path(f"files/{level}"))
            self.write(f"files/{level}/7_file.py", FILE.replace("RESULT", text))
        printed = self.bench("--gpu", "--device", "opencl:0", "--quick", "--only", "files", "--files", self.path("files"),
                            "--rounds", "0", "--tolerance", "f32", "--jobs", "2", "--baselines", "eager")
        rows = {row["level"]: row for row in self.measured()["files"]}
        self.assertEqual([attempt["outcome"] for attempt in rows["level1"]["attempts"]], ["correct"])
        self.assertGreater(rows["level1"]["to_verdict"], rows["level1"]["before"])
        self.assertNotIn("us", rows["level2"])
        self.assertRegex(printed, r"\| 2_7_file +\| f32 +\| 7_file.py:6: no operation for randn")
        again = self.bench("--only", "files", "--merge", self.path("bench.json"))
        self.assertEqual(again, printed)


def main():
    if "Models" in sys.argv and not has_torch(PYTHON):
        sys.exit(SKIPPED)
    unittest.main()


if __name__ == "__main__":
    main()
