"""Run a session of the built-in agents on each problem, and list those that do not end with a correct kernel.

usage: right.py --bin FOLDER --json FILE [--device ID] [--optimize N] [--limit S] PROBLEM...

A PROBLEM is a file in JSON, as model_problems.py writes them, or in PyTorch's form. The JSON file gets for each
problem the outcome of every attempt, with the detail of the last one that failed; what it has already is not run
again. Roofs and compiled code rest in the user's cache; sessions go to a temporary folder.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _session(options, path, folder):
    """Run a session, and return its events, its exit code and what it said on standard error."""
    command = [os.path.join(options.bin, "kforge"), "run", path, "--headless", "--json", "--policy", "auto",
               "--device", options.device, "--optimize", str(options.optimize), "--timing-limit", "0.05",
               "--tune-choices", "4"]
    done = subprocess.run(command, env=dict(os.environ, KFORGE_ROOT=ROOT, XDG_DATA_HOME=folder), text=True,
                          capture_output=True, timeout=options.limit)
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode, done.stderr.strip()


def _row(options, path):
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        try:
            events, code, said = _session(options, path, folder)
        except subprocess.TimeoutExpired:
            return {"is_right": False, "why": f"more than {options.limit} s"}
    ended = [event for event in events if event["type"] == "evaluation.finished"]
    wrong = [event for event in ended if event["outcome"] not in ("correct", "suspect")]
    kept = any(event["type"] == "candidate.kept" for event in events)
    return {"is_right": kept, "code": code, "outcomes": collections.Counter(event["outcome"] for event in ended),
            "seconds": round(time.perf_counter() - began, 1),
            **({"why": said.splitlines()[-1][:600]} if said and not kept else {}),
            **({"wrong": [{key: event.get(key) for key in ("attempt", "outcome", "summary", "detail")}
                          for event in wrong]} if wrong else {})}


def _load(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _write(path, rows):
    """Write the file atomically, so that an interrupted run leaves what was found so far."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="+", metavar="PROBLEM")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--device", default="opencl:0")
    parser.add_argument("--optimize", type=int, default=2)
    parser.add_argument("--limit", type=float, default=300)
    options = parser.parse_args()
    rows = _load(options.json)
    for path in options.problems:
        name = os.path.splitext(os.path.basename(path))[0]
        if name in rows:
            continue
        rows[name] = _row(options, path)
        _write(options.json, rows)
        print(name, "right" if rows[name]["is_right"] else "NOT RIGHT", json.dumps(rows[name]), flush=True)
    wrong = [name for name, row in rows.items() if not row["is_right"]]
    print(f"{len(rows) - len(wrong)} of {len(rows)} end with a correct kernel")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
