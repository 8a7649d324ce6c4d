"""Format sessions on the files of KernelBench (files.py) as Markdown tables."""
import collections
import math

import files


def _interval(value, ends):
    return f"{value:.2f}x [{ends[0]:.2f}, {ends[1]:.2f}]"


def _over(baseline):
    if not baseline:
        return "-"
    ends = baseline.get("speedup_ci95") or baseline.get("ci95_speedup")
    return f"{baseline['name']} " + (_interval(baseline["speedup"], ends) if ends else f"{baseline['speedup']:.2f}x")


def _time(row):
    return f"{row['us']:.4g} [{row['ci95_us'][0]:.4g}, {row['ci95_us'][1]:.4g}]"


def _bound(row):
    return "-" if row["bound"] is None else f"{100 * row['bound']:.0f} % {row['limiter']}"


def row(r):
    """Return the cells of a row of the table."""
    name = f"{r['level'].removeprefix('level')}_{r['file'].removesuffix('.py')}"
    outcomes = collections.Counter(attempt["outcome"] for attempt in r.get("attempts", []))
    tried = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()) or "no verdict"
    if "us" not in r:
        return [name, r["tolerance"], "-", "-", "-", "-", tried + (", interrupted" if r.get("interrupted") else ""),
                f"{r['seconds']:.0f}"]
    return [name, r["tolerance"], _time(r), _bound(r), _over(r["full"]), _over(r["matched"]), tried, f"{r['seconds']:.0f}"]


def _mean(found):
    return f"{_interval(found['mean'], found['ci95'])} ({found['count']})" if found else "-"


def _summary(aligned, found):
    heads = ["level", "tolerance", "files", "right", "over f32 baselines", "over all baselines",
             *[f"fast_{p}" for p in files.FAST_P]]
    rows = [[s["level"], s["tolerance"], str(s["files"]), str(s["right"]), _mean(s["full"]["mean"]), _mean(s["matched"]["mean"]),
             *[f"{100 * s['full']['fast_p'][str(p)]:.0f} %" for p in files.FAST_P]] for s in found]
    return ["Geometric means with intervals by the bootstrap; fast_p is the share of these files that are right and at least "
            "p times as fast as the faster baseline in f32:", "", *aligned(heads, rows)]


def _slow(rows, aligned):
    slow = sorted((r for r in rows if (r.get("full") or {"speedup": 1})["speedup"] < 1), key=lambda r: r["full"]["speedup"])
    if not slow:
        return []
    return ["", "Files under 1.0x over the faster baseline in f32:", "",
            *aligned(["file", "tolerance", "over it", "of its bound", "kernels"],
                     [[*row(r)[:2], _over(r["full"]), _bound(r), r.get("kernels") or "-"] for r in slow])]


def _parts(rows):
    parts = collections.defaultdict(list)
    for r in rows:
        parts[r["device"], r["jobs"], r["date"][:13]].append(r["date"])
    return [f"- {device}, {jobs} sessions at a time, {min(dates)} to {max(dates)}: {len(dates)} files"
            for (device, jobs, _), dates in sorted(parts.items(), key=lambda part: part[1])]


def _number(name):
    """Return the number that begins the names of KernelBench's files."""
    begin = name.split("_")[0]
    return int(begin) if begin.isdigit() else math.inf


def table(rows, aligned):
    """Return the lines of all tables; `aligned` formats one."""
    ordered = sorted(rows, key=lambda r: (r["level"], _number(r["file"]), r["file"], r["tolerance"]))
    return ["Sessions of the built-in agents on the files of KernelBench, measured in these parts:", "", *_parts(rows), "",
            *_summary(aligned, files.summary(rows)), *_slow(ordered, aligned), "",
            *aligned(["file", "tolerance", "best kernel, us", "of its bound", "faster f32 baseline", "strongest baseline",
                      "attempts", "seconds"], [row(r) for r in ordered])]
