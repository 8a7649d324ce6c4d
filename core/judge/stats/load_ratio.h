#ifndef CORE_JUDGE_STATS_LOAD_RATIO_H
#define CORE_JUDGE_STATS_LOAD_RATIO_H

#include "core/judge/stats/program_rounds.h"

/*
 * The ratio of the times of two programs on a machine where other programs disturb them, as an
 * estimate of their ratio on a quiet one. More samples do not narrow what is unknown then, so the
 * interval encloses the ratios that are possible (Manski, "Partial Identification of Probability
 * Distributions", 2003, chapter 1).
 *
 * Emptied caches cost a run up to C, about the same time for the programs of a problem, because
 * they fetch the same data: C is LOAD_REFILLS times program_rounds_refill_us(), because a kernel
 * fetches its data more slowly than the judge reads memory in order. How many runs they cost how
 * much is not known. Take the times that half, a quarter and none of a program's runs stay below
 * (timed and repeated ones, but at least a third of the median of its rounds):
 *
 *     r0 = half' / half,   r1 = (quarter' - C/2) / (quarter - C/2),
 *     r2 = (least' - C) / (least - C)
 *
 * where ' is the other program and no difference is below a third of the time. r1 is the estimate.
 * The interval is from min(r) / exp(w) to max(r) exp(w'), with
 *
 *     w^2 = (0.6 s)^2 + (W (0.2 + 0.13 min(|ln r1|, 1.5)))^2    on the side of 1
 *     w^2 = (0.6 s)^2 + (W (0.2 + 0.45 min(|ln r1|, 1)))^2      on the side away from 1
 *
 * s^2 is the sum of the squares of both programs' s: half of the width of the interval of the
 * median of its rounds, as a logarithm (stats_ratio()). W is the share of its time that the
 * executor waited for a core, 0.78 beside eight programs on two cores. The second part is what the
 * cores do otherwise at load: they keep their clock up, share memory and the units of a physical
 * core with other programs, and one does the work of several. It is larger for programs that differ
 * more, and moves their ratio towards 1. An uneven division of work that no run has ruled out
 * (program_rounds_doubt()) is enclosed, too.
 *
 * The constants were chosen on 853 ratios of 40 kernels at load 8 on two cores, so that 95 % of the
 * intervals hold the median of several ratios on a quiet machine (BENCHMARKS.md).
 */

enum { LOAD_REFILLS = 3 };

/*
 * The ratio of `other` over `own`, whose `load` counts. All zeros if one has no rounds. The
 * interval is positive and finite.
 */
struct estimate load_ratio(const struct program_rounds *own, const struct program_rounds *other);

#endif
