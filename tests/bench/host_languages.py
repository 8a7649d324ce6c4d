"""Time the built-in agents in C on host:0 beside their OpenCL on another device of the same cores.

usage: host_languages.py [--device ID] [--optimize N] [--timing SECONDS] [--repeats N] [PROBLEM...]

A line for each problem (by default all that ship): the best time of a session in each language, C's ratio over OpenCL, and
at the end the geometric mean of these ratios. Where the host library is the strongest baseline of both, the ratio is that
of the speedups over it, which are paired and so withstand a busy machine better; else it is that of the times.
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


def best(problem, device, options):
    """The best correct kernel of one session: microseconds, and the ratio over the host library if that is the strongest."""
    run = subprocess.run([KFORGE, "run", problem, "--headless", "--json", "--device", device, "--functional", "1",
                          "--optimize", str(options.optimize), "--timing-limit", str(options.timing)],
                         capture_output=True, text=True, check=False)
    found = []
    for line in run.stdout.splitlines():
        event = json.loads(line)
        if event.get("type") == "evaluation.finished" and event.get("outcome") == "correct" and "median_us" in event:
            found.append((event["median_us"], event.get("speedup", 0) if event.get("over") == "library" else 0))
    return (min((us for us, _ in found), default=None), max((over for _, over in found), default=0))


def compare(problem, options):
    """Print the line of a problem; return C's ratio over the other device, or None."""
    pairs = [(best(problem, options.device, options), best(problem, "host:0", options)) for _ in range(options.repeats)]
    other = min((a[0] for a, _ in pairs if a[0]), default=None)
    own = min((b[0] for _, b in pairs if b[0]), default=None)
    name = os.path.basename(problem).removesuffix(".json")
    if not other or not own:
        print(f"{name:24} {options.device} {other} us, host:0 {own} us: no ratio", flush=True)
        return None
    over = max(a[1] for a, _ in pairs), max(b[1] for _, b in pairs)
    ratio = over[1] / over[0] if min(over) > 0 else other / own
    print(f"{name:24} {options.device} {other:10.1f} us   host:0 {own:10.1f} us   {ratio:6.2f}x"
          f"{f'   over the host library {over[0]:.2f}x and {over[1]:.2f}x' if min(over) > 0 else '   by times'}", flush=True)
    return ratio


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="opencl:0")
    parser.add_argument("--optimize", type=int, default=6)
    parser.add_argument("--timing", type=float, default=1.5, help="seconds of timing for each kernel")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("problems", nargs="*")
    options = parser.parse_args()
    problems = options.problems or sorted(glob.glob(os.path.join(ROOT, "prompts/problems/*.json")))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        ratios = [ratio for ratio in (compare(problem, options) for problem in problems) if ratio]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"C over OpenCL, geometric mean of {len(ratios)} problems: {mean:.3f}x")
    return 0 if ratios else 1


if __name__ == "__main__":
    sys.exit(main())
