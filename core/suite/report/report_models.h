#ifndef CORE_SUITE_REPORT_REPORT_MODELS_H
#define CORE_SUITE_REPORT_REPORT_MODELS_H

#include "core/suite/report/report_row.h"

/* Work and cost of each agent of each arm, summed over the sessions of a suite. */
struct report_model {
    size_t arm;  /* index */
    char *agent; /* owned */
    /* attempts: its candidates; correct: those found correct */
    unsigned sessions, attempts, correct;
    /* rounds with several candidates in which its candidate was the best */
    unsigned won;
    unsigned best;                        /* sessions whose best kernel it wrote */
    unsigned replies;                     /* analyses included */
    unsigned unknown_usd, unknown_tokens; /* replies whose cost or number of tokens is unknown */
    /* minutes: the time in which the session waited for its replies */
    double usd, prompt_tokens, reply_tokens, minutes;
};

/* All zeros is empty. */
struct report_models {
    struct report_model *items; /* by arm, in the order in which sessions name them */
    size_t count, capacity;
};

/* Add the agents of a task. */
void report_models_count(struct report_models *models, const struct report_row *row);

/* Sort by arm; agents of an arm keep their order. */
void report_models_sort(struct report_models *models);

/* Free the contents and leave it empty. */
void report_models_release(struct report_models *models);

#endif
