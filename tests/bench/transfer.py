"""Measure what a reference is worth: the built-in agents' best kernel in one language as the start in another.

usage: transfer.py [--optimize N] [--problems NAME,...] [--limit SECONDS] FROM/TO...

FROM and TO are devices: opencl:0/host:0 host:0/opencl:0. For each problem and
pair: a session on FROM, then one on TO without and one with FROM's best kernel as the reference. A device's session without
a reference is run once for each problem. A line gives the best time of both, and the attempts and the seconds until a
kernel was within 3 % of the better one. KFORGE_BIN is the folder of the programs (build/release/bin). --limit ends the
whole run; pairs that were not reached are said.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import datetime

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KFORGE = os.path.join(os.environ.get("KFORGE_BIN", os.path.join(ROOT, "build/release/bin")), "kforge")
CLOSE = 1.03


def seconds(event):
    """The moment of an event."""
    return datetime.fromisoformat(event["at"].replace("Z", "+00:00")).timestamp()


def run(problem, device, options, *more):
    """Run a session; return its id, what the first candidate's remark says, and (seconds, microseconds) of each attempt."""
    left = options.end - time.monotonic()
    if left < 3:
        return None
    command = [KFORGE, "run", problem, "--headless", "--json", "--device", device, "--functional", "2", "--optimize",
               str(options.optimize), "--timing-limit", str(options.timing), *more]
    process = subprocess.run(["timeout", "-s", "INT", "-k", "5", str(int(left)), *command], capture_output=True, text=True,
                             check=False)
    events = [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]
    if not events:
        print(process.stderr.strip(), file=sys.stderr)
        return None
    begun = next((seconds(event) for event in events if event["type"] == "model.request"), 0)
    times = [(seconds(event) - begun, event.get("median_us") if event["outcome"] == "correct" else None)
             for event in events if event["type"] == "evaluation.finished"]
    title = next((event["title"] for event in events if event["type"] == "step.proposed" and event["kind"] == "candidate"),
                 "")
    return {"id": events[0]["session"], "title": title, "times": times}


def best(session):
    """The shortest time of a correct kernel, in microseconds."""
    return min((us for _, us in session["times"] if us), default=None)


def until(session, goal):
    """The attempt and the seconds after which a kernel was as fast as the goal; "-" if none was."""
    for i, (at, us) in enumerate(session["times"]):
        if us and us <= goal * CLOSE:
            return f"attempt {i + 1:2}, {at:5.1f} s"
    return f"none of {len(session['times']):2}      "


def alone_on(problem, device, options):
    """The session without a reference; None if it has no correct kernel."""
    if (problem, device) not in options.sessions:
        session = run(problem, device, options)
        options.sessions[problem, device] = session if session and best(session) else None
    return options.sessions[problem, device]


def compare(problem, pair, options):
    """Run the sessions of one pair that are missing, and print its line."""
    origin, target = pair.split("/")
    name = os.path.basename(problem).removesuffix(".json")
    first = alone_on(problem, origin, options)
    alone = alone_on(problem, target, options) if first else None
    led = run(problem, target, options, "--reference", first["id"]) if alone else None
    if not led or not best(led):
        print(f"{name:16} {origin} -> {target}: not reached, or no correct kernel", flush=True)
        return
    goal = min(best(alone), best(led))
    print(f"{name:16} {origin:9} -> {target:9} without {best(alone):8.1f} us, {until(alone, goal)}   "
          f"with {best(led):8.1f} us, {until(led, goal)}   first {alone['times'][0][1] or 0:.1f} and "
          f"{led['times'][0][1] or 0:.1f} us ({led['title']})", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--optimize", type=int, default=6)
    parser.add_argument("--problems", default="softmax,rmsnorm,linear_gelu,attention")
    parser.add_argument("--timing", type=float, default=0.5, help="seconds of timing for each kernel")
    parser.add_argument("--limit", type=float, default=3600)
    parser.add_argument("pairs", nargs="+")
    options = parser.parse_args()
    options.end, options.sessions = time.monotonic() + options.limit, {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        for name in options.problems.split(","):
            for pair in options.pairs:
                compare(os.path.join(ROOT, "prompts/problems", name + ".json"), pair, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
