"""The figures as Markdown tables, which are read in a terminal and in README alike."""
import re

BEGIN = {"bench": "<!-- ./run bench --update-readme writes this -->",
         "builtin": "<!-- ./run bench --builtin --update-readme writes this -->"}
END = "<!-- until here -->"


def _number(value, unit=""):
    if value is None:
        return "unknown"
    text = f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    return f"{text} {unit}".rstrip()


def _aligned(header, rows):
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    line = lambda cells: "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"
    return [line(header), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(line, rows)]


def _figure_row(f):
    goal = "" if f["goal"] is None else f"{_number(f['goal'], f['unit'])}: {'met' if f['met'] else 'missed'}"
    spread = f"{_number(f['p10'])} to {_number(f['p90'])}" if f["count"] > 1 else ""
    floor = "" if f["floor"] is None else f"{_number(f['floor'], f['unit'])}: {f['floor_is']}"
    of = "" if f["of"] == "median" else f" ({f['of']})"
    return [f["name"], (_number(f["value"], f["unit"]) + of) if f["count"] else "-", spread, str(f["count"]), goal,
            floor, "" if f["ratio"] is None else f"{f['ratio']:.3g}x"]


def figure_table(figures):
    return _aligned(["what", "median, or as said", "p10 to p90", "samples", "goal: at most", "floor", "to floor"],
                    [_figure_row(f) for f in figures])


def problem_row(p):
    if "error" in p:
        return [p["problem"], p["error"]] + [""] * 11
    share = lambda part: f"{100 * p[part]['median'] / p['total_ms']['median']:.0f}"
    rate, time = p["per_minute"], p["median_us"]["median"]
    return [p["problem"], p["candidate"], f"{rate['median']:.3g} ({rate['least']:.3g} to {rate['most']:.3g})",
            str(rate["count"]), *(share(f"{part}_ms") for part in ("build", "kernels", "data", "oracle", "rest")),
            f"{p['over_compile_and_kernels']['median']:.2g}x", f"{time / 1e3:.3g} ms",
            f"{time / p['bound_us']:.2g}x {p['limiter']}",
            f"{p['peak_bytes'] / 1e6:.0f} of {p['memory_goal_bytes'] / 1e6:.0f} MB"]


def problem_table(problems):
    return _aligned(["problem", "candidate", "per minute (range)", "samples", "compile %", "kernels %", "data %",
                     "oracle %", "rest %", "to compile + kernels", "kernel time", "to its bound", "memory, of goal"],
                    [problem_row(p) for p in problems])


def _machine_line(machine):
    devices = "; ".join(f"{d['name']} by {d['platform']}" for d in machine["devices"])
    return (f"{machine['date']}, kforge {machine['commit']}: {machine['cpu']}, {machine['cores']} cores, load "
            f"{machine['load_before']:.1f} before; Linux {machine['kernel']}, {machine['disk']}, "
            f"{machine['compiler']}; {devices}.")


def _report(result):
    lines = [_machine_line(result["machine"]), "", *figure_table(result["figures"])]
    if result["problems"]:
        lines += ["", "Where the time of one evaluation by a warm worker goes, in % of it:", "",
                  *problem_table(result["problems"])]
    return "\n".join(lines)


def _factor(value):
    return "-" if value is None else f"{value:.2f}x"


def _time(us):
    return f"{us / 1e3:.3g} ms"


def session_row(s):
    if "error" in s:
        return [s["problem"], s["error"]] + [""] * 7
    best, hand = s["best"], s["by_hand"]
    promises = ", ".join(f"{p['promised']:.2f}/{p['gained']:.2f}" for p in s["promises"])
    return [s["problem"], _time(best["us"]), _factor(best.get("reference")), _factor(best.get("library")),
            f"{100 * best['bound']:.0f} % {best['limiter']}", _time(hand["us"]), _factor(s["over_by_hand"]),
            str(s["attempts"]), promises]


def _mean_row(name, mean):
    return [f"geometric mean, {name} ({mean['count']})", "", _factor(mean["reference"]), _factor(mean["library"]), "",
            "", _factor(mean["by_hand"]), "", ""]


def _report_builtin(result):
    rows = [session_row(s) for s in result["sessions"]] + [_mean_row(*item) for item in result["means"].items()]
    header = ["problem", "best kernel", "over reference", "over library", "of its bound", "by hand", "over by hand",
              "attempts", "promised/gained"]
    return "\n".join([_machine_line(result["machine"]), "", *_aligned(header, rows)])


def write(kind, result):
    return {"bench": _report, "builtin": _report_builtin}[kind](result)


def update(path, kind, text):
    """Put the text between the two marks of a file."""
    with open(path, encoding="utf-8") as file:
        before = file.read()
    begin = BEGIN[kind]
    pattern = re.escape(begin) + r"\n.*?" + re.escape(END)
    after, count = re.subn(pattern, lambda _: f"{begin}\n\n{text}\n\n{END}", before, flags=re.S)
    if count != 1:
        raise SystemExit(f"{path}: expected one pair of the lines {begin} and {END}, found {count}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(after)
