"""The files of a checkout of KernelBench: which are to be measured, and the figures of the rows that were."""
import glob
import json
import os
import random
import re

import pytorch

LEVELS, TOLERANCES = ("level1", "level2", "level3"), ("f32", "mixed")
FAST_P = (0.5, 1, 1.5, 2, 5, 10)
KEY = ("level", "file", "tolerance")


def key(row):
    return tuple(row.get(name) for name in KEY)


def name(row):
    """Return the short name of a row's file, such as 2_17."""
    return f"{row['level'].removeprefix('level')}_{row['file'].split('_')[0]}"


def is_right(row):
    """Return whether the row has a correct kernel with a time."""
    return "us" in row


def was_cut(row):
    """Return whether a session ended at its limit; what it has by then is no verdict on the file."""
    return bool(row.get("late") or row.get("interrupted"))


def is_judged(row):
    """Return whether the row need not be measured again: it has a correct kernel, or none of its candidates is one."""
    return is_right(row) or bool(row.get("attempts") and not was_cut(row))


def find(options):
    """Return the files to measure as rows without results, in an order of which each beginning is a sample."""
    rows = [{"level": level, "file": os.path.basename(path), "tolerance": tolerance}
            for tolerance in options.tolerance or TOLERANCES for level in LEVELS
            for path in glob.glob(os.path.join(options.files, level, "*.py"))
            if re.search(options.match or "", f"{level}/{os.path.basename(path)}")]
    random.Random(1).shuffle(rows)
    done = {key(row) for path in options.done or () for row in load(path) if is_judged(row)}
    return [row for row in rows if key(row) not in done]


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file).get("files", [])


def merge(before, rows):
    """Merge rows by file: the last one wins, but none without a time over one that has one."""
    kept = {key(row): row for row in before}
    for row in rows:
        if is_right(row) or not is_right(kept.get(key(row), {})):
            kept[key(row)] = row
    return list(kept.values())


def fast_p(speedups, count):
    """Return the share of `count` files that are right and at least p times as fast, for each p."""
    return {str(p): sum(speedup >= p for speedup in speedups) / count for p in FAST_P} if count else {}


def _seconds(rows):
    """Return median, 90 % and longest time until the first correct verdict, or None if no row has one."""
    times = sorted(row["to_verdict"] for row in rows if row.get("to_verdict"))
    return [times[len(times) // 2], times[int(0.9 * (len(times) - 1))], times[-1]] if times else None


def summary(rows):
    """Return the figures of the rows of each level and class of tolerance."""
    found = []
    for level in LEVELS:
        for tolerance in TOLERANCES:
            some = [row for row in rows if (row["level"], row["tolerance"]) == (level, tolerance)]
            right = [row for row in some if is_right(row)]
            over = {of: [row[of]["speedup"] for row in right if row.get(of)] for of in ("full", "matched")}
            if some:
                found.append({"level": level, "tolerance": tolerance, "files": len(some), "right": len(right),
                              "judged": sum(map(is_judged, some)),
                              "first": sum(len(row.get("attempts", ())) == 1 for row in right), "seconds": _seconds(right),
                              **{of: {"mean": pytorch.geometric_mean(values), "fast_p": fast_p(values, len(some)),
                                      "least": min(values, default=None)} for of, values in over.items()}})
    return found
