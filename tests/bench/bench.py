"""./run bench: how fast judge, sessions and screen are, beside what cannot be beaten."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import builtin
import judge
import kernelbench
import report
import screen
import session
from measure import BUILD, ROOT, Place, machine

PARTS = ("judge", "session", "screen")


def _arguments():
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="this part; may come more than once")
    parser.add_argument("--builtin", action="store_true", help="only what the built-in agents reach on each problem")
    parser.add_argument("--kernelbench", metavar="CHECKOUT", help="only how many of the models in a checkout of KernelBench are read")
    parser.add_argument("--quick", action="store_true", help="fewer samples, to see that it works")
    parser.add_argument("--seconds", type=float, default=120, help="for the candidates of all problems (%(default)s)")
    parser.add_argument("--json", help="where the samples' statistics go (build/release/bench.json or builtin.json)")
    parser.add_argument("--update-readme", action="store_true", help="put the tables into README.md")
    options = parser.parse_args()
    if options.builtin and options.only:
        parser.error("--builtin goes alone: not with --only")
    if options.update_readme and (options.only or options.quick):
        parser.error("README.md shows a whole run: not with --only or --quick")
    return options


def _say(text):
    print(text, file=sys.stderr, flush=True)


def _measure_builtin(place, options):
    judge.measure_devices(place, quick=True)  # measures the roofs, which the bounds come from
    sessions = builtin.measure(place, options.quick, lambda s: _say("  ".join(report.session_row(s))))
    return {"kforge": 1, "machine": machine(place), "sessions": sessions, "means": builtin.means(sessions),
            "failures": [f"{s['problem']}: {s['error']}" for s in sessions if "error" in s]}


def _measure(place, options):
    parts = options.only or PARTS
    result = {"kforge": 1, "machine": None, "figures": [], "problems": [], "failures": []}
    devices = judge.measure_devices(place, options.quick)  # measures the roofs, which the machine shows
    result["machine"] = machine(place)
    if "judge" in parts:
        result["problems"] = judge.measure_problems(place, 0 if options.quick else options.seconds,
                                                    lambda p: _say("  ".join(report.problem_row(p))))
        result["figures"] += devices + judge.figures(result["problems"], judge.driver_bytes(place))
    if "session" in parts or "screen" in parts:
        _say(f"a session of {session.STEPS:,} steps")
        session.make_long(place, screen.AGENT)
    if "screen" in parts:
        try:
            result["figures"] += screen.measure(place, options.quick)
        except RuntimeError as error:
            result["failures"].append(f"screen: {error}")
    if "session" in parts:
        _say(f"{session.CANDIDATES:,} candidates")
        result["figures"] += session.measure(place, options.quick)
    return result


def _read_kernelbench(options):
    models = kernelbench.measure(options.kernelbench)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"kforge": 1, "models": models}, file, indent=1)
    print(kernelbench.report(models))


def main():
    options = _arguments()
    if options.kernelbench:
        _read_kernelbench(options)
        return
    subprocess.run(["ninja", "--quiet", "-C", BUILD, "bench_session", "bench_floor"], check=True, stdout=sys.stderr)
    folder = tempfile.mkdtemp(prefix="bench-", dir=BUILD)
    kind, measure = ("builtin", _measure_builtin) if options.builtin else ("bench", _measure)
    try:
        result = measure(Place(folder), options)
    finally:
        shutil.rmtree(folder)
    text = report.write(kind, result)
    print(text)
    with open(options.json or os.path.join(BUILD, f"{kind}.json"), "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
    if options.update_readme:
        report.update(os.path.join(ROOT, "README.md"), kind, text)
    for failure in result["failures"]:
        _say(failure)
    return bool(result["failures"]) or any("error" in problem for problem in result.get("problems", []))


if __name__ == "__main__":
    sys.exit(main())
