"""Format the measured figures as Markdown tables, for the terminal and for BENCHMARKS.md."""
import re

import fidelity
import pytorch
import turnaround
from files import reading
from files import report as files_report

BEGIN = {"bench": "<!-- ./run bench --update-benchmarks writes this -->",
         "builtin": "<!-- ./run bench --builtin --update-benchmarks writes this -->",
         "gpu": "<!-- ./run bench --gpu --update-benchmarks writes this -->",
         "files": "<!-- ./run bench --only files --merge FILE... --update-benchmarks writes this -->",
         "rows": "<!-- ./run bench --only files --merge FILE... --update-benchmarks writes these rows -->"}
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
            f"{p['worker_bytes'] / 1e6:.0f}, {p['peak_bytes'] / 1e6:.0f} of {p['memory_goal_bytes'] / 1e6:.0f} MB"]


def problem_table(problems):
    return _aligned(["problem", "candidate", "per minute (range)", "samples", "compile %", "kernels %", "data %",
                     "oracle %", "rest %", "to compile + kernels", "kernel time", "to its bound",
                     "worker, with executor, of goal"],
                    [problem_row(p) for p in problems])


def _machine_line(machine):
    commit = machine["kforge"] if machine["commit"] == "unknown" else f"kforge {machine['commit']}"
    devices = "; ".join(f"{d['name']} by {d['platform']}" for d in machine["devices"])
    return (f"{machine['date']}, {commit}: {machine['cpu']}, {machine['cores']} cores, load "
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
    header = ["problem", "best kernel", "over plain", "over host", "of its bound", "by hand", "over by hand",
              "attempts", "promised/gained"]
    return "\n".join([_machine_line(result["machine"]), "", *_aligned(header, rows)])


def _interval(value, ends, form="{:.3g}"):
    return f"{form.format(value)} [{form.format(ends[0])}, {form.format(ends[1])}]"


def turnaround_row(r):
    if "error" in r:
        return [r["problem"], r["error"]] + [""] * 7
    total = r["total_ms"]
    return [r["problem"], f"{total['median']:.0f} ({total['least']:.0f} to {total['most']:.0f})", str(total["count"]),
            *(f"{r[part + '_ms']['median']:.0f}" for part in ("build", "kernels", "data", "oracle", "rest")),
            f"{100 * r['interval_share']['median']:.2g} %"]


def _turnaround_table(rows):
    all_of, goal = turnaround.over_all(rows), turnaround.GOAL_MS
    met = all_of and ("met" if all_of["median"] <= goal else "missed")
    mean = all_of and [[f"median of {all_of['count']}", f"{all_of['median']:.0f} (goal {goal}: {met})"] + [""] * 7]
    return ["One candidate from source to verdict, a worker being warm, in ms:", "",
            *_aligned(["problem", "median (range)", "samples", "compile", "kernels", "data", "oracle", "rest",
                       "time known to"], [turnaround_row(r) for r in rows] + (mean or []))]


def fidelity_row(r):
    name = f"{r['kernel']} {r['size']}" + (f", {r['passes']} passes" if r.get("passes", 1) > 1 else "")
    if "error" in r:
        return [name, r["error"]] + [""] * 3
    return [name, f"{r['us']['median']:.4g} us", f"{r['ncu_us']['median']:.4g} us", f"{r['ratio']:.3f}",
            str(r["us"]["count"])]


def _fidelity_table(rows):
    worst, least_us = fidelity.worst(rows), fidelity.GOAL_FROM_US
    text = "unknown" if worst is None else f"{100 * worst:.2g} %"
    return [f"The judge's median beside ncu's duration; above {least_us} us they differ by at most {text} "
            f"(goal {100 * fidelity.GOAL_SHARE:.0f} %):", "",
            *_aligned(["kernel", "judge", "ncu", "ratio", "samples"], [fidelity_row(r) for r in rows])]


def _over(baseline):
    if not baseline:
        return "-"
    return f"{baseline['speedup']:.2f}x"


def _named(baseline):
    return f"{baseline['name']} {baseline['median_us']:.4g} us" if baseline else "-"


def model_row(r):
    name = r["model"] + (f", {r['batch']}" if "batch" in r else "")
    if "error" in r:
        return [name, r["error"]] + [""] * 6
    bound = "-" if r["bound"] is None else f"{100 * r['bound']:.0f} % {r['limiter']}"
    full = _named(r["full"]) + ("" if "compile" in r["baselines"] else ", no compile")
    return [name, _interval(r["us"], r["ci95_us"], "{:.4g}"), bound, full, _over(r["full"]),
            _named(r["matched"]), _over(r["matched"]), str(len(r["attempts"]))]


def _models_mean(rows, member):
    found = pytorch.mean_over(rows, lambda row: row[member])
    return "-" if found is None else _interval(found["mean"], found["ci95"], "{:.2f}") + f" ({found['count']})"


def _models_table(title, rows):
    mean = ["geometric mean", "", "", "", _models_mean(rows, "full"), "", _models_mean(rows, "matched"), ""]
    return [title, "", *_aligned(["model", "best kernel, us", "of its bound", "faster of eager and compile", "over it",
                                  "fastest of all", "over it", "attempts"], [model_row(r) for r in rows] + [mean])]


def _linear_table(rows):
    return _models_table("A linear layer and what follows it, mixed precision allowed; the goals are 8x over the "
                         "faster of eager and compile in f32, and 1.1x over the fastest at any precision:", rows)


def _fused_table(rows):
    lines = []
    for dtype in pytorch.DTYPES:
        of_dtype = [row for row in rows if row["dtype"] == dtype]
        if of_dtype:
            lines += ["", *_models_table(f"Fused kernels at the sizes of gpt-oss-20b, {dtype}, by the number of tokens:",
                                         of_dtype)]
    return lines[1:]


GPU_TABLES = {"turnaround": _turnaround_table, "fidelity": _fidelity_table, "linear": _linear_table,
              "fused": _fused_table, "files": lambda rows: files_report.table(rows, _aligned)}
GPU_ROWS = {"turnaround": turnaround_row, "fidelity": fidelity_row, "linear": model_row, "fused": model_row,
            "files": files_report.row}


def _report_gpu(result):
    lines = [f"{_machine_line(result['machine'])} PyTorch {result['machine']['pytorch']}."]
    for part, table in GPU_TABLES.items():
        if result.get(part):
            lines += ["", *table(result[part])]
    return "\n".join(lines)


def _report_kernelbench(result):
    return f"{_machine_line(result['machine'])} PyTorch {result['machine']['pytorch']}.\n\n" + reading.report(
        result["models"])


def _report_files(result):
    return "\n".join(files_report.table(result["files"], _aligned))


def write(kind, result):
    return {"bench": _report, "builtin": _report_builtin, "gpu": _report_gpu, "files": _report_files,
            "kernelbench": _report_kernelbench}[kind](result)


def update(path, kind, result):
    """Write the tables of `kind` into a page; the rows of files have a place of their own in it."""
    text = write(kind, result)
    if kind == "files":
        text = "\n".join(files_report.summary(result["files"], _aligned))
        _replace(path, BEGIN["rows"], "\n".join(files_report.each(result["files"], _aligned)))
    _replace(path, BEGIN[kind], text)


def _replace(path, begin, text):
    """Replace the text between the mark `begin` and the next end mark in a file."""
    with open(path, encoding="utf-8") as file:
        before = file.read()
    pattern = re.escape(begin) + r"\n.*?" + re.escape(END)
    after, count = re.subn(pattern, lambda _: f"{begin}\n\n{text}\n\n{END}", before, flags=re.S)
    if count != 1:
        raise SystemExit(f"{path}: expected one pair of the lines {begin} and {END}, found {count}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(after)
