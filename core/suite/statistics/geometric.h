#ifndef CORE_SUITE_STATISTICS_GEOMETRIC_H
#define CORE_SUITE_STATISTICS_GEOMETRIC_H

#include <stddef.h>

#include "core/session/state/session.h"

/* The ratios of one problem, one for each repeat; all are above 0. */
struct geometric_group {
    const double *ratios;
    size_t count; /* at least 1 */
};

/*
 * The geometric mean over problems of the geometric means over repeats, with its 95 % interval by
 * the bootstrap: problems are drawn with replacement, and for each drawn one its repeats too
 * (Davison and Hinkley, "Bootstrap Methods and their Application", section 3.8); the interval lies
 * between the quantiles of 2.5 and 97.5 % of GEOMETRIC_DRAWS means (percentile method, section
 * 5.3.1).  The draws are the same at each call.  All zeros without groups; with one group of one
 * ratio the interval is unknown: low 0, high infinity.
 */
struct ratio geometric_mean(const struct geometric_group *groups, size_t count);

enum { GEOMETRIC_DRAWS = 10000 };

#endif
