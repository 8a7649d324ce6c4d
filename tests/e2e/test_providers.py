"""Models that are no server: a command, a person with files, a recording."""
import base64
import glob
import os
import pty
import re
import signal
import unittest

from kforge import ADVICE, KFORGE, RIGHT, Case


class Command(Case):
    """A program as a model."""

    def test_any_program_can_write_kernels(self):
        self.write("right.md", RIGHT)
        self.write("advice.md", ADVICE)
        model = self.write("model", "#!/bin/sh\nif grep -q bottleneck; then cat advice.md; else cat right.md; fi\n",
                           0o755)
        run = self.kforge("run", self.problem, "--headless", "--optimize", "1", "--agent", "command:" + model)
        self.assertIn(run.returncode, (0, 1), run.stderr + run.stdout)
        self.assertEqual(self.git("log", "-1", "--format=%an", self.branch()).strip(), "command:" + model)

    def test_a_failing_command_leaves_the_session_to_be_resumed(self):
        run = self.kforge("run", self.problem, "--headless", "--agent", "command:echo no quota >&2; exit 7")
        self.assertEqual(run.returncode, 5)
        self.assertIn("exits with 7: no quota", run.stderr)
        self.assertIn("kforge resume", run.stdout)


class Manual(Case):
    """Prompts and replies carried to and fro by a person at a terminal."""

    def start(self):
        """kforge on a terminal of its own; the result is its process id and the terminal."""
        self.seen = b""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.root)
            os.execve(KFORGE, [KFORGE, "run", self.problem, "--headless", "--optimize", "0", "--agent",
                               "manual:" + self.path("chat")], self.env)
        self.addCleanup(os.close, terminal)
        return pid, terminal

    def read_until(self, terminal, pattern):
        """Read until the pattern matches what the terminal has shown so far."""
        while not (match := re.search(pattern, self.seen)):
            self.seen += os.read(terminal, 65536)
        return match

    def test_the_prompt_is_on_the_clipboard_and_the_reply_in_a_file(self):
        pid, terminal = self.start()
        copied = self.read_until(terminal, rb"\033\]52;c;([A-Za-z0-9+/=]+)\a")
        (prompt,) = glob.glob(self.path("chat/prompt-*.md"))
        with open(prompt, "rb") as file:
            self.assertEqual(base64.b64decode(copied[1]), file.read())
        self.read_until(terminal, rb"write the reply to (reply-[0-9a-f]+\.md)")
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        self.write(prompt.replace("prompt-", "reply-"), RIGHT)
        (session,) = self.sessions()
        resumed = self.kforge("resume", session, "--headless")
        self.assertEqual(resumed.returncode, 1, resumed.stderr)
        self.assertEqual(len(self.events("candidate.kept")), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
