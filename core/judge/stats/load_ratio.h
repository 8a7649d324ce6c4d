#ifndef CORE_JUDGE_STATS_LOAD_RATIO_H
#define CORE_JUDGE_STATS_LOAD_RATIO_H

#include "core/judge/stats/program_rounds.h"

/*
 * The ratio of the times of two programs on a machine where other programs disturb them, as an
 * estimate of their ratio on a quiet one. More samples do not narrow what is unknown then, so the
 * interval encloses the ratios that are possible (Manski, "Partial Identification of Probability
 * Distributions", 2003, chapter 1).
 *
 * The estimate is the ratio of the medians of all runs on new data, as on a quiet machine: no run
 * is left out because something disturbed it, so a candidate gains nothing by disturbing itself.
 * The times are those that the work of a run suggests (program_rounds.h). The interval encloses
 * the ratios of
 *
 *     the times that a quarter of these runs stay below,
 *     the same of runs that were repeated at once, whose data are in the caches; no less than a
 *         third of the median;
 *
 * from the least to the greatest of them it reaches further by a factor of exp(w), with
 *
 *     w^2 = (0.6 s)^2 + (W (0.2 + 0.13 min(|ln r|, 1.5)))^2    on the side of 1
 *     w^2 = (0.6 s)^2 + (W (0.2 + 0.45 min(|ln r|, 1)))^2      on the side away from 1
 *
 * s^2 is the sum of the squares of both programs' s: half of the width of the interval of the
 * median of its rounds, as a logarithm (stats_ratio()). W is the share of its time that the
 * executor waited for a core, 0.78 beside eight programs on two cores. The second part is what the
 * cores do otherwise at load: they keep their clock up, share memory and the units of a physical
 * core with other programs, and one does the work of several. It is larger for programs that differ
 * more, and moves their ratio towards 1. Last, the interval encloses the ratios that result if the
 * work of one of the programs is divided as in its runs at load, where a thread that gets no core
 * leaves its part to others.
 *
 * BENCHMARKS.md says how many of the intervals hold the median of several ratios on a quiet
 * machine.
 */

/*
 * The ratio of `other` over `own`, whose `load` counts. All zeros if one has no rounds. The
 * interval is positive and finite.
 */
struct estimate load_ratio(const struct program_rounds *own, const struct program_rounds *other);

#endif
