"""The results as a table, with confidence intervals, and their place in a document."""
import collections
import math
import re


def _tail(successes, trials, share):
    """P(X >= successes) of a binomial distribution."""
    if share in (0, 1) or successes <= 0:
        return float(share == 1 or successes <= 0)

    def logarithm(k):
        ways = math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
        return ways + k * math.log(share) + (trials - k) * math.log1p(-share)
    return math.fsum(math.exp(logarithm(k)) for k in range(successes, trials + 1))


def _solve(function, wanted):
    """Return where an increasing function on [0, 1] has the value `wanted`."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < wanted else (low, middle)
    return low


def interval(successes, trials, error=0.05):
    """Return the exact interval of a share (Clopper and Pearson, Biometrika 26, 1934)."""
    low = _solve(lambda p: _tail(successes, trials, p), error / 2) if successes else 0.0
    high = _solve(lambda p: _tail(successes + 1, trials, p), 1 - error / 2) if successes < trials else 1.0
    return low, high


INVALID = ("bad_plan", "build_failed", "launch_failed")


def status(result, known):
    """Return "refused", "accepted", or why a mutant does not count."""
    if result["outcome"] in INVALID:
        return "invalid"
    if result["outcome"] != "correct":
        return "degenerate" if result.get("degenerate") else "refused"
    if result.get("degenerate"):
        return "degenerate"
    return "equivalent" if key(result) in known else "accepted"


def key(entry):
    return entry["problem"], entry["kind"], entry["mutant"]


def tally(results, known):
    """Return {kind: Counter of statuses}."""
    kinds = collections.defaultdict(collections.Counter)
    for result in results:
        if "error" not in result:
            kinds[result["kind"]][status(result, known)] += 1
    return dict(sorted(kinds.items()))


def survivors(results, known):
    return [r for r in results if "error" not in r and status(r, known) == "accepted"]


def _row(name, count):
    refused, trials = count["refused"], count["refused"] + count["accepted"]
    low, high = interval(refused, trials) if trials else (0, 1)
    share = f"{100 * refused / trials:.1f} % ({100 * low:.1f} to {100 * high:.1f})" if trials else "-"
    return name, trials, refused, share, count["equivalent"], count["degenerate"]


def table(kinds):
    """Return a table in Markdown: a row for each kind, and one for all."""
    rows = [("mutation", "mutants", "refused", "share (95 % interval)", "equivalent", "of degenerate problems"),
            ("---",) * 6]
    rows += [_row(kind, count) for kind, count in kinds.items()]
    rows.append(_row("**all**", sum(kinds.values(), collections.Counter())))
    return "".join("| " + " | ".join(map(str, row)) + " |\n" for row in rows)


def publish(path, name, text):
    """Replace the part of a document between the marks of `name`."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    with open(path, encoding="utf-8") as file:
        document = file.read()
    part = re.compile(re.escape(begin) + ".*" + re.escape(end), re.S)
    if not part.search(document):
        raise SystemExit(f"{path}: no place for the table: add the lines \"{begin}\" and \"{end}\"")
    with open(path, "w", encoding="utf-8") as file:
        file.write(part.sub(lambda _: f"{begin}\n{text}\n{end}", document, 1))
