"""A program in a pseudo-terminal, with the times of its output."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

ROWS, COLUMNS = 45, 160
QUIET_S = 0.03  # a frame ends after this time without output
TICKS = os.sysconf("SC_CLK_TCK")


class Terminal:
    def __init__(self, argv, env, cwd):
        self.begun = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.chdir(cwd)
            os.execvpe(argv[0], argv, env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def read(self, timeout_s):
        """Return the next output and its time; (b"", now) when none comes within `timeout_s`."""
        ready, _, _ = select.select([self.fd], [], [], timeout_s)
        try:
            return (os.read(self.fd, 1 << 16) if ready else b""), time.perf_counter()
        except OSError:  # the program has ended
            return b"", time.perf_counter()

    def send(self, keys):
        os.write(self.fd, keys)

    def until(self, mark, limit_s):
        """Wait until the program has written `mark`; return that time, or None after `limit_s`."""
        seen, end = b"", time.perf_counter() + limit_s
        while time.perf_counter() < end:
            chunk, at = self.read(end - time.perf_counter())
            seen = seen[-len(mark):] + chunk
            if mark in seen:
                return at
        return None

    def frame(self, limit_s):
        """Wait for one frame; return (its bytes, time of the last byte), or (0, None) when none came."""
        size, last = 0, None
        end = time.perf_counter() + limit_s
        while time.perf_counter() < end:
            chunk, at = self.read(QUIET_S if last else end - time.perf_counter())
            if not chunk and last:
                break
            if chunk:
                size, last = size + len(chunk), at
        return size, last

    def drain(self, for_s):
        """Read and drop the output of `for_s` seconds; return the number of bytes."""
        size, end = 0, time.perf_counter() + for_s
        while (left := end - time.perf_counter()) > 0:
            size += len(self.read(left)[0])
        return size

    def quiet(self, still_s, limit_s):
        """Wait until the program has written nothing for `still_s` seconds."""
        end = time.perf_counter() + limit_s
        while time.perf_counter() < end and self.read(still_s)[0]:
            pass

    def cpu(self):
        """Return (CPU seconds, wake-ups) of the program so far."""
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            wakes = int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.M).group(1))
        return (int(fields[11]) + int(fields[12])) / TICKS, wakes

    def close(self):
        os.kill(self.pid, signal.SIGTERM)
        os.close(self.fd)
        os.waitpid(self.pid, 0)
