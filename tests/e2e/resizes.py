"""Resize the terminal of the workbench 200 times at random, with keys in between; it must draw each size.

usage: resizes.py PROGRAM SOURCE_DIR [COMMAND...]: COMMAND runs the program, e.g. valgrind.
"""
import fcntl
import os
import pty
import random
import select
import struct
import sys
import tempfile
import termios

RESIZES, PATIENCE_S = 200, 60
KEYS = [b"j", b"k", b"\t", b"f", b"?", b"?", b"G", b"g", b"]", b"d", b"s", b"1", b"3", b"5", b"6", b"7", b"\x10", b"\x1b"]


class Program:
    def __init__(self, argv, env):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            os.execvpe(argv[0], argv, env)

    def hears(self):
        """Wait until the program has written something."""
        if not select.select([self.fd], [], [], PATIENCE_S)[0]:
            sys.exit("resizes: it has stopped drawing")
        try:
            return os.read(self.fd, 1 << 16)
        except OSError:  # the program has ended
            return b""

    def resize(self, columns, rows):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def end(self):
        """Quit the program from any screen, and return its exit status."""
        for _ in range(PATIENCE_S):
            os.write(self.fd, b"\x03q")
            while select.select([self.fd], [], [], 1)[0]:
                if not self.hears():
                    return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        sys.exit("resizes: it does not leave")


def main():
    program, root, *command = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, KFORGE_ROOT=root, TERM="xterm-256color", LC_ALL="C.UTF-8", HOME=folder)
        shown = Program([*command, program, "keep"], env)
        shown.hears()
        choose = random.Random(7)
        for _ in range(RESIZES):
            shown.resize(choose.randint(1, 220), choose.randint(1, 70))
            shown.hears()
            os.write(shown.fd, choose.choice(KEYS))
        shown.resize(120, 36)
        status = shown.end()
    if status:
        sys.exit(f"resizes: ended with {status}")


main()
