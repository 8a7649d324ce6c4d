"""Format the rows of files of KernelBench (sessions.py, exported.py) as Markdown tables."""
import collections
import math
import re

import files

NAME = 48  # characters of a file's name


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


def _name(r):
    name = f"{r['level'].removeprefix('level')}_{r['file'].removesuffix('.py')}"
    return name if len(name) <= NAME else name[:NAME - 3] + "..."


def _tried(r):
    outcomes = collections.Counter(attempt["outcome"] for attempt in r.get("attempts", []))
    return ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()) or "no verdict"


def row(r):
    """Return the cells of a row of the table."""
    seconds = f"{r.get('to_verdict') or r['seconds']:.1f}"
    if not files.is_right(r):
        return [_name(r), r["tolerance"], "-", "-", "-", "-", _tried(r) + (", cut" if files.was_cut(r) else ""), seconds]
    return [_name(r), r["tolerance"], _time(r), _bound(r), _over(r["full"]), _over(r["matched"]), _tried(r), seconds]


def _mean(found):
    return f"{_interval(found['mean'], found['ci95'])} ({found['count']})" if found else "-"


def _seconds(found):
    return ", ".join(f"{second:.1f}" for second in found["seconds"]) if found["seconds"] else "-"


def _summary(aligned, found, all_baselines):
    heads = ["level", "class", "files", "judged", "right", "at once", "seconds", "over f32 baselines", "least",
             *(["over all baselines"] if all_baselines else []), *[f"fast_{p}" for p in files.FAST_P]]
    rows = [[s["level"].removeprefix("level"), s["tolerance"], str(s["files"]), str(s["judged"]), str(s["right"]),
             str(s["first"]), _seconds(s), _mean(s["full"]["mean"]),
             f"{s['full']['least']:.2f}x" if s["full"]["least"] else "-",
             *([_mean(s["matched"]["mean"])] if all_baselines else []),
             *[f"{100 * s['full']['fast_p'][str(p)]:.0f} %" for p in files.FAST_P]] for s in found]
    return ["Judged are files with a verdict before the limit of a session; at once, those whose first candidate is right; "
            "seconds,", "those from the start of kforge to the first correct verdict: median, 90 %, longest. Geometric means "
            "have intervals by the", "bootstrap; fast_p is the share of these files that are right and at least p times as "
            "fast as the faster baseline in f32.", "", *aligned(heads, rows)]


def _slow(rows, aligned):
    slow = sorted((r for r in rows if (r.get("full") or {"speedup": 1})["speedup"] < 1), key=lambda r: r["full"]["speedup"])
    if not slow:
        return []
    shortened = lambda text: text if len(text) <= 90 else text[:87] + "..."
    return ["", f"Files under 1.0x over the faster baseline in f32 ({len(slow)}):", "",
            *aligned(["file", "class", "over it", "of its bound", "kernels"],
                     [[*row(r)[:2], _over(r["full"]), _bound(r), shortened(r.get("kernels") or "-")] for r in slow])]


def _why(r):
    """Return in a line why a file has no correct kernel."""
    last = (r.get("attempts") or [{}])[-1]
    words = r.get("said") or r.get("error") or r.get("why") or ""
    said = [r.get("late"), _tried(r) if r.get("attempts") else None, last.get("detail"), re.sub(r"^kforge: \S*/", "", words)]
    lines = [text.splitlines()[-1][:160] for text in said if text]
    return "; ".join(dict.fromkeys(lines)) or "no verdict"


def _missing(rows, aligned):
    missing = [r for r in rows if not files.is_right(r)]
    if not missing:
        return []
    return ["", f"Files without a correct kernel ({len(missing)}):", "",
            *aligned(["file", "class", "why"], [[*row(r)[:2], _why(r).replace("|", "/")] for r in missing])]


def _parts(rows):
    parts = collections.defaultdict(list)
    for r in rows:
        parts[r.get("device") or "unknown", str(r.get("jobs", 1)), (r.get("date") or "no date")[:13]].append(r.get("date") or "no date")
    return [f"- {device}, {jobs} sessions at a time on a device, {min(dates)} to {max(dates)}: {len(dates)} files"
            for (device, jobs, _), dates in sorted(parts.items(), key=lambda part: part[1])]


def _number(name):
    """Return the number that begins the names of KernelBench's files."""
    begin = name.split("_")[0]
    return int(begin) if begin.isdigit() else math.inf


def _ordered(rows):
    return sorted(rows, key=lambda r: (r["level"], _number(r["file"]), r["file"], r["tolerance"]))


def _has_all_baselines(rows):
    return any(r["full"] != r["matched"] for r in rows if files.is_right(r))


def summary(rows, aligned):
    """Return the lines about all files together; `aligned` formats a table."""
    ordered = _ordered(rows)
    return ["Sessions of the built-in agents on the files of KernelBench, measured in the parts that are listed last.", "",
            *_summary(aligned, files.summary(rows), _has_all_baselines(rows)), *_slow(ordered, aligned), *_missing(ordered, aligned),
            "", "Parts:", "", *_parts(rows)]


def each(rows, aligned):
    """Return the lines of the table with a row for each file that has a correct kernel."""
    heads = ["file", "class", "best kernel, us", "of its bound", "faster f32 baseline", "strongest baseline", "attempts", "seconds"]
    kept = [i for i, head in enumerate(heads) if _has_all_baselines(rows) or head != "strongest baseline"]
    return aligned([heads[i] for i in kept], [[row(r)[i] for i in kept] for r in _ordered(rows) if files.is_right(r)])


def table(rows, aligned):
    """Return the lines of all tables."""
    return [*summary(rows, aligned), "", *each(rows, aligned)]
