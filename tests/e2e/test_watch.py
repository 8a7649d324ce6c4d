"""Test kernels that an editor saves while kforge watches them."""
import glob
import json
import os
import signal
import subprocess
import threading
import time
import unittest

from kforge import ADVICE, BROKEN, HANGING, PLAN, RIGHT, WRONG, Case, Terminal


def kernel(text):
    """Return the kernel of a reply."""
    return text.split("```opencl\n")[1].split("```")[0]


class Judging(Case):
    """kforge eval --watch judges a kernel again at each save."""

    def save(self, text, name="kernel.cl"):
        """Save as editors do: write a new file and rename it over the old one."""
        os.rename(self.write("4913", text), self.path(name))

    def said(self, watch, beginning):
        """Read lines up to one that begins so, and return it; no other attempt may have a verdict."""
        timer = threading.Timer(300, watch.kill)
        timer.start()
        try:
            lines = []
            for line in watch.stdout:
                lines.append(line)
                if line.startswith(beginning):
                    return line
                self.assertFalse(line.startswith("#"), f"{line!r} before {beginning!r}")
        finally:
            timer.cancel()
        self.fail(f"never said {beginning!r}, but {lines}")

    def attempts(self):
        """Return the folder of the attempts; it may not exist yet."""
        (folder,) = glob.glob(self.path("data/kforge/watched/*")) or [None]
        return folder

    def test_each_save_is_judged_and_kept(self):
        self.save(kernel(HANGING))
        self.write("kernel.json", json.dumps(PLAN))
        watch = self.spawn("eval", self.problem, self.path("kernel.cl"), "--watch", "--run-limit", "600",
                           "--timing-limit", "0.02", text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for cleanup in (watch.stdout.close, watch.wait, watch.kill):
            self.addCleanup(cleanup)
        self.said(watch, "watching ")
        while not self.attempts():
            time.sleep(0.02)

        # A save ends the evaluation of the version before.
        self.save(kernel(BROKEN))
        self.said(watch, "#2 build_failed: ")
        self.assertIn("'z'", self.said(watch, "    4:"))
        self.save(kernel(RIGHT))
        self.assertNotIn(" over #", self.said(watch, "#3 correct  "))

        # A file that is gone or empty, as on a full disk, waits for the next save; a save without a change is none.
        os.unlink(self.path("kernel.cl"))
        self.said(watch, f"kforge: {self.path('kernel.cl')}: cannot open: ")
        self.save("")
        self.save(kernel(RIGHT))
        self.save(kernel(RIGHT).replace("2.0f * fmax", "2 * fmax"))
        self.assertRegex(self.said(watch, "#4 correct  "), r", [\d.]+x .*over #3")
        self.save(kernel(WRONG))
        self.said(watch, "#5 ")
        self.assertRegex(self.said(watch, "    M="), r"elements off; y\[\d+, \d+\] is ")

        # Texts and verdicts are kept. A data folder that fails is said, and ends nothing.
        folder = self.attempts()
        kept = sorted(os.listdir(folder))
        self.assertEqual(kept, ["1.md", *sorted(f"{n}.{e}" for n in range(2, 6) for e in ("json", "md"))])
        with open(os.path.join(folder, "2.json"), encoding="utf-8") as verdict:
            self.assertEqual(json.load(verdict)["outcome"], "build_failed")
        os.rename(folder, folder + ".kept")
        self.write(os.path.relpath(folder, self.root), "a file in place of the folder")
        self.save(json.dumps({"launches": []}), "kernel.json")
        self.said(watch, f"kforge: {folder}")
        self.said(watch, "#6 bad_plan: ")
        watch.send_signal(signal.SIGINT)
        self.said(watch, "6 attempts in ")
        self.assertEqual(watch.wait(), 130)

    def test_another_language_is_refused(self):
        path = self.write("kernel.cu", kernel(RIGHT))
        run = self.kforge("eval", self.problem, path)
        self.assertIn(f"{path}: is in CUDA C++, and ", run.stderr)
        self.assertEqual(run.returncode, 2)


class OnScreen(Terminal):
    """An editor in another terminal saves versions of the kernel in view."""

    def save(self, text):
        """Save the kernel of attempt 1 as editors do."""
        (session,) = self.sessions()
        new = f"data/kforge/sessions/{session}/kernels/1/4913"
        os.rename(self.write(new, kernel(text)), os.path.join(os.path.dirname(self.path(new)), "kernel.cl"))

    def test_each_save_is_an_attempt_by_hand(self):
        self.start_model({"reply": RIGHT}, {"reply": ADVICE})
        self.start("run", self.problem, "--agent", "openai:scripted", "--timing-limit", "0.02")
        self.sees("STEP 3 keep")
        self.tmux("send-keys", "6", "3")
        self.sees("kernels/1/kernel.cl", press="W")
        self.save(BROKEN)
        self.sees("4 Diagnostics")  # the layout follows, though the engineer was in a pane
        self.sees("undeclared identifier 'z'")
        self.sees("by hand: each save is judged")
        self.assertEqual(self.asked(), 1)  # no agent is asked until the watch ends
        self.tmux("send-keys", ":", "watch off", "Enter")
        self.sees("STEP 5 keep")  # the version failed, so the agent's candidate can still be kept
        self.sees("STEP 6 recommendation", press="a")
        (saved,) = [e for e in self.events("step.proposed") if "edits" in e]
        self.assertEqual((saved["attempt"], saved["edits"]), (2, 1))
        self.assertIn("fmax(z[i]", self.blob(saved["text"]))
        self.assertEqual([e["attempt"] for e in self.events("candidate.kept")], [1])
        self.assertIn("#2", self.tmux("capture-pane", "-p"))
        self.sees("ended with", press="q")


if __name__ == "__main__":
    unittest.main(verbosity=2)
