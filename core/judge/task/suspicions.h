#ifndef CORE_JUDGE_TASK_SUSPICIONS_H
#define CORE_JUDGE_TASK_SUSPICIONS_H

#include "core/base/attr.h"
#include "core/judge/task/inverse_ops.h"
#include "core/judge/task/known_results.h"
#include "core/judge/task/pretenders.h"
#include "core/model/graph.h"
#include "core/model/verdict.h"

/*
 * The possible findings of the task lint (lint.h) about a graph. Each stands until a sample refutes
 * it.
 */

/* At most this many values of a graph are tried as copies of an output. */
enum { SUSPICIONS_COPIES = 64 };

/* About a value of the graph. */
struct value_suspicion {
    bool is_ignored; /* an input or param changes no output */
    bool is_still;   /* all elements are always `number` */
    double number;
    double unheld; /* for an output: an expected element that its type cannot store, else 0 */
    struct pretenders pretenders; /* for an output */
    uint64_t copies; /* for an output: bit i is set while value i would pass as this output */
};

struct suspicions {
    const struct graph *graph;
    struct value_suspicion *values; /* one for each value of the graph */
    struct known_result *known;     /* for each node: whether one number can replace its results */
    unsigned *unchanged; /* for each node: bit i is set while its result always equals operand i */
    struct inverse_ops *inverse;
};

/* Suspect everything about a graph, which is borrowed. Release the result. */
struct suspicions suspicions_start(const struct graph *graph);
void suspicions_release(struct suspicions *suspicions);

/* Add a finding for each suspicion that stands. */
void suspicions_report(const struct suspicions *suspicions, struct hazard_list *findings);

/* Add a finding. `name` is one of lint.h; the rest are its evidence. */
PRINTF_LIKE(3, 4)
void suspicions_say(struct hazard_list *findings, const char *name, const char *fmt, ...);

#endif
