#ifndef CORE_SUITE_SUITE_REPORT_H
#define CORE_SUITE_SUITE_REPORT_H

#include "core/suite/report_cell.h"
#include "core/suite/report_models.h"
#include "core/suite/report_pairs.h"
#include "core/suite/suite_store.h"

/*
 * The results of a suite, as far as it has come, from the journals of its sessions, and from the
 * verdict of each best kernel (suite_verdicts.h).  Where a verdict cannot be read, the speedups
 * over each baseline and the machine are unknown; all else is of the journals.
 */

enum { REPORT_THRESHOLDS = 8, REPORT_TRIES = 8 };

/* The speedups of the fast_p curve, and the numbers of attempts or sessions of the others. */
extern const double report_thresholds[REPORT_THRESHOLDS];
extern const unsigned report_tries[REPORT_TRIES];

/* An arm over all its tasks that have ended. */
struct report_arm {
    size_t ended, failed, correct; /* tasks; a correct one has a correct candidate */
    size_t timed;                  /* tasks with a speedup */
    /* Shares are NaN when no task has ended. */
    double success[REPORT_TRIES]; /* share of ended tasks with a correct one by that attempt */
    /*
     * Share of ended tasks that are correct and faster than the threshold: fast_p of KernelBench
     * (Ouyang et al., arXiv 2502.10517, section 3.3).
     */
    double fast[REPORT_THRESHOLDS];
    /*
     * Mean over problems of the chance that one of report_tries[i] sessions has a correct kernel
     * (success.h); NaN with fewer repeats.
     */
    double pass[REPORT_TRIES];
    struct ratio speedup; /* geometric mean over problems of those over repeats; 0: none is timed */
    double usd, tokens, minutes;
    bool has_usd;
};

/* Tasks of an arm that a figure is not of, for the same reason. */
struct report_omission {
    size_t arm;
    char *reason;
    struct {
        size_t *items; /* indices */
        size_t count, capacity;
    } tasks;
};

struct suite_report {
    const struct suite_store *store; /* borrowed */
    struct report_row *rows;         /* one for each task, in the suite's order */
    size_t count;
    struct report_arm *arms; /* one for each arm of the suite */
    struct report_models models;
    struct report_machines machines;
    struct {
        const char **items; /* the names of all baselines, borrowed from the rows */
        size_t count, capacity;
    } baselines;
    struct {
        struct report_omission *items; /* every task without a speedup is in one */
        size_t count, capacity;
    } left_out;
    struct report_pairs pairs;
};

/* A problem with an arm, over its repeats. */
struct report_cell suite_report_cell(const struct suite_report *report, size_t problem, size_t arm);

/* Read the sessions of a suite, which may be running, and compute the report. */
void suite_report_make(struct suite_report *report, const struct suite_store *store);
/* Free the contents and leave it empty. */
void suite_report_release(struct suite_report *report);

#endif
