#ifndef CORE_SUITE_TASK_FACTS_H
#define CORE_SUITE_TASK_FACTS_H

#include "core/session/state/session.h"

/*
 * The facts of one session for a table of a suite's tasks: its best kernel, its cost, and the step
 * that waits.  Plain data, computed from the session's state, which is not needed afterwards.
 */

/*
 * The source of an estimated gain: the factor by which a decision on the pending step could improve
 * the session's best time.
 */
enum gain_source {
    GAIN_UNKNOWN,
    /* measured: of the kernel to be kept, over the best kept one, or else over the baseline */
    GAIN_MEASURED,
    GAIN_PROMISED, /* promised by the recommendation to be decided on */
    GAIN_AT_MOST,  /* an upper limit for other steps: the best kernel's time over the bound */
};

struct task_facts {
    bool is_known;  /* the journal was read; if not, nothing else is set */
    char *trouble;  /* why the journal cannot be read; NULL if it can */
    char *device;   /* NULL: unknown */
    unsigned tries; /* the number of attempts, without undone ones */
    bool is_closed;

    struct estimate time; /* time of the best kept kernel; all zeros if none is kept */
    struct ratio speedup; /* speedup of that kernel over the strongest baseline; 0 if unknown */
    char *over;           /* the strongest baseline; NULL if unknown */
    double bound_share;   /* the graph's bound over that kernel's time; 0 if unknown */
    struct {
        /* for each attempt the best kept time so far, in us; 0 before the first kept kernel */
        double *items;
        size_t count, capacity;
    } best_us;

    bool has_usd;
    double usd, tokens, minutes;

    unsigned step; /* the number of the step that waits for the engineer; 0 if none does */
    enum step_kind kind;
    char *title; /* title of that step */
    enum gain_source gain_source;
    double gain; /* the estimated gain, from `source`; 0 if unknown */
};

/* Replace the facts by those of `session`. */
void task_facts_read(struct task_facts *facts, const struct session *session);

/*
 * True if a decision on `a` could gain more than one on `b`.  A measured or promised gain goes
 * before an upper limit.
 */
bool task_facts_gains_more(const struct task_facts *a, const struct task_facts *b);

/* Free the contents and leave it empty. */
void task_facts_release(struct task_facts *facts);

#endif
