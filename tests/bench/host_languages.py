"""Time the built-in agents in C on host:0 beside their OpenCL on another device of the same cores.

usage: host_languages.py [--device ID] [--optimize N] [--repeats N] [PROBLEM...]

A line for each problem (by default all that ship): the best time of a session in each language, OpenCL's over C's, and
at the end the geometric mean of these ratios. The sessions take turns, so that a busy machine disturbs both.
KFORGE_BIN is the folder of the programs (build/release/bin).
"""
import argparse
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KFORGE = os.path.join(os.environ.get("KFORGE_BIN", os.path.join(ROOT, "build/release/bin")), "kforge")


def best_us(problem, device, optimize):
    """The median of the best correct kernel of one session, in microseconds; None if there is none."""
    run = subprocess.run([KFORGE, "run", problem, "--headless", "--json", "--device", device, "--functional", "1",
                          "--optimize", str(optimize)], capture_output=True, text=True, check=False)
    times = []
    for line in run.stdout.splitlines():
        event = json.loads(line)
        if event.get("type") == "evaluation.finished" and event.get("outcome") == "correct" and "median_us" in event:
            times.append(event["median_us"])
    return min(times, default=None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="opencl:0")
    parser.add_argument("--optimize", type=int, default=6)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("problems", nargs="*")
    options = parser.parse_args()
    problems = options.problems or sorted(glob.glob(os.path.join(ROOT, "prompts/problems/*.json")))
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        for problem in problems:
            pairs = [(best_us(problem, options.device, options.optimize), best_us(problem, "host:0", options.optimize))
                     for _ in range(options.repeats)]
            other = min((a for a, _ in pairs if a), default=None)
            own = min((b for _, b in pairs if b), default=None)
            name = os.path.basename(problem).removesuffix(".json")
            if not other or not own:
                print(f"{name:24} {options.device} {other} us, host:0 {own} us: no ratio", flush=True)
                continue
            ratios.append(other / own)
            print(f"{name:24} {options.device} {other:10.1f} us   host:0 {own:10.1f} us   {other / own:6.2f}x", flush=True)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"C over OpenCL, geometric mean of {len(ratios)} problems: {mean:.3f}x")
    return 0 if ratios else 1


if __name__ == "__main__":
    sys.exit(main())
