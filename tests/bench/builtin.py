"""Measure the built-in agents: run a session on each problem, and judge its best kernel once more."""
import glob
import json
import math
import os
import statistics

from measure import KFORGE, ROOT

CANDIDATES = os.path.join(ROOT, "tests", "candidates")
ROUNDS, QUICK_ROUNDS = 12, 2


def session(place, problem, rounds, *options):
    """Return the events of a session with `rounds` rounds of optimization.

    There is no seed: the built-in agents are deterministic.
    """
    out = place.run(KFORGE, "run", problem, "--headless", "--json", "--policy", "auto", "--optimize", str(rounds),
                    *options, check=False)
    return [json.loads(line) for line in out.splitlines()]


def of_best(events, kind):
    """Return the event of type `kind` of the best attempt, which is the last one that was kept."""
    kept = [event["attempt"] for event in events if event["type"] == "candidate.kept"]
    if not kept:
        raise RuntimeError("no kernel was kept")
    return next(event for event in events if event["type"] == kind and event["attempt"] == kept[-1])


def _promises(events):
    """Return the promised and the measured gain of each recommendation that led to a timed evaluation."""
    found, promised, best_us = [], None, None
    for event in events:
        if event["type"] == "step.proposed" and event["kind"] == "recommendation":
            promised = event.get("gain")
        elif event["type"] == "evaluation.finished" and event.get("median_us"):
            if promised and best_us:
                found.append({"promised": promised, "gained": best_us / event["median_us"]})
            best_us, promised = min(best_us or math.inf, event["median_us"]), None
    return found


def _judged(place, problem, reply):
    """Judge one reply, and return its time, its speedups and its fraction of the bound."""
    path = place.path("reply.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write(reply)
    verdict = json.loads(place.run(KFORGE, "eval", "--json", problem, path, check=False))
    if verdict["outcome"] != "correct":
        raise RuntimeError(f"{verdict['outcome']}: {verdict.get('detail')}")
    return {"us": verdict["timing"]["median_us"], "ci95_us": verdict["timing"]["ci95_us"],
            **{baseline["name"]: baseline["speedup"] for baseline in verdict["against"]},
            "bound": verdict["bound"]["fraction"], "limiter": verdict["bound"]["limiter"]}


def _measure_problem(place, path, rounds):
    name = os.path.basename(path)[:-5]
    with open(path, encoding="utf-8") as file:
        nodes = len(json.load(file)["graph"])
    try:
        events = session(place, path, rounds)
        best = _judged(place, path, place.text(of_best(events, "evaluation.started")["candidate"]))
        with open(os.path.join(CANDIDATES, name + ".md"), encoding="utf-8") as file:
            hand = _judged(place, path, file.read())
    except (RuntimeError, OSError, ValueError) as error:
        return {"problem": name, "error": str(error)}
    promises = _promises(events)
    return {"problem": name, "is_fusable": nodes > 1, "best": best, "by_hand": hand,
            "over_by_hand": hand["us"] / best["us"], "promises": promises,
            "attempts": sum(event["type"] == "evaluation.finished" for event in events)}


def measure(place, quick, say):
    """Measure all shipped problems, and call `say` with each result."""
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "prompts", "problems", "*.json"))):
        found.append(_measure_problem(place, path, QUICK_ROUNDS if quick else ROUNDS))
        say(found[-1])
    return found


def _mean(values):
    values = [value for value in values if value]
    return statistics.geometric_mean(values) if values else None


def means(sessions):
    """Return geometric means over all problems, and over the problems with several operations."""
    good = [session for session in sessions if "error" not in session]
    fusable = [session for session in good if session["is_fusable"]]
    return {name: {"reference": _mean(s["best"].get("reference") for s in some),
                   "library": _mean(s["best"].get("library") for s in some),
                   "by_hand": _mean(s["over_by_hand"] for s in some), "count": len(some)}
            for name, some in (("all", good), ("fusable", fusable))}
