"""The real program in a real terminal: tmux, the worker, the device, git, a model on loopback."""
import shlex
import subprocess
import time
import unittest

from kforge import ADVICE, BROKEN, KFORGE, RIGHT, Case


class Screen(Case):
    """An engineer at the keys."""

    def setUp(self):
        super().setUp()
        self.socket = self.path("tmux")
        self.addCleanup(self.tmux, "kill-server", check=False)

    def tmux(self, *args, check=True):
        return subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", *args], env=self.env, text=True,
                              capture_output=True, check=check).stdout

    def start(self, *args, size=(140, 40)):
        command = shlex.join([KFORGE, *args]) + "; echo ended with $?; exec sleep 600"
        self.tmux("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), "sh", "-c", command)

    def shown(self):
        return self.tmux("capture-pane", "-p")

    def sees(self, text, press=None):
        """Wait until `text` is on the screen, pressing a key again and again where one is named."""
        deadline = time.monotonic() + 120
        while text not in self.shown():
            self.assertLess(time.monotonic(), deadline, f"no {text!r} in:\n{self.shown()}")
            if press:
                self.tmux("send-keys", press)
            time.sleep(0.5 if press else 0.05)

    def test_accept_veto_and_leave(self):
        self.start_model({"reply": BROKEN}, {"reply": RIGHT}, {"reply": ADVICE}, {"reply": RIGHT})
        self.start("run", self.problem, "--agent", "openai:scripted")
        self.sees("STEP 5 keep")
        self.sees("correct in")
        self.sees("STEP 6 recommendation", press="a")
        self.assertEqual(len(self.events("candidate.kept")), 1)
        self.sees("work on four elements at a time")
        self.sees("because:", press="v")
        self.tmux("send-keys", "too early for that", "Enter")
        self.sees("STEP 9 keep")
        self.assertIn("too early for that", self.prompts()[-1])
        self.sees("ended with", press="q")
        self.assertIn("kforge resume", self.shown())
        vetoed = [e for e in self.events("step.decided") if e["decision"] == "vetoed"]
        self.assertEqual((vetoed[0]["by"], vetoed[0]["reason"]), ("engineer", "too early for that"))

    def test_a_small_terminal_shows_one_pane(self):
        self.start_model({"reply": RIGHT})
        self.start("run", self.problem, "--agent", "openai:scripted", size=(60, 16))
        self.sees("STEP 3 keep")
        self.sees("ended with", press="q")

    def test_the_built_in_agents_run_on(self):
        self.start("run", self.problem, "--optimize", "1")
        self.sees("STEP 3 keep")
        self.sees("and run on until", press="A")
        self.tmux("send-keys", "C-u", "Enter")
        self.sees("closed")
        self.sees("ended with", press="q")
        self.assertEqual(self.events()[-1]["type"], "session.closed")


if __name__ == "__main__":
    unittest.main(verbosity=2)
