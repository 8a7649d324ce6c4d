"""Test what befalls suites: a device that is not there, a disk that is full, two suites on one device, a clock that is set."""
import glob
import json
import os
import subprocess
import unittest

from kforge import RIGHT, Case


# AddressSanitizer permits a library before its own.
ASAN_WITH_PRELOADS = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"


class Faults(Case):
    def suite(self, reply, **members):
        """Write a suite whose agent always gives the same reply; return its path."""
        self.write("reply", reply)
        model = self.write("model", f"#!/bin/sh\ncat {self.path('reply')}\n", 0o755)
        arm = {"name": "a", "agent": "command:" + model, "functional": 1, "optimize": 0, "timing_limit": 0.1}
        return self.write("suite.json", json.dumps(
            {"kforge": 1, "name": "small", "problems": ["twice_relu.json"],
             "arms": [{**arm, **changes} for changes in members.pop("arms", [{}])], **members}))

    def test_a_device_that_is_gone_costs_its_own_tasks(self):
        suite = self.suite("no idea", arms=[{"name": "gone", "device": "opencl:7"}, {"name": "here"}], repeats=2)
        run = self.kforge("suite", "run", "--headless", suite)
        self.assertEqual(run.returncode, 5, run.stdout + run.stderr)
        self.assertEqual(run.stdout.count("twice_relu, gone, repeat 1: failed: "), 1, run.stdout)
        self.assertIn("opencl:7", run.stdout)
        self.assertIn("2 of 4 tasks ended, 2 failed", run.stdout)
        report = json.loads(self.kforge("suite", "report", "--json").stdout)
        self.assertEqual([t["state"] for t in report["tasks"]], ["failed", "ended"] * 2)
        status = json.loads(self.kforge("suite", "status", "--json").stdout)
        self.assertEqual((status["ended"], status["failed"], len(status["open"])), (2, 2, 2))

    def test_a_device_that_vanishes_is_not_replaced_by_another(self):
        """The arm names no device. It has vanished when the second session begins, and C for the host is still there."""
        worker = self.write("worker", "#!/bin/sh\nunset KFORGE_CC\n[ -e began ] && export OCL_ICD_VENDORS=/nonexistent/\n"
                                      "touch began\nexec \"$@\"\n", 0o755)
        suite = self.suite("no idea", arms=[{"worker": worker}], repeats=2)
        run = self.kforge("suite", "run", "--headless", suite, "--jobs", "1")
        self.assertEqual(run.returncode, 5, run.stdout + run.stderr)
        self.assertIn('repeat 2: failed: no device "opencl:0"', run.stdout)
        self.assertIn("1 of 2 tasks ended, 1 failed", run.stdout)

    def test_a_full_disk_is_told_and_what_was_written_goes_on(self):
        """The disk is full from some call on, in the suite's process or in that of its session."""
        suite = self.suite("no idea")
        full = dict(self.env, LD_PRELOAD=os.environ["KFORGE_FAIL_AT_LIBRARY"], ASAN_OPTIONS=ASAN_WITH_PRELOADS)
        for point in (2, 9, 14, 25):
            with self.subTest(point=point):
                known = set(glob.glob(self.path("data/kforge/suites/*/suite.json")))
                self.env, usual = dict(full, KFORGE_FAIL_AT=str(point)), self.env
                failed = self.kforge("suite", "run", "--headless", suite)
                self.env = usual
                self.assertIn(failed.returncode, (2, 5), failed.stdout + failed.stderr)
                self.assertIn("No space left on device", failed.stdout + failed.stderr)
                for path in set(glob.glob(self.path("data/kforge/suites/*/suite.json"))) - known:
                    resumed = self.kforge("suite", "resume", os.path.basename(os.path.dirname(path)), "--headless")
                    self.assertEqual(resumed.returncode, 0, resumed.stdout + resumed.stderr)
                    self.assertIn("1 of 1 tasks ended, 0 failed", resumed.stdout)

    def test_two_suites_share_a_device_and_one_has_another_clock(self):
        suite = self.suite(RIGHT)
        runs = [self.spawn("suite", "run", "--headless", suite, stdout=subprocess.PIPE, text=True)]
        past = ["faketime", "-f", "-400d", os.environ["KFORGE"], "suite", "run", "--headless", suite]
        other = dict(self.env, DONT_FAKE_MONOTONIC="1", FAKETIME_DONT_FAKE_MONOTONIC="1",
                     ASAN_OPTIONS=ASAN_WITH_PRELOADS)
        runs.append(subprocess.Popen(past, env=other,
                                     cwd=self.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True))
        for run in runs:
            self.addCleanup(run.kill)
            output, _ = run.communicate(timeout=120)
            self.assertEqual(run.returncode, 0, output)
            self.assertIn("1 of 1 tasks ended, 0 failed", output)
        self.assertEqual(len(self.sessions()), 2)
        for folder in os.listdir(self.path("data/kforge/suites")):
            report = json.loads(self.kforge("suite", "report", folder, "--json").stdout)
            (task,) = report["tasks"]
            self.assertEqual((task["state"], task["correct"]), ("ended", True))
            self.assertTrue(0 <= task["minutes"] < 5, task)


if __name__ == "__main__":
    unittest.main()
