#ifndef CORE_SUITE_REPORT_SUITE_REPORT_H
#define CORE_SUITE_REPORT_SUITE_REPORT_H

#include "core/suite/report/report_cell.h"
#include "core/suite/report/report_models.h"
#include "core/suite/report/report_pairs.h"
#include "core/suite/suite_store.h"

/*
 * The results of a suite so far. They come from the journals of its sessions. The speedups over
 * each baseline and the machine come from the verdict of each best kernel (suite_verdicts.h), and
 * are unknown if it cannot be read.
 */

enum { REPORT_THRESHOLDS = 8, REPORT_TRIES = 8 };

/*
 * The thresholds of the fast_p curve, and the numbers of attempts or sessions for `success` and
 * `pass`.
 */
extern const double report_thresholds[REPORT_THRESHOLDS];
extern const unsigned report_tries[REPORT_TRIES];

/* The results of an arm over all its ended tasks. */
struct report_arm {
    size_t ended, failed, correct; /* numbers of tasks; a correct task has a correct candidate */
    size_t timed;                  /* the number of tasks with a speedup */
    /* Shares are NaN when no task has ended. */
    /* share of ended tasks that had a correct candidate by that attempt */
    double success[REPORT_TRIES];
    unsigned attempts; /* the most attempts of an ended task */
    /*
     * Share of ended tasks that are correct and faster than the threshold: fast_p of KernelBench
     * (Ouyang et al., arXiv 2502.10517, section 3.3).
     */
    double fast[REPORT_THRESHOLDS];
    /*
     * Mean over problems of the probability that one of report_tries[i] sessions has a correct
     * kernel (success.h); NaN with fewer repeats.
     */
    double pass[REPORT_TRIES];
    /*
     * geometric mean over problems of the geometric means over repeats; 0 if no task has a speedup
     */
    struct ratio speedup;
    double usd, tokens, minutes;
    bool has_usd, has_tokens;
};

/* Tasks of an arm that are left out of the figures about speedups, all for the same reason. */
struct report_omission {
    size_t arm;
    char *reason;
    struct {
        size_t *items; /* indices of the tasks */
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
        struct report_omission *items; /* every task without a speedup is in one of them */
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
