"""Compare the kernels of the built-in agents with eager PyTorch and torch.compile, also at lower precision."""
import glob
import json
import math
import os
import random
import re
import statistics
import subprocess
import time

import builtin
import linear_models
from measure import ROOT, limits
from shared_worker import SharedWorker

MODELS = os.path.join(ROOT, "tests", "bench", "models")  # fused kernels between the matrix products of a language model
BATCHES, SMALL_BATCHES = (1, 8, 64, 128), (8,)
SMALL = {"BATCH": 64, "IN": 128, "OUT": 256}
# Data type of the fused models: tolerance class.  Outputs rounded to 16 bits cannot meet the class f32.
DTYPES = {"f32": "f32", "bf16": "mixed"}
TORCH_NAMES = {"f32": "torch.float32", "bf16": "torch.bfloat16"}
FULL = ("eager", "compile", "autotune")
RESAMPLES = 10000


def _sized(text, sizes):
    """Return the text of a model with other values for the constants at its beginning."""
    for name, value in sizes.items():
        text = re.sub(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.M)
    return text


def _baselines(verdict):
    """Return the PyTorch baselines of a verdict by name."""
    return {b["name"]: b for b in verdict["against"] if b["name"].split("_")[0] in FULL}


def _fastest(baselines):
    return min(baselines.values(), key=lambda baseline: baseline["median_us"], default=None)


def _verdict(place, event):
    return json.loads(place.text(event["verdict"]))


def _attempts(place, events):
    return [{**{key: event.get(key) for key in ("outcome", "detail", "median_us", "wall_us")},
             "spent": _verdict(place, event).get("spent")}
            for event in events if event["type"] == "evaluation.finished"]


def _result(verdict):
    baselines, bound = _baselines(verdict), verdict.get("bound") or {}
    return {"us": verdict["timing"]["median_us"], "ci95_us": verdict["timing"]["ci95_us"],
            "prepare_us": verdict["timing"].get("prepare_us"), "bound": bound.get("fraction"),
            "limiter": bound.get("limiter"), "baselines": baselines,
            "full": _fastest({name: b for name, b in baselines.items() if name in FULL}),
            "matched": _fastest(baselines), "hazards": verdict.get("hazards", [])}


def _measure_model(place, text, row, options):
    """Run a session on one model and return `row` with its results.

    `row` names the model, its sizes and its tolerance class; `options` belong to the session.
    """
    path, began = place.path(f"{row['model']}.py"), time.perf_counter()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        events = builtin.session(place, path, *options, "--tolerance", row["tolerance"])
        attempts = _attempts(place, events)
        # Baselines that were compiled after the best kernel was judged are in a verdict of their own.
        finished = builtin.of_best(events, "evaluation.finished")
        timed = [e for e in events if e["type"] == "baselines.timed" and e["attempt"] == finished["attempt"]]
        best = _verdict(place, (timed or [finished])[-1])
        found = {**_result(best), "attempts": attempts}
    except (RuntimeError, ValueError, KeyError, OSError, subprocess.SubprocessError) as error:
        found = {"error": str(error) or type(error).__name__}
    return {**row, **found, "seconds": time.perf_counter() - began}


def _fused_models():
    """Return the text of each model file by the name of the model."""
    found = {}
    for path in sorted(glob.glob(os.path.join(MODELS, "*.py"))):
        with open(path, encoding="utf-8") as file:
            found[os.path.basename(path)[:-3]] = file.read()
    return found


def _chosen(texts, options):
    names = [name for name in texts if name in (options.model or texts)]
    return [(name, texts[name]) for name in (names[:1] if options.quick else names)]


def _measure(place, rows, options):
    """Measure `rows`: pairs of the first columns of a row and the text of its model."""
    with SharedWorker(place, options.device, *limits(options)) as worker:
        for row, text in rows:
            yield _measure_model(place, text, row,
                                 (options.rounds, "--device", options.device, "--worker", worker.prefix))


def measure_linear(place, options):
    """Measure a linear layer and the operations after it, in the class that allows lower precision."""
    sizes = SMALL if options.small else {}
    return _measure(place, (({"model": name, "tolerance": "mixed"}, _sized(text, sizes))
                            for name, text in _chosen(linear_models.texts(), options)), options)


def _fused_rows(options):
    for dtype, tolerance in DTYPES.items():
        for name, text in _chosen(_fused_models(), options):
            for batch in SMALL_BATCHES if options.small else BATCHES:
                yield ({"model": name, "dtype": dtype, "batch": batch, "tolerance": tolerance},
                       _sized(text, {"TOKENS": batch, "DTYPE": TORCH_NAMES[dtype]}))


def measure_fused(place, options):
    """Measure fused kernels between the matrix products of a language model, by number of tokens."""
    return _measure(place, _fused_rows(options), options)


def _mean(logs):
    return math.exp(statistics.fmean(logs))


def geometric_mean(speedups):
    """Return the geometric mean and its 95 % interval by the bootstrap (resampling with replacement)."""
    logs, draw = [math.log(speedup) for speedup in speedups], random.Random(1)
    if not logs:
        return None
    means = sorted(_mean(draw.choices(logs, k=len(logs))) for _ in range(RESAMPLES))
    return {"mean": _mean(logs), "ci95": [means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES)]],
            "count": len(logs)}


def mean_over(rows, pick):
    """Return the geometric mean of the speedups over the baseline that `pick` selects in each row, if any."""
    baselines = [pick(row) for row in rows if "error" not in row]
    return geometric_mean([baseline["speedup"] for baseline in baselines if baseline])
