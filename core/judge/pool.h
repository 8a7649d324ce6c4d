#ifndef CORE_JUDGE_POOL_H
#define CORE_JUDGE_POOL_H

#include "core/judge/oracle.h"
#include "core/judge/verify.h"

/*
 * What is expected, made ahead: the oracle's outputs for secret seeds, at
 * every set of dimensions that candidates are verified at, and before them
 * what lint finds in the task.  A thread fills the pool while a model is
 * still thinking; whoever needs an entry waits for that entry only.
 */
struct pool;

/* One set of dimensions of a problem. */
struct pool_case {
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

enum { POOL_MAIN = 0 }; /* the case of the main dimensions */

/* Expectations at the main dimensions for timed runs, whose data no candidate has seen. */
enum { POOL_SECRETS = 2 };

/*
 * What is to be made: `trials` seeds at the main dimensions, one at each of
 * the problem's further ones, and one at each of `unseen` drawn ones where
 * dimensions are dynamic.  `problem` is borrowed until pool_free().
 */
enum status pool_new(const struct problem *problem, unsigned trials, unsigned unseen,
                     struct pool **pool, struct error *err) MUST_CHECK;

/* Start filling; nothing is taken before.  May be called again. */
enum status pool_start(struct pool *pool, struct error *err) MUST_CHECK;

/* How far it has come. */
struct pool_progress {
    unsigned made, total; /* expectations, all cases together */
    int fd;               /* readable when more are made than this says */
};

/* How far it has come by now. */
struct pool_progress pool_progress(struct pool *pool);

/* Waits for what is being made, and drops the rest. */
void pool_free(struct pool *pool);

/* How many sets of dimensions there are, the main one included. */
size_t pool_cases(const struct pool *pool);
const struct pool_case *pool_case(const struct pool *pool, size_t index);

/* How many expectations the case has. */
unsigned pool_trials(const struct pool *pool, size_t index);

/* Borrowed until pool_free(); waits until it is made. */
enum status pool_take(struct pool *pool, size_t index, unsigned trial,
                      const struct expectation **expectation, struct error *err) MUST_CHECK;

/*
 * The same of a secret, whose params are those of the last trial.  It is for one evaluation:
 * pool_renew() then has others made in place of those that were taken.
 */
enum status pool_take_secret(struct pool *pool, unsigned index,
                             const struct expectation **expectation, struct error *err) MUST_CHECK;
void pool_renew(struct pool *pool);

/*
 * Compute, now, what the params of the last trial and inputs from `input_seed` lead to; the caller
 * releases it.  It takes about what pool_cost_us() says.
 */
enum status pool_expect(struct pool *pool, uint64_t input_seed, struct expectation *expectation,
                        struct error *err) MUST_CHECK;
void pool_release(const struct pool *pool, struct expectation *expectation);

/* What the oracle took for the last trial at the main dimensions. */
double pool_cost_us(struct pool *pool);

/* What lint finds in the task (lint.h), once it is known.  Borrowed until pool_free(). */
const struct hazard_list *pool_findings(struct pool *pool);

/* A seed that nobody has seen, below 2^49: exact in JSON as cJSON prints it, with 15 digits. */
uint64_t pool_fresh_seed(void);

#endif
