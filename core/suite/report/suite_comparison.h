#ifndef CORE_SUITE_REPORT_SUITE_COMPARISON_H
#define CORE_SUITE_REPORT_SUITE_COMPARISON_H

#include "core/base/json.h"
#include "core/suite/statistics/paired.h"
#include "core/suite/statistics/student.h"

/*
 * Compares two reports of suites in their JSON form (FORMATS.md, "Report"), an old one and a new
 * one, which may come from different machines or versions.  Problems and arms are matched by their
 * names.  Speedups are compared over a baseline that all sessions of both sides were timed with;
 * times measured at different moments are not compared.
 */

enum compared_state {
    COMPARED_SAME,   /* neither certainly worse nor certainly better */
    COMPARED_WORSE,  /* fewer correct repeats, or certainly slower */
    COMPARED_BETTER, /* more correct repeats, or certainly faster */
    /* a side has not ended, or there is no common baseline; `reason` says which */
    COMPARED_UNKNOWN,
};

/* "same", "worse", "better", "unknown". */
extern const char *const compared_state_names[];

/* A problem with an arm in both reports.  Texts are borrowed from the reports. */
struct compared_cell {
    const char *problem, *arm, *over; /* over: the common baseline; NULL if there is none */
    size_t old_ended, old_correct, new_ended, new_correct;
    struct student_comparison speed; /* the new side's speed over the old one's, by Welch's test */
    /* p corrected by Holm's method over all cells with an interval; 1 without an interval */
    double corrected_p;
    enum compared_state state;
    const char *reason; /* why the cell has this state; "" for COMPARED_SAME */
};

/* An arm over the problems on which both sides have a speedup over a common baseline. */
struct compared_arm {
    const char *arm;
    size_t old_ended, old_correct, new_ended, new_correct;
    size_t problems; /* the number of problems compared by speed */
    /* geometric mean over these problems, with an interval by the bootstrap */
    struct ratio ratio;
    struct paired_test test; /* the test on the logarithms of the problems' ratios */
    double corrected_p;      /* p corrected by Holm's method over the arms */
    double old_usd, new_usd; /* sums; NaN if unknown */
    double old_tokens, new_tokens;
};

struct suite_comparison {
    struct {
        struct compared_cell *items; /* by arm, in the order of the old report */
        size_t count, capacity;
    } cells;
    struct {
        struct compared_arm *items;
        size_t count, capacity;
    } arms;
    struct {
        char **items; /* problems and arms that only one report has, as "old: ..."; owned */
        size_t count, capacity;
    } alone;
    size_t worse, better, unknown; /* the number of cells in each state */
};

/*
 * Compare two reports, which must outlive the comparison.  STATUS_INVALID if one is not a report.
 */
enum status suite_comparison_make(struct suite_comparison *comparison, const struct json_ref *old,
                                  const struct json_ref *new, struct error *err) MUST_CHECK;
/* Free the contents and leave it empty. */
void suite_comparison_release(struct suite_comparison *comparison);

#endif
