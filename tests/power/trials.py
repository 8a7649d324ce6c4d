"""Which trials refuse mutants, and which of them alone.

A verdict lists its trials in the order in which they were made: the drawn sizes from the last to the first, the further
sizes of the problem, and the main size.  The first trial of each size has number 0 and no variation.
"""
import collections

import report

REMAINDERS, MOST_REMAINDERS = "each remainder by sixteen", 16
DRAWN = ("a dimension of 1", "one above multiples", "multiples", "above the main size")
MAIN = "main size"
WITHOUT_VALUES = ("crashed", "out_of_bounds", "nondeterministic")


def _sizes(document, count):
    """Return the names of the sizes in the order in which they are tried; `count` of them were."""
    known = [*["further sizes"] * len(document.get("also", ())), MAIN]
    if not document.get("dynamic"):
        return known
    known = [*DRAWN, *known]
    # Where dimensions have few values there are fewer remainders; where a trial was wrong, the others were not made.
    more = count - len(known) if count > len(known) else MOST_REMAINDERS
    return [*[REMAINDERS] * more, *known]


def _variation(document, dims):
    """Return the name at the end of a text such as "M=5 N=7, ties"; "" if there is none."""
    return dims.rpartition(", ")[2] if ", " in dims or not document.get("dims") else ""


def by_kind(document, trials):
    """Return {kind of trial: whether an output was wrong there}: the size, or the variation of the data."""
    begins = [trial["output"] == trials[0]["output"] and trial["seed_id"] == 0 for trial in trials]
    found, names, size = {}, _sizes(document, sum(begins)), -1
    for trial, begins_size in zip(trials, begins):
        size += begins_size
        kind = _variation(document, trial["dims"]) or names[size]
        if kind == MAIN and trial["seed_id"]:
            kind = "main size, other seeds"
        found[kind] = found.get(kind, False) or trial["mismatched"] > 0
    return found


def table(results):
    """Return a table in Markdown: how many mutants each kind of trial refuses, and how many it refuses alone."""
    tried, refused, alone = collections.Counter(), collections.Counter(), collections.Counter()
    for result in results:
        if result.get("degenerate") or result.get("outcome") in (*report.INVALID, *WITHOUT_VALUES):
            continue
        wrong = [kind for kind, is_wrong in result.get("trials", {}).items() if is_wrong]
        tried.update(list(result.get("trials", {})))
        refused.update(wrong)
        alone.update(wrong if len(wrong) == 1 else ())
    rows = [("trial", "mutants", "refused", "refused by it alone"), ("---",) * 4]
    rows += [(kind, count, refused[kind], alone[kind]) for kind, count in tried.most_common()]
    return "".join("| " + " | ".join(map(str, row)) + " |\n" for row in rows)
