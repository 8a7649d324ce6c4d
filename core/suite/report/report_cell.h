#ifndef CORE_SUITE_REPORT_REPORT_CELL_H
#define CORE_SUITE_REPORT_REPORT_CELL_H

#include "core/suite/report/report_row.h"

/*
 * The results of one problem with one arm, over all repeats.  Times and speedups are geometric
 * means with the 95 % interval of Student's t over the repeats.  With a single repeat the interval
 * is that of its session.
 */
struct report_cell {
    size_t ended, failed, correct, timed;
    double until_correct; /* median over the correct repeats; 0 if none is correct */
    double until_best;    /* median over repeats with a kept kernel; 0 if there is none */
    struct ratio us;      /* time of the best kernels in microseconds; 0 if unknown */
    struct ratio speedup; /* over the strongest baseline; 0 if unknown */
    /* the strongest baseline, borrowed; NULL: unknown, or the repeats differ */
    const char *over;
    bool differs;                /* the repeats have different strongest baselines */
    double bound_fraction;       /* median; 0 if unknown */
    double usd, tokens, minutes; /* sums over all repeats, failed ones too */
    bool has_usd, has_tokens;
};

/* Sum up the rows of one problem and arm, one for each repeat. */
struct report_cell report_cell_make(const struct report_row *const *rows, size_t count);

#endif
