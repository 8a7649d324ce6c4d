"""./run bench: measure the speed of the judge, the sessions and the screen, and compare it with lower limits."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import builtin
import files
import gpu
import judge
import report
import screen
import session
from files import reading
from measure import BUILD, ROOT, Place, machine

PARTS = ("judge", "session", "screen")


def _arguments():
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__)
    parser.add_argument("--only", choices=(*PARTS, *gpu.PARTS), action="append",
                        help="measure this part only (may be repeated); the last four need --gpu or --merge")
    parser.add_argument("--builtin", action="store_true",
                        help="measure only the kernels that the built-in agents reach on each problem")
    parser.add_argument("--gpu", action="store_true",
                        help="measure only a GPU: the time to judge, and the kernels that the built-in agents reach")
    parser.add_argument("--device", default="cuda:0", help="the device for --gpu (%(default)s); with --only files several, "
                        "such as cuda:0,cuda:1")
    parser.add_argument("--rounds", type=int, default=4,
                        help="optimization rounds for each model, with --gpu (%(default)s)")
    parser.add_argument("--model", action="append", help="a model of tests/bench/models, with --gpu (may be repeated)")
    parser.add_argument("--small", action="store_true",
                        help="smaller models with --gpu, to check that the benchmark works")
    parser.add_argument("--files", metavar="FOLDER", help="with --gpu, measure sessions on the PyTorch files of its folders "
                        "level1, level2 and level3, such as those of KernelBench")
    parser.add_argument("--match", metavar="PATTERN", help="of --files, only those with a name such as this (level2/1_)")
    parser.add_argument("--tolerance", choices=files.TOLERANCES, action="append",
                        help="the class of tolerance for --files (both, may be repeated)")
    parser.add_argument("--jobs", type=int, default=1, help="sessions at a time on each device, with --files "
                        "(%(default)s)")
    parser.add_argument("--each", type=float, default=120, help="time limit of a session on --files "
                        "from its first evaluation on (%(default)s)")
    parser.add_argument("--baselines", help="for --files, the baselines of PyTorch to time, such as eager,compile")
    parser.add_argument("--done", metavar="FILE", nargs="+", help="leave out the files of which these JSON results have "
                        "a verdict")
    parser.add_argument("--merge", metavar="FILE", nargs="+", help="measure nothing: merge these JSON results of --gpu, "
                        "or of its part files with --only files")
    parser.add_argument("--kernelbench", metavar="CHECKOUT", 
                        help="count only how many models in this checkout of KernelBench kforge can read")
    parser.add_argument("--quick", action="store_true", help="fewer samples, to check that the benchmark works")
    parser.add_argument("--seconds", type=float,
                        help="time limit for the candidates of all problems (120); with --gpu, for each part")
    parser.add_argument("--json", help="file for the statistics of the samples (build/release/bench.json, builtin.json, ...)")
    parser.add_argument("--update-benchmarks", action="store_true", help="replace the tables in BENCHMARKS.md")
    options = parser.parse_args()
    _check(parser, options)
    options.kind = ("kernelbench" if options.kernelbench else "files" if options.only == ["files"]
                    else "gpu" if options.gpu or options.merge else "builtin" if options.builtin else "bench")
    options.devices = options.device.split(",")
    options.device = options.devices[0]
    options.json = os.path.abspath(options.json or os.path.join(BUILD, f"{options.kind}.json"))
    return options


def _check(parser, options):
    parts = gpu.PARTS if options.gpu or options.merge else () if options.builtin else PARTS
    if not set(options.only or ()) <= set(parts):
        parser.error(f"--only accepts {', '.join(parts) or 'no part'} here")
    if "," in options.device and (options.only != ["files"] or not options.gpu):
        parser.error("--device takes several devices only with --gpu --only files")
    is_part = options.only and not (options.merge and options.only == ["files"])
    if options.update_benchmarks and (is_part or options.model or options.quick or options.small):
        parser.error("--update-benchmarks needs a whole run: leave out --only (but --only files --merge), --model, --quick "
                     "and --small")


def _say(text):
    print(text, file=sys.stderr, flush=True)


def _measure_builtin(place, options):
    judge.measure_devices(place, quick=True)  # also caches the roofs, from which kforge computes the bounds
    sessions = builtin.measure(place, options.quick, lambda s: _say("  ".join(report.session_row(s))))
    return {"kforge": 1, "machine": machine(place), "sessions": sessions, "means": builtin.means(sessions),
            "failures": [f"{s['problem']}: {s['error']}" for s in sessions if "error" in s]}


def _measure(place, options):
    parts = options.only or PARTS
    result = {"kforge": 1, "machine": None, "figures": [], "problems": [], "failures": []}
    devices = judge.measure_devices(place, options.quick)  # also caches the roofs, which machine() records
    result["machine"] = machine(place)
    if "judge" in parts:
        result["problems"] = judge.measure_problems(place, 0 if options.quick else options.seconds or 120,
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


def _measure_gpu(place, options):
    return gpu.measure(place, options, lambda part, row: _say("  ".join(report.GPU_ROWS[part](row))))


def _read_kernelbench(place, options):
    return {"kforge": 1, "machine": {**machine(place), "pytorch": gpu.pytorch_version()}, "failures": [],
            "models": reading.measure(place, os.path.abspath(options.kernelbench))}


MEASURES = {"bench": _measure, "builtin": _measure_builtin, "gpu": _measure_gpu, "files": _measure_gpu,
            "kernelbench": _read_kernelbench}
FROM_BINARIES = ("gpu", "files", "kernelbench")  # these also run where kforge cannot be built


def _run(options):
    """Measure in a temporary folder below the build folder."""
    if options.kind not in FROM_BINARIES:
        subprocess.run(["ninja", "--quiet", "-C", BUILD, "bench_session", "bench_floor"], check=True,
                       stdout=sys.stderr)
    os.makedirs(BUILD, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="bench-", dir=BUILD)
    try:
        return MEASURES[options.kind](Place(folder), options)
    finally:
        shutil.rmtree(folder)


def main():
    options = _arguments()
    result = gpu.merge(options.merge, options.only or gpu.PARTS) if options.merge else _run(options)
    text = report.write(options.kind, result)
    print(text)
    gpu.write(options.json, result)
    if options.update_benchmarks:
        report.update(os.path.join(ROOT, "BENCHMARKS.md"), options.kind, result)
    for failure in result["failures"]:
        _say(failure)
    return bool(result["failures"]) or any("error" in problem for problem in result.get("problems", []))


if __name__ == "__main__":
    sys.exit(main())
