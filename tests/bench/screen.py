"""Measure the screen: first paint, keys, idling, a streaming reply and memory, with tig and htop to compare."""
import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time

import session
from measure import KFORGE, ROOT, figure, resident_mb, stat
from terminal import Terminal

HERE = os.path.dirname(os.path.abspath(__file__))
PROBLEM = os.path.join(ROOT, "prompts", "problems", "softmax.json")
AGENT = f"command:exec {sys.executable} {os.path.join(HERE, 'stream.py')}"
LIMIT_S = 5
START_S = 60  # the worker starts on demand, and may have to measure the device
# (name in the report, key of the pane, (key, text that is on the screen only after that key) twice): see maker.c.
JUMPS = [("kernel of 5,000 lines", b"3", ((b"G", b"ZXZXZXZX"), (b"g", b"QWQWQWQW"))),
         ("10,000 steps", b"1", ((b"G", b"HGHGHGHG"), (b"g", b"VYVYVYVY"))),
         ("trajectory of 10,000 steps", b"Tf", ((b"G", b"HGHGHGHG"), (b"g", b"VYVYVYVY"))),
         ("table of 10,000 steps", b"2", ((b"G", b"HGHGHGHG"), (b"g", b"VYVYVYVY")))]


def _ms(begun, at):
    return 1e3 * (at - begun)


def _first_paint(place, argv, cwd, runs):
    """Return the times from start to the end of the first frame, and the memory at that moment."""
    took, memory = [], []
    for _ in range(runs):
        terminal = Terminal(argv, place.env, cwd)
        _, at = terminal.frame(LIMIT_S)
        if at:
            took.append(_ms(terminal.begun, at))
        memory.append(resident_mb(terminal.pid))
        terminal.close()
    return took, memory


def _answers(terminal, keys, count):
    """Return the times from a key to the first output after it, in a program that is otherwise silent."""
    took = []
    for i in range(count):
        terminal.quiet(0.1, LIMIT_S)
        begun = time.perf_counter()
        terminal.send(keys[i % len(keys)])
        chunk, at = terminal.read(LIMIT_S)
        if chunk:
            took.append(_ms(begun, at))
    return took


def _echo(place, count):
    """Return the floor of a key press: the time of an echo by `cat` through a terminal."""
    terminal = Terminal(["sh", "-c", "stty raw -echo; echo ready; exec cat"], place.env, place.folder)
    terminal.until(b"ready", LIMIT_S)
    took = _answers(terminal, [b"x"], count)
    terminal.close()
    return stat(took)["median"]


def _others(place, quick, echo):
    """Measure tig (on kforge's own history) and htop in the same way; a line names a program that is not installed."""
    lines = []
    for name, argv in (("tig", ["tig"]), ("htop", ["htop"])):
        if not shutil.which(name):
            lines.append(figure("screen", f"{name}: not installed", "ms", []))
            continue
        took, memory = _first_paint(place, argv, ROOT, 3 if quick else 10)
        terminal = Terminal(argv, place.env, ROOT)
        terminal.frame(LIMIT_S)
        keys = _answers(terminal, [b"j", b"k"] if name == "tig" else [b"\x1bOB", b"\x1bOA"], 20 if quick else 50)
        terminal.close()
        lines += [figure("screen", f"{name}: first paint", "ms", took, None),
                  *(figure("screen", f"{name}: key to paint, idle: {of}", "ms", keys, None, echo, "an echo", of)
                    for of in ("median", "p99")),
                  figure("screen", f"{name}: resident memory", "MB", memory)]
    return lines


def _idle(terminal, wait_s):
    """Measure CPU time, wake-ups and output while nothing happens."""
    # Until the worker has started and has its expected outputs. Messages about these may change nothing on the screen.
    end = time.monotonic() + 60
    terminal.quiet(4, 60)
    cpu, wakes = terminal.cpu()
    while time.monotonic() < end:
        terminal.drain(4)
        earlier, (cpu, wakes) = wakes, terminal.cpu()
        if wakes == earlier:
            break
    written = terminal.drain(wait_s)
    cpu_after, wakes_after = terminal.cpu()
    return [figure("screen", f"idle: CPU over {wait_s} s", "%", [100 * (cpu_after - cpu) / wait_s], 0, 0, "nothing"),
            figure("screen", f"idle: wake-ups over {wait_s} s", "", [wakes_after - wakes], 0, 0, "nothing"),
            figure("screen", f"idle: bytes written over {wait_s} s", "B", [written], 0, 0, "nothing")]


