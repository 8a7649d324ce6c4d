#!/usr/bin/env python3
"""A session whose machine becomes slower in the middle looks like one on a steady machine.

Usage: slow_machine.py DEMO SOURCE_DIR

Copies a recorded session and makes every time that was measured from some attempt on longer by the same factor, in its
journal and in its verdicts, as a slower clock would; ratios of programs that were timed in turn stay. Then it saves the
same screens (workbench_demo) of the copy and of the recording, which must be equal.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

SESSION = "softmax_written"
SLOWER = 1.3
FROM = 4  # the first attempt on the slower machine; the third is the first correct one

KEYS = """resize 200x60
wait stopped 4x  step 0 of 15
:step 15
wait step 15 of 15
:screen last.txt
press T
wait trajectory
:screen trajectory.txt
press T
:step 11
wait step 11 of 15
:screen middle.txt
:step 7
press x
wait step 7 is marked
:step 15
press x
wait best so far
:screen compare.txt
"""


def slower_estimate(estimate):
    estimate["median_us"] *= SLOWER
    estimate["ci95_us"] = [us * SLOWER for us in estimate["ci95_us"]]


def slow_verdict(verdict):
    timing = verdict["timing"]
    slower_estimate(timing)
    for key in ("p10_us", "p90_us"):
        timing[key] *= SLOWER
    for kernel in timing["per_kernel"]:
        kernel["median_us"] *= SLOWER
    for other in verdict["against"]:
        slower_estimate(other)
    verdict["bound"]["fraction"] /= SLOWER
    for choice in verdict.get("tuning", {}).get("tried", []):
        choice["median_us"] *= SLOWER


def slow_event(event, texts):
    if event["type"] != "evaluation.finished" or event["attempt"] < FROM or "median_us" not in event:
        return 0
    for key in ("median_us", "low_us", "high_us"):
        event[key] *= SLOWER
    event["bound_fraction"] /= SLOWER
    path = os.path.join(texts, event["verdict"])
    with open(path, encoding="utf-8") as file:
        verdict = json.load(file)
    slow_verdict(verdict)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(verdict, file)
    return 1


def slow_down(recording):
    """Returns the number of evaluations that were made slower."""
    journal = os.path.join(recording, "events.jsonl")
    with open(journal, encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
    count = sum(slow_event(event, os.path.join(recording, "texts")) for event in events)
    with open(journal, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(event) + "\n" for event in events)
    return count


def save_screens(demo, source, folder, is_slow):
    """Saves the screens in `folder` and returns their texts by name."""
    prompts = os.path.join(folder, "root", "prompts")
    os.makedirs(os.path.join(prompts, "problems"))
    os.symlink(os.path.join(source, "themes"), os.path.join(folder, "root", "themes"))
    shutil.copytree(os.path.join(source, "prompts", "sessions", SESSION), os.path.join(prompts, "sessions", SESSION))
    if is_slow and slow_down(os.path.join(prompts, "sessions", SESSION)) < 2:
        sys.exit("slow_machine: the recording has too few evaluations to slow down")
    with open(os.path.join(folder, "replay.keys"), "w", encoding="utf-8") as file:
        file.write(KEYS)
    environment = {**os.environ, "KFORGE_ROOT": os.path.join(folder, "root"), "NO_COLOR": "", "LC_ALL": "C.UTF-8"}
    for name in ("DATA", "CONFIG", "STATE"):
        environment[f"XDG_{name}_HOME"] = os.path.join(folder, name.lower())
    subprocess.run([demo, "replay", "replay.keys"], cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    screens = {}
    for name in sorted(entry for entry in os.listdir(folder) if entry.endswith(".txt")):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            screens[name] = file.read()
    return screens


def main():
    demo, source = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as steady, tempfile.TemporaryDirectory() as slow:
        expected = save_screens(demo, source, steady, False)
        found = save_screens(demo, source, slow, True)
    if len(expected) != KEYS.count(":screen"):
        sys.exit(f"slow_machine: {len(expected)} screens were saved")
    failed = [name for name in expected if expected[name] != found.get(name)]
    for name in failed:
        for before, after in zip(expected[name].splitlines(), found[name].splitlines()):
            if before != after:
                print(f"{name}: {before.rstrip()}\n{name}: {after.rstrip()}")
    if failed:
        sys.exit("slow_machine: the screens of a slower machine differ: " + ", ".join(failed))


if __name__ == "__main__":
    main()
