"""Make a suite that is under way, for the screens: make_suite.py SOURCE DATA -- COMMAND...

Its sessions are those that ship, cut at some event, under other names and with other times. The journals that would be in
use are locked while COMMAND runs, as kforge locks them (core/session/store/journal.c).
"""
import fcntl
import json
import os
import shutil
import struct
import subprocess
import sys

SUITE, ENDED = "0501-220100-5eed", "0430-180000-01d0"
PROBLEMS = ("add_rmsnorm", "attention", "layernorm", "linear_gelu", "matmul_square", "saxpy", "softmax", "transpose")
BUILTIN, WRITTEN = "linear_gelu_builtin", "softmax_written"
GUIDED = {"prompt": "auto", "candidate": "auto", "keep": "ask", "recommendation": "ask"}
MANUAL = dict.fromkeys(GUIDED, "ask")
CLOSED = {"type": "session.closed", "cause": "functional", "reason": "2 attempts were not correct"}
# For each task: its end ("asks", "runs", a result, or a reason of a failure; None: it waits), its recording, the number of
# events (None: all), and the factors of times, speedups and shares of the bound.
TASKS = (("improved", BUILTIN, None, (0.061, 0.0311, 3.1)), ("improved", WRITTEN, None, (0.35, 0.119, 1.5)),
         ("asks", BUILTIN, 33, (0.4, 0.024, 2.5)), ("asks", WRITTEN, 44, (0.5, 0.42, 2)),
         ("no_gain", BUILTIN, None, (0.04, 0.0139, 2.2)), ("openai: the key was refused: set OPENAI_API_KEY", None, 0, None),
         ("improved", BUILTIN, None, (1, 0.04, 1)), ("incorrect", WRITTEN, 20, (1, 1, 1)),
         ("runs", BUILTIN, 53, (0.21, 0.0189, 1.9)), ("asks", WRITTEN, 34, (0.21, 1.31, 4.762)),
         ("runs", BUILTIN, 26, (0.09, 0.0207, 4.2)), ("asks", WRITTEN, 13, (1, 1, 1)),
         (None, None, 0, None), ("runs", WRITTEN, 18, (1, 1, 1)), (None, None, 0, None), (None, None, 0, None))


def stamp(minute):
    """Return a time long ago, so that what runs has taken longer than the others."""
    return f"2024-05-01T{22 + minute // 60:02d}:{minute % 60:02d}:00.000Z"


def write_events(path, events):
    with open(path, "w", encoding="utf-8") as file:
        for seq, event in enumerate(events, 1):
            rest = {key: value for key, value in event.items() if key not in ("seq", "at")}
            file.write(json.dumps({"seq": seq, "at": event.get("at", stamp(59)), **rest}) + "\n")


def scaled(event, factors, baseline):
    """Return an evaluation's event with other times, over a baseline with an interval."""
    times, speedups, shares = factors
    event = dict(event)
    for key in ("median_us", "low_us", "high_us"):
        if key in event:
            event[key] *= times
    if "speedup" in event:
        event["over"] = baseline
        event["speedup"] *= speedups
        event["speedup_low"], event["speedup_high"] = event["speedup"] * 0.94, event["speedup"] * 1.05
    if "bound_fraction" in event:
        event["bound_fraction"] = min(event["bound_fraction"] * shares, 0.97)
    return event


def session(source, data, number, task, is_written):
    """Write the session of a task; return its id."""
    end, recording, count, factors = task
    name = f"0501-22{number:02d}00-beef"
    folder = os.path.join(data, "kforge", "sessions", name)
    if not recording:
        return name
    os.makedirs(folder)
    with open(os.path.join(source, "prompts", "sessions", recording, "events.jsonl"), encoding="utf-8") as file:
        events = [json.loads(line) for line in file][:count]
    events[0].update(session=name, problem=PROBLEMS[(number - 1) // 2 % len(PROBLEMS)],
                     agent="openai:gpt-5" if is_written else "builtin",
                     repository=os.path.join(data, "kforge", "repository"),
                     policy=MANUAL if count == 13 else GUIDED)
    for event in events:
        if event["type"] == "problem.loaded":
            event["name"] = events[0]["problem"]
        if event["type"] == "model.reply" and is_written:
            event.update(prompt_tokens=6200, reply_tokens=1900, cost_usd=0.0268)
    events = [scaled(event, factors, "library") if event["type"] == "evaluation.finished" else event for event in events]
    if end == "incorrect":
        events.append({**CLOSED, "at": events[-1]["at"]})
    write_events(os.path.join(folder, "events.jsonl"), events)
    return name


def suite(source, data, name, title, problems, arms, tasks, first):
    """Write a suite; return the journals of what runs."""
    folder = os.path.join(data, "kforge", "suites", name)
    os.makedirs(os.path.join(folder, "problems"))
    for problem in problems:
        shutil.copy(os.path.join(source, "prompts", "problems", problem + ".json"), os.path.join(folder, "problems"))
    with open(os.path.join(folder, "suite.json"), "w", encoding="utf-8") as file:
        json.dump({"kforge": 1, "name": title, "problems": [f"problems/{p}.json" for p in problems], "arms": arms}, file)
    events = [{"type": "suite.opened", "suite": name, "name": title, "tasks": len(tasks), "kforge": 1, "at": stamp(0)}]
    running = [os.path.join(folder, "events.jsonl")]
    for number, task in enumerate(tasks, 1):
        if not task[0]:
            continue
        is_written = len(arms) > 1 and number % 2 == 0
        named = {"task": number, "session": session(source, data, first + number, task, is_written)}
        events.append({"type": "task.started", **named, "problem": problems[(number - 1) // len(arms)],
                       "arm": arms[(number - 1) % len(arms)]["name"], "repeat": 1, "at": stamp(number)})
        if task[0] == "runs":
            running.append(os.path.join(data, "kforge", "sessions", named["session"], "events.jsonl"))
        elif " " in task[0]:
            events.append({"type": "task.failed", **named, "reason": task[0], "at": stamp(number + 1)})
        elif task[0] != "asks":
            events.append({"type": "task.ended", **named, "result": task[0], "at": stamp(number + (42 if is_written else 14))})
    write_events(running[0], events)
    return running


def make(source, data):
    shutil.rmtree(data, ignore_errors=True)
    repository = os.path.join(data, "kforge", "repository")
    subprocess.run(["git", "init", "--quiet", "--bare", repository], check=True)
    texts = [os.path.join(folder, name) for recording in (BUILTIN, WRITTEN)
             for folder, _, names in os.walk(os.path.join(source, "prompts", "sessions", recording, "texts")) for name in names]
    subprocess.run(["git", "--git-dir", repository, "hash-object", "-w", "--no-filters", "--stdin-paths"],
                   input="\n".join(texts), text=True, check=True, stdout=subprocess.DEVNULL)
    suite(source, data, ENDED, "first-try", ["softmax"], [{"name": "builtin"}], [TASKS[0]], 40)
    return suite(source, data, SUITE, "night", PROBLEMS,
                 [{"name": "builtin", "policy": "guided"},
                  {"name": "gpt", "agent": "openai:gpt-5", "policy": "guided"}], TASKS, 0)


def lock(path):
    """Lock a journal as its writer does; return the file."""
    file = open(path, "r+b")
    fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, os.getpid(), 0))
    return file


def main():
    source, data, _, *command = sys.argv[1:]
    files = [lock(path) for path in make(source, data)]
    code = subprocess.run(command, check=False).returncode
    for file in files:
        file.close()
    return code


if __name__ == "__main__":
    sys.exit(main())