def _streaming(terminal, wait_s):
    """Measure frames while a reply streams in.

    One read is one frame, because kforge writes a frame at once and at most 30 per second.
    """
    cpu, _ = terminal.cpu()
    begun, sizes, last = time.perf_counter(), [], 0
    while time.perf_counter() - begun < wait_s:
        chunk, at = terminal.read(0.5)
        if sizes and at - last < 0.005:
            sizes[-1] += len(chunk)
        elif chunk:
            sizes.append(len(chunk))
        last = at
    used = 100 * (terminal.cpu()[0] - cpu) / wait_s
    return [figure("screen", "streaming 100 tokens/s: bytes a frame", "B", sizes, None,
                   400 / (len(sizes) / wait_s) if sizes else None, "the new text alone"),
            figure("screen", "streaming 100 tokens/s: frames a second", "/s", [len(sizes) / wait_s]),
            figure("screen", "streaming 100 tokens/s, after 10,000: CPU", "%", [used], 5)]


def _jump(terminal, pane, ends, count):
    """Return the times from a key to the frame with the other end of the pane, and the number of lost keys.

    The keys come at random moments of a stream.
    """
    took, lost, moments = [], 0, random.Random(1)
    terminal.send(pane + ends[1][0])
    terminal.drain(0.3)
    for i in range(count):
        key, mark = ends[i % 2]
        terminal.drain(moments.uniform(0.03, 0.1))
        begun = time.perf_counter()
        terminal.send(key)
        at = terminal.until(mark, 1)
        if at:
            took.append(_ms(begun, at))
        else:
            lost += 1
    return took, lost


def _at_rest(place, quick, echo):
    """Measure the workbench on a long session that waits for a decision."""
    terminal = Terminal([KFORGE, "resume", session.LONG], place.env, place.folder)
    terminal.frame(LIMIT_S)
    lines = _idle(terminal, 3 if quick else 5)
    terminal.send(b"1")
    keys = _answers(terminal, [b"k", b"j"], 20 if quick else 50)
    terminal.close()
    return lines + [figure("screen", f"key to paint, idle: {of}", "ms", keys, 16 if of == "p99" else None, echo,
                           "an echo", of) for of in ("median", "p99")]


def _working(place, quick, echo):
    """Measure the workbench on a long session while a reply streams in."""
    terminal = Terminal([KFORGE, "resume", session.LONG], place.env, place.folder)
    terminal.frame(LIMIT_S)
    terminal.quiet(1.5, 20)
    terminal.send(b"a")  # accepts the pending prompt
    if not terminal.until(b"w96", START_S):
        raise RuntimeError(f"the screen showed no reply within {START_S} s")
    lines = _streaming(terminal, 3 if quick else 5)
    for name, pane, ends in JUMPS:
        took, lost = _jump(terminal, pane, ends, 40 if quick else 120)
        missing = f" ({lost} lost)" if lost else ""
        lines += [figure("screen", f"key to paint, {name}, streaming: {of}{missing}", "ms", took,
                         16 if of == "p99" else None, echo, "an echo", of) for of in ("median", "p99")]
    lines.append(figure("screen", "resident memory with that session", "MB", [resident_mb(terminal.pid)], 60))
    terminal.close()
    return lines


def _told_again(place, quick, echo):
    """Measure a replay of the long session.

    The keys are jumps on the time bar with a step back after each, and then steps with kernels of 5,000 lines.
    """
    terminal = Terminal([KFORGE, "replay", session.LONG], place.env, place.folder)
    terminal.frame(LIMIT_S)
    keys = _answers(terminal, [b"9", b"\x1bOD", b"4", b"\x1bOD", b"7", b"\x1bOD", b"0"], 28 if quick else 350)
    terminal.send(b":tenth 10\r")
    long = _answers(terminal, 6 * [b"\x1bOD"] + 6 * [b"\x1bOC"], 24 if quick else 120)
    memory = resident_mb(terminal.pid)
    terminal.close()
    return [*(figure("screen", f"key to paint, {what}: {of}", "ms", took, 16 if of == "p99" else None, echo, "an echo",
                     of)
              for what, took in (("replay of 10,000 steps", keys), ("replay of kernels of 5,000 lines", long))
              for of in ("median", "p99")),
            figure("screen", "resident memory with that replay", "MB", [memory], 60)]


