#!/usr/bin/python3
"""Judge each hand-written candidate with `kforge eval`, and print a table or JSON."""
import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
README = HERE / "README.md"
BEGIN, END = "<!-- measured -->\n", "<!-- end -->\n"
HEADER = ("| candidate | verdict | time | 95 % of the median | over plain | over host | bound | of bound |\n"
          "| --- | --- | ---: | ---: | ---: | ---: | --- | ---: |\n")


def evaluate(kforge, candidate):
    """Return the verdict on a candidate; PROBLEM.WORDS.md is a candidate for PROBLEM."""
    problem = ROOT / "prompts" / "problems" / (candidate.name.split(".")[0] + ".json")
    done = subprocess.run([kforge, "eval", "--json", problem, candidate], check=False,
                          stdout=subprocess.PIPE, encoding="utf-8")
    if not done.stdout:
        sys.exit(f"measure.py: {candidate}: kforge returned no verdict (exit code {done.returncode})")
    return json.loads(done.stdout)


def summary(candidate, verdict):
    """Return the figures of the table and the JSON; a figure that was not measured is absent."""
    found = {"candidate": candidate.stem, "outcome": verdict["outcome"]}
    if "timing" in verdict:
        found.update({key: verdict["timing"][key] for key in ("median_us", "ci95_us", "runs")})
    for baseline in verdict.get("against", []):
        found[baseline["name"]] = {key: baseline[key] for key in ("median_us", "speedup", "speedup_ci95")}
    if "bound" in verdict:
        found["bound"] = {key: verdict["bound"][key] for key in ("us", "limiter", "fraction")}
    return found


def time(us):
    """Format a time with a fitting unit: 3.32 ms, 425 us."""
    return f"{us / 1000:#.3g} ms" if us >= 1000 else f"{us:#.3g} us".replace(". us", " us")


def row(found):
    """Format a line of the table, with a dash for each missing figure."""
    cells = [f"[{found['candidate']}]({found['candidate']}.md)", found["outcome"].replace("_", " ")]
    if "median_us" in found:
        cells += [time(found["median_us"]), " to ".join(map(time, found["ci95_us"]))]
    else:
        cells += ["—", "—"]
    cells += [f"{found[name]['speedup']:.2f}" if name in found else "—" for name in ("reference", "library")]
    bound = found.get("bound")
    cells += [bound["limiter"], f"{100 * bound['fraction']:.0f} %"] if bound else ["—", "—"]
    return "| " + " | ".join(cells) + " |\n"


def table(report):
    """Format the device and the table of all candidates."""
    where = report["where"]
    return (f"On {where['device']} ({where['driver']}), kforge {where['version']}:\n\n" + HEADER
            + "".join(map(row, report["candidates"])))


def update_readme(text):
    """Replace the table between the two marks in README.md."""
    before, rest = README.read_text(encoding="utf-8").split(BEGIN)
    README.write_text(before + BEGIN + text + END + rest.split(END)[1], encoding="utf-8")


def main():
    """Return 1 if a candidate is not correct."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kforge", default=ROOT / "build" / "release" / "bin" / "kforge")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--update", action="store_true", help="write the table into README.md")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a candidate such as softmax.in_place (default: all)")
    options = parser.parse_args()
    if options.update and options.names:
        parser.error("--update writes the whole table: leave out NAME")
    candidates = [HERE / (name + ".md") for name in options.names] or sorted(HERE.glob("[a-z]*.md"))
    verdicts = [evaluate(options.kforge, candidate) for candidate in candidates]
    report = {"where": {key: verdicts[0]["where"][key] for key in ("device", "driver", "version")},
              "candidates": list(map(summary, candidates, verdicts))}
    print(json.dumps(report, indent=2) if options.json else table(report), end="\n" if options.json else "")
    if options.update:
        update_readme(table(report))
    return int(any(verdict["outcome"] != "correct" for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
