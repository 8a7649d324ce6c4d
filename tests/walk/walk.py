#!/usr/bin/env python3
"""Play a walk with the real kforge in a real terminal (tmux), and make pictures of the screen.

    walk.py KFORGE SOURCE_DIR PICTURES WALK...

A walk is a file with a line for each action:

    sizes WxH...        play the walk in each of these sizes; the size is part of a picture's name
    model FILE          start the scripted model of tests/e2e/chat_server.py with this script
    terminal TERM [COLORTERM]
                        what the terminal says of itself to the next programs
    size WxH            resize the terminal
    run ARGUMENTS       start kforge in the shell of the terminal
    left                wait until the shell is back
    edit                open a second window with vi and the kernel that the workbench watches
    window N            go to window 1, the workbench, or 2, the editor
    wait TEXT           wait until the text is on the screen
    press KEY...        press keys, as tmux names them
    type TEXT           type a text
    :COMMAND            type a command and Enter
    picture NAME        save PICTURES/NAME_WxH.png when the screen is still, clocks aside
    glimpse NAME        the same at once

The data folder is new for each size.  Times are those of this machine, so that pictures are not compared with others.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from terminal_picture import picture

HERE = pathlib.Path(__file__).parent
PATIENCE_S = 120
PACE_S = 0.8  # between keys, as a person types: decisions that follow a change of the screen at once are ignored
PROMPT = "back> "


class Player:
    """A terminal of its own, with a shell, and the folders of a user without settings."""

    def __init__(self, kforge, source, pictures, home):
        self.kforge, self.pictures, self.home = kforge, pathlib.Path(pictures), pathlib.Path(home)
        self.model_process = None
        self.size = (80, 24)
        self.env = {name: value for name, value in os.environ.items()
                    if name not in ("NO_COLOR", "TMUX", "COLORTERM", "VISUAL")}
        self.env.update(HOME=home, KFORGE_ROOT=str(source), XDG_DATA_HOME=home + "/data", LC_ALL="C.UTF-8",
                        XDG_CONFIG_HOME=home + "/config", XDG_STATE_HOME=home + "/state", no_proxy="127.0.0.1",
                        XDG_CACHE_HOME=os.path.join(tempfile.gettempdir(), "kforge-e2e-cache"),
                        OPENAI_API_KEY="sk-of-the-walk")

    def tmux(self, *args):
        command = ["tmux", "-f", "/dev/null", "-S", self.home / "socket", *args]
        return subprocess.run(command, env=self.env, text=True, check=True, stdout=subprocess.PIPE).stdout

    def shown(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def until(self, is_true, wish):
        deadline = time.monotonic() + PATIENCE_S
        while not is_true():
            if time.monotonic() > deadline:
                raise SystemExit(f"walk: never {wish}; the screen is:\n{self.shown()}")
            time.sleep(0.1)

    def play(self, path, size):
        """Play the lines of a walk in one size."""
        self.open(size)
        try:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if line and not line.startswith(("#", "sizes ")):
                    print(f"{path.name}:{number}: {line}", flush=True)
                    self.do(path, line)
        finally:
            self.close()

    def open(self, size):
        self.tmux("new-session", "-d", "-x", "80", "-y", "24", "exec sh")
        self.tmux("set-option", "-g", "status", "off")
        self.do_size(size)
        self.do_type(f"PS1='{PROMPT}'; clear")
        self.do_press("Enter")
        self.do_left()

    def close(self):
        self.tmux("kill-server")
        if self.model_process:
            self.model_process.stdin.close()
            self.model_process.wait()

    def do(self, path, line):
        verb, _, rest = line.partition(" ")
        if line.startswith(":"):
            self.do_type(line)
            self.do_press("Enter")
        elif verb == "model":
            self.do_model(path.parent / rest)
        else:
            getattr(self, "do_" + verb)(*([rest] if rest else []))

    def do_model(self, script):
        self.model_process = subprocess.Popen(
            [sys.executable, HERE.parent / "e2e" / "chat_server.py", script, "--until-eof"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        port = self.model_process.stdout.readline().strip()
        self.do_type(f"export OPENAI_BASE_URL=http://127.0.0.1:{port}/v1")
        self.do_press("Enter")

    def do_terminal(self, names):
        term, _, colorterm = names.partition(" ")
        self.do_type(f"export TERM={term} COLORTERM={colorterm}")
        self.do_press("Enter")

    def do_size(self, size):
        self.size = tuple(map(int, size.split("x")))
        self.tmux("resize-window", "-x", str(self.size[0]), "-y", str(self.size[1]))

    def do_run(self, arguments):
        self.do_type(f"clear; {self.kforge} {arguments}")
        self.do_press("Enter")

    def do_left(self):
        self.until(lambda: re.search("^" + PROMPT, self.shown("-N"), re.MULTILINE), "came back to the shell")

    def do_edit(self):
        self.until(lambda: list(self.home.glob("data/kforge/sessions/*/kernels/*/kernel.*")), "a kernel to edit")
        kernels = self.home.glob("data/kforge/sessions/*/kernels/*/kernel.cl")
        newest = max(kernels, key=lambda kernel: int(kernel.parent.name))
        look = "-u NONE -N -c 'set t_Co=256 background=dark nu' -c 'syntax on' -c 'set ft=c'"
        self.tmux("new-window", f"vi {look} '{newest}'")
        self.do_size("x".join(map(str, self.size)))

    def do_window(self, number):
        self.tmux("select-window", "-t", f":{int(number) - 1}")

    def do_wait(self, text):
        self.until(lambda: text in self.shown(), f"saw {text!r}")

    def do_press(self, keys):
        for key in keys.split():
            time.sleep(PACE_S)
            self.tmux("send-keys", "\\;" if key == ";" else key)

    def do_type(self, text):
        self.tmux("send-keys", "-l", text)

    def is_still(self):
        """Return whether the screen stays the same for a while, but for digits: clocks go on."""
        before = re.sub(r"\d", "0", self.shown("-e"))
        time.sleep(0.5)
        return before == re.sub(r"\d", "0", self.shown("-e"))

    def do_picture(self, name):
        self.until(self.is_still, "kept still")
        self.do_glimpse(name)

    def do_glimpse(self, name):
        width, height = self.size
        file = self.pictures / f"{name}_{width}x{height}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["rsvg-convert", "-o", file], input=picture(self.shown("-e", "-N"), width, height), text=True,
                       check=True)


def main():
    kforge, source, pictures, *walks = sys.argv[1:]
    for path in map(pathlib.Path, walks):
        sizes = re.search("^sizes (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)[1].split()
        for size in sizes:
            with tempfile.TemporaryDirectory(prefix="kforge-walk-", ignore_cleanup_errors=True) as home:
                Player(kforge, source, pictures, home).play(path, size)


if __name__ == "__main__":
    main()
