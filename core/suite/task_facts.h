#ifndef CORE_SUITE_TASK_FACTS_H
#define CORE_SUITE_TASK_FACTS_H

#include "core/session/state/session.h"

/*
 * The facts of one session for a table of a suite's tasks: its best kernel, its cost, and the step
 * that waits.  Plain data, computed from the session's state, which may be dropped then.
 */

/* The source of the gain that a decision on a step could bring, as a factor over what the session
 * has now. */
enum gain_source {
    GAIN_UNKNOWN,
    GAIN_MEASURED, /* of a kernel that is to be kept, over the best, or else over the baseline */
    GAIN_PROMISED, /* of a recommendation */
    GAIN_AT_MOST,  /* of other steps: the best kernel's time over the bound */
};

struct task_facts {
    bool is_known;  /* the journal was read; all else is of it */
    char *trouble;  /* why the journal cannot be read; NULL: it can */
    char *device;   /* NULL: unknown */
    unsigned tries; /* attempts that are not undone */
    bool is_closed;

    struct estimate time; /* of the best kept kernel; all zeros: none */
    struct ratio speedup; /* of it, over the strongest baseline; 0: unknown */
    char *over;           /* that baseline; NULL: unknown */
    bool is_unsteady;     /* the speedup is not to be believed */
    double bound_share;   /* the graph's bound over its time; 0: unknown */
    struct {
        double *items; /* for each attempt the best time kept so far, in us; 0 before the first */
        size_t count, capacity;
    } best_us;

    bool has_usd;
    double usd, tokens, minutes;

    unsigned step; /* that waits for the engineer; 0: none */
    enum step_kind kind;
    char *title; /* of that step */
    enum gain_source gain_source;
    double gain; /* by that source; 0: unknown */
};

/* Replace the facts by those of a session. */
void task_facts_read(struct task_facts *facts, const struct session *session);

/* True if a decision on the step of `a` could gain more; a promise or measure goes before a bound.
 */
bool task_facts_gains_more(const struct task_facts *a, const struct task_facts *b);

/* Free the contents and leave it empty. */
void task_facts_release(struct task_facts *facts);

#endif
