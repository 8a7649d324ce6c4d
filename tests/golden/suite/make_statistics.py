"""Compute the expected values of tests/unit/suite/test_statistics.c with SciPy (Debian: python3-scipy).

usage: make_statistics.py >tests/golden/suite/statistics.json
"""
import json
import math

import numpy
from scipy import special, stats

random = numpy.random.default_rng(20)


def exact(differences):
    """The exact p over all choices of signs, which SciPy enumerates; zeros are left out."""
    d = numpy.array([x for x in differences if x != 0])
    ranks = stats.rankdata(abs(d))
    result = stats.permutation_test((d,), lambda x, axis: numpy.sum(numpy.where(x > 0, ranks, 0), axis=axis),
                                    permutation_type="samples", n_resamples=numpy.inf, vectorized=True)
    return float(result.pvalue)


def paired(differences, method):
    d = numpy.array([x for x in differences if x != 0])
    # SciPy's W: the sum of the ranks of positive differences, if the alternative has one side
    plus, minus = (float(stats.wilcoxon(x, zero_method="wilcox", alternative="greater", mode="approx").statistic) for x in (d, -d))
    if method == "signs":
        p = exact(differences)
    else:
        p = float(stats.wilcoxon(d, zero_method="wilcox", correction=True, mode=method).pvalue)
    return {"differences": list(map(float, differences)), "positive": plus, "negative": minus, "p": p,
            "effect": (plus - minus) / (plus + minus)}


def holm(p):
    """Holm (1979), step down; SciPy 1.10 has no function for it."""
    adjusted, highest = [0.0] * len(p), 0.0
    for place, index in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        highest = max(highest, min(1.0, p[index] * (len(p) - place)))
        adjusted[index] = highest
    return {"p": p, "corrected": adjusted}


def geometric(groups):
    """One ratio a problem: SciPy's bootstrap draws problems alone, by the percentile method."""
    logs = numpy.log([g[0] for g in groups])
    low, high = stats.bootstrap((logs,), numpy.mean, n_resamples=100000, method="percentile",
                                random_state=7).confidence_interval
    return {"groups": groups, "mean": float(stats.gmean([g[0] for g in groups])), "low": math.exp(low),
            "high": math.exp(high)}


def nested(groups, draws=200000):
    """Several ratios a problem: problems are drawn, and the repeats of each drawn one."""
    logs = [numpy.log(g) for g in groups]
    generator, means = numpy.random.default_rng(3), numpy.zeros(draws)
    for _ in groups:
        chosen = generator.integers(len(groups), size=draws)
        for index, values in enumerate(logs):
            rows = numpy.flatnonzero(chosen == index)
            means[rows] += values[generator.integers(len(values), size=(len(rows), len(values)))].mean(axis=1)
    low, high = numpy.exp(numpy.quantile(means / len(groups), [0.025, 0.975]))
    return {"groups": groups, "mean": float(stats.gmean([stats.gmean(g) for g in groups])), "low": float(low),
            "high": float(high)}


def student(ratios):
    logs = numpy.log(ratios)
    low, high = stats.t.interval(0.95, len(logs) - 1, loc=logs.mean(), scale=stats.sem(logs))
    return {"ratios": ratios, "mean": float(stats.gmean(ratios)), "low": math.exp(low), "high": math.exp(high)}


def welch(first, second):
    a, b = numpy.log(first), numpy.log(second)
    va, vb = stats.sem(a) ** 2, stats.sem(b) ** 2
    freedom = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    width = stats.t.ppf(0.975, freedom) * math.sqrt(va + vb)
    middle = a.mean() - b.mean()
    return {"first": first, "second": second, "p": float(stats.ttest_ind(a, b, equal_var=False).pvalue),
            "ratio": math.exp(middle), "low": math.exp(middle - width), "high": math.exp(middle + width)}


def draws(location, spread, count):
    return [float(x) for x in random.lognormal(location, spread, count).round(4)]


def success(count, right, k):
    return {"count": count, "right": right, "k": k,
            "chance": float(1 - special.comb(count - right, k) / special.comb(count, k))}


print(json.dumps({
    "paired": [
        paired([1.5], "exact"),
        paired([-2.0, 1.0], "exact"),
        paired(random.normal(0.4, 1, 9).round(4), "exact"),
        paired(random.normal(0.1, 1, 25).round(5), "exact"),
        paired(random.normal(-0.3, 1, 50).round(6), "exact"),
        paired([1, 1, -1, 2, 2, 2, -3, 0, 4, 0], "signs"),
        paired([0.5, 0.5, 0.5, 0.5, 0.5, 0.5], "signs"),
        paired([3, -3, 3, -1, 2, 2, -2, 5, 5, 5, 5, 1], "signs"),
        paired(random.normal(0.2, 1, 80).round(5), "approx"),
        paired(random.integers(-3, 6, 70), "approx"),
    ],
    "holm": [holm([0.01, 0.04, 0.03, 0.005]), holm([0.5, 0.6]), holm([0.02]), holm([0.01, 0.01, 0.9])],
    "geometric": [geometric([[float(x)] for x in random.lognormal(0.5, 0.6, n).round(4)]) for n in (8, 30)],
    "nested": [nested([draws(0.5, 0.2, 3) for _ in range(n)]) for n in (5, 12)],
    "student": [student(draws(0.3, 0.1, n)) for n in (2, 3, 10)],
    "welch": [welch(draws(0.3, 0.1, n), draws(0.2, 0.3, m)) for n, m in ((2, 2), (3, 3), (3, 8), (40, 30))],
    "success": [success(*case) for case in ((1, 0, 1), (1, 1, 1), (10, 3, 1), (10, 3, 5), (10, 3, 8), (200, 7, 100))],
}, indent=1))
