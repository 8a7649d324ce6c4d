#ifndef CORE_SUITE_SUITE_COMPARISON_H
#define CORE_SUITE_SUITE_COMPARISON_H

#include "core/base/json.h"
#include "core/suite/statistics/paired.h"
#include "core/suite/statistics/student.h"

/*
 * Compares two reports of suites in their JSON form (FORMATS.md, "Report"), an old one and a new
 * one, which may come from different machines or versions.  Problems and arms are matched by their
 * names.  Speedups are compared over a baseline that all sessions of both sides were timed with:
 * times of different moments are not.
 */

enum compared_state {
    COMPARED_SAME,    /* neither of the others */
    COMPARED_WORSE,   /* fewer correct, or certainly slower */
    COMPARED_BETTER,  /* more correct, or certainly faster */
    COMPARED_UNKNOWN, /* not ended on a side, or no common baseline: `reason` */
};

/* "same", "worse", "better", "unknown". */
extern const char *const compared_state_names[];

/* A problem with an arm in both reports.  Texts are borrowed from the reports. */
struct compared_cell {
    const char *problem, *arm, *over; /* over: the common baseline; NULL: there is none */
    size_t old_ended, old_correct, new_ended, new_correct;
    struct student_comparison speed; /* of the new side over the old one, by Welch */
    double corrected_p;              /* by Holm over all cells with an interval; else 1 */
    enum compared_state state;
    const char *reason; /* of the state; "" for COMPARED_SAME */
};

/* An arm over the problems on which both sides have a speedup over a common baseline. */
struct compared_arm {
    const char *arm;
    size_t old_ended, old_correct, new_ended, new_correct;
    size_t problems;         /* compared by speed */
    struct ratio ratio;      /* geometric mean over these problems, by the bootstrap over them */
    struct paired_test test; /* of the logarithms of the problems' ratios */
    double corrected_p;      /* by Holm over the arms */
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
        char **items; /* problems and arms of one report alone, as "old: ..."; owned */
        size_t count, capacity;
    } alone;
    size_t worse, better, unknown; /* cells */
};

/* Compare; both reports must outlive the comparison.  STATUS_INVALID for what is no report. */
enum status suite_comparison_make(struct suite_comparison *comparison, const struct json_ref *old,
                                  const struct json_ref *new, struct error *err) MUST_CHECK;
/* Free the contents and leave it empty. */
void suite_comparison_release(struct suite_comparison *comparison);

#endif