@contextlib.contextmanager
def _suite(place, steps):
    """Make a suite of 50 sessions that run; yield its maker and its id (see bench_session.c)."""
    with subprocess.Popen([session.DRIVER, "suite", str(steps)], env=place.env, cwd=place.folder, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as maker:
        yield maker, json.loads(maker.stdout.readline())["suite"]


@contextlib.contextmanager
def _going_on(maker, per_s):
    """Let the sessions of a suite have that many actions a second, in tenths of a second."""
    end = threading.Event()

    def play():
        while not end.wait(0.1):
            maker.stdin.write(f"{per_s // 10}\n")
            maker.stdin.flush()

    thread = threading.Thread(target=play)
    thread.start()
    yield
    end.set()
    thread.join()


def _used(terminal, wait_s):
    """Return the CPU use while output is read, in %."""
    cpu, _ = terminal.cpu()
    terminal.drain(wait_s)
    return 100 * (terminal.cpu()[0] - cpu) / wait_s


def _suites(place, quick, echo):
    """Measure the table of a suite with 50 sessions, and the inbox with 50 decisions."""
    wait_s, count, per_s = (3, 40, 100) if quick else (5, 120, 100)
    with _suite(place, 60 if quick else 200) as (maker, name):
        terminal = Terminal([KFORGE, "suite", "open", name], place.env, place.folder)
        terminal.frame(LIMIT_S)
        lines = [{**line, "name": f"50 sessions, {line['name']}"} for line in _idle(terminal, wait_s)]
        with _going_on(maker, per_s):
            used = _used(terminal, wait_s)
            keys, lost = _jump(terminal, b"", ((b"G", b"ZXZXZXZX"), (b"g", b"QWQWQWQW")), count)
        lines += [figure("screen", f"50 sessions, {per_s} events/s: CPU", "%", [used], 10),
                  *(figure("screen", f"key to paint, 50 sessions, {per_s} events/s: {of}" + (f" ({lost} lost)" if lost else ""),
                           "ms", keys, 16 if of == "p99" else None, echo, "an echo", of) for of in ("median", "p99")),
                  figure("screen", "resident memory with those sessions", "MB", [resident_mb(terminal.pid)], 60)]
        maker.stdin.close()
        maker.wait()
        terminal.send(b"D")
        terminal.quiet(1.5, 20)
        keys = _answers(terminal, [b"J"], count)
        terminal.close()
    return lines + [figure("screen", f"key to paint, inbox of 50 decisions: {of}", "ms", keys, 16 if of == "p99" else None,
                           echo, "an echo", of) for of in ("median", "p99")]


def measure(place, quick):
    runs = 3 if quick else 10
    floor = stat(_first_paint(place, [KFORGE, "--version"], place.folder, runs)[0])["median"]
    echo = _echo(place, 20 if quick else 50)
    new, _ = _first_paint(place, [KFORGE, "run", PROBLEM, "--policy", "manual"], place.folder, runs)
    long, _ = _first_paint(place, [KFORGE, "resume", session.LONG], place.folder, runs)
    told, _ = _first_paint(place, [KFORGE, "replay", session.LONG], place.folder, runs)
    return [figure("screen", "first paint: a new session", "ms", new, 50, floor, "starting kforge alone"),
            figure("screen", "first paint: a session of 10,000 steps", "ms", long, 300, floor, "starting kforge alone"),
            figure("screen", "first paint: a replay of 10,000 steps", "ms", told, None, floor, "starting kforge alone"),
            *_at_rest(place, quick, echo), *_told_again(place, quick, echo), *_working(place, quick, echo),
            *_suites(place, quick, echo),
            *_others(place, quick, echo)]
