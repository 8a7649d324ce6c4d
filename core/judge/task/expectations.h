#ifndef CORE_JUDGE_TASK_EXPECTATIONS_H
#define CORE_JUDGE_TASK_EXPECTATIONS_H

#include "core/judge/compare/verify.h"
#include "core/judge/oracle/oracle.h"

/*
 * What is expected, made ahead: the oracle's outputs for secret seeds, at
 * every set of dimensions that candidates are verified at, and before them
 * what lint finds in the task.  A thread fills the expectations while a model is
 * still thinking; whoever needs an entry waits for that entry only.
 */
struct expectations;

/* One set of dimensions of a problem. */
struct expectations_case {
    struct binding *bindings; /* of the problem's dims, owned */
    struct scope scope;       /* over bindings */
    struct graph graph;
    char *text; /* "M=512 N=1024 K=768" */
};

/*
 * Params and inputs from their seeds, and what they lead to.  The oracle's doubles are kept as
 * floats where the output is no wider, for half the memory: they lose no more than the output does,
 * which is rounded to its own type.
 */
struct expectation {
    uint64_t param_seed, input_seed;
    struct wanted *outputs; /* by value of the graph, measured; without elements for no output */
};

enum { EXPECTATIONS_MAIN = 0 }; /* the case of the main dimensions */

/* Expectations at the main dimensions for timed runs, whose data no candidate has seen. */
enum { EXPECTATIONS_SECRETS = 2 };

/*
 * The expectations to make: `trials` seeds at the main dimensions, one at each of the problem's
 * further sets of dimensions, and one at each of `unseen` sets that are drawn where dimensions are
 * dynamic.
 */
struct expectations_options {
    const struct problem *problem;            /* borrowed until expectations_free() */
    const struct oracle_evaluator *evaluator; /* of a problem without a graph; may be NULL; same */
    unsigned trials, unseen;
};

/* Draw the seeds and build the graphs.  No output is computed yet. */
enum status expectations_new(const struct expectations_options *options,
                             struct expectations **expectations, struct error *err) MUST_CHECK;

/* Start filling; nothing is taken before.  May be called again. */
enum status expectations_start(struct expectations *expectations, struct error *err) MUST_CHECK;

/* How far it has come. */
struct expectations_progress {
    unsigned made, total; /* expectations, all cases together */
    int fd;               /* readable when more are made than this says */
};

/* How far it has come by now. */
struct expectations_progress expectations_progress(struct expectations *expectations);

/* Waits for what is being made, and drops the rest. */
void expectations_free(struct expectations *expectations);

/* How many sets of dimensions there are, the main one included. */
size_t expectations_cases(const struct expectations *expectations);
const struct expectations_case *expectations_case(const struct expectations *expectations,
                                                  size_t index);

/* How many expectations the case has. */
unsigned expectations_trials(const struct expectations *expectations, size_t index);

/* Borrowed until expectations_free(); waits until it is made. */
enum status expectations_take(struct expectations *expectations, size_t index, unsigned trial,
                              const struct expectation **expectation, struct error *err) MUST_CHECK;

/*
 * The same of a secret, whose params are those of the last trial.  It is for one evaluation:
 * expectations_renew() then has others made in place of those that were taken.
 */
enum status expectations_take_secret(struct expectations *expectations, unsigned index,
                                     const struct expectation **expectation,
                                     struct error *err) MUST_CHECK;
void expectations_renew(struct expectations *expectations);

/*
 * Compute, now, what the params of the last trial and inputs from `input_seed` lead to; the caller
 * releases it.  It takes about what expectations_cost_us() says.
 */
enum status expectations_compute(struct expectations *expectations, uint64_t input_seed,
                                 struct expectation *expectation, struct error *err) MUST_CHECK;
void expectations_release(const struct expectations *expectations, struct expectation *expectation);

/* What the oracle took for the last trial at the main dimensions. */
double expectations_cost_us(struct expectations *expectations);

/* What lint finds in the task (lint.h), once it is known.  Borrowed until expectations_free(). */
const struct hazard_list *expectations_findings(struct expectations *expectations);

#endif
