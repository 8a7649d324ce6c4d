"""
Measure whether ratios to baselines depend on the load: evaluate candidates alone and beside busy loops.

    KFORGE_BIN=build/dev/bin python3 tests/bench/busy.py [--load 8] [--repeats 5] [PROBLEM=CANDIDATE ...]

    KFORGE_BIN=build/dev/bin python3 tests/bench/busy.py --corpus [--load 4] [PROBLEM]

Each pair is a problem (a name or a file) and a candidate's file.  A row says how many of the ratios have intervals that
contain the median ratio of the quiet machine, alone and under load, and how wide the intervals are.  With --corpus the
honest candidates and the attacks of tests/attack are judged beside the loops: how many honest ones are refused there?
"""
import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile

from measure import KFORGE, ROOT, Place

PAIRS = ("softmax", "gelu", "matmul_square", "linear_gelu", "layernorm")
LIMIT_S = 300


@contextlib.contextmanager
def _load(loops):
    started = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def _pair(text):
    problem, _, candidate = text.partition("=")
    return problem, candidate or os.path.join(ROOT, "tests", "candidates", f"{problem}.md")


def _evaluate(place, problem, candidate):
    run = subprocess.run([KFORGE, "eval", problem, candidate, "--json"], env=place.env, cwd=place.folder, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=LIMIT_S, check=False)
    return json.loads(run.stdout)


def _ratios(verdicts):
    """The speedups over each baseline, with their intervals, by the baseline's name."""
    found = {}
    for verdict in verdicts:
        for other in verdict.get("against", []):
            found.setdefault(other["name"], []).append((other["speedup"], *other["speedup_ci95"]))
    return found


def _median(ratios):
    return statistics.median(ratio for ratio, _, _ in ratios)


def _width(ratios):
    """The median half-width of the intervals in per cent of the ratio."""
    return statistics.median(50 * (high - low) / ratio for ratio, low, high in ratios)


def _within(truth, ratios):
    """How many of the ratios have intervals that contain the number, in words."""
    return f"{sum(low <= truth <= high for _, low, high in ratios):3} of {len(ratios)}"


def _row(problem, name, quiet, busy):
    truth = _median(quiet)
    return (f"{problem:20} {name:14} {truth:8.3g} +-{_width(quiet):3.0f} %{_within(truth, quiet)} "
            f"{_median(busy):8.3g} +-{_width(busy):3.0f} %{_within(truth, busy)}")


def _others(verdicts):
    return [f"{v['outcome']}: {v.get('detail', '')}" for v in verdicts if v["outcome"] != "correct"]


def _measure(place, options, problem, candidate):
    quiet = [_evaluate(place, problem, candidate) for _ in range(options.repeats)]
    with _load(options.load):
        busy = [_evaluate(place, problem, candidate) for _ in range(options.repeats)]
    alone, beside = _ratios(quiet), _ratios(busy)
    for name in alone:
        if name in beside:
            print(_row(os.path.basename(problem), name, alone[name], beside[name]), flush=True)
    for text in _others(quiet + busy):
        print(f"{os.path.basename(problem):20} {text}", flush=True)


def _judge_corpus(place, load, problems):
    """Judge the corpus and print the counts and each wrong verdict.  Return the exit status of the test."""
    folder = os.path.dirname(KFORGE)
    env = {**place.env, "KFORGE_WORKER": os.path.join(folder, "kforge-worker")}
    with _load(load):
        run = subprocess.run([os.path.join(folder, "test_attack"), "opencl", *problems], env=env, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print("".join(line for line in run.stdout.splitlines(True) if not line.startswith("[")), end="")
    return run.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--load", type=int, default=8, help="number of busy loops (%(default)s)")
    parser.add_argument("--repeats", type=int, default=5, help="evaluations of each kind (%(default)s)")
    parser.add_argument("--corpus", action="store_true", help="judge the candidates of tests/attack under load")
    parser.add_argument("pairs", nargs="*", help="PROBLEM or PROBLEM=CANDIDATE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        place.borrow_roofs()
        if options.corpus:
            return _judge_corpus(place, options.load, options.pairs[:1])
        print(f"{'problem':20} {'baseline':14} {'alone':>16} within {'load ' + str(options.load):>16} within")
        for pair in options.pairs or PAIRS:
            _measure(place, options, *map(os.path.expanduser, _pair(pair)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
