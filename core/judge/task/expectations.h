#ifndef CORE_JUDGE_TASK_EXPECTATIONS_H
#define CORE_JUDGE_TASK_EXPECTATIONS_H

#include "core/judge/task/expectations_case.h"
#include "core/judge/task/expected_outputs.h"
#include "core/system/turn_lock.h"

/*
 * Expected outputs, computed in advance by a background thread: the oracle's outputs for secret
 * seeds, at every set of dimensions at which candidates are verified. The thread first runs the
 * task lint, and then computes entries in the order in which the judge verifies; an entry that a
 * caller waits for comes next. So it works while a language model still writes the candidate.
 */
struct expectations;

/*
 * The number of expectations for timed runs, at the main dimensions. No candidate has seen their
 * data before.
 */
enum { EXPECTATIONS_SECRETS = 2 };

/*
 * Further ones for sampled runs. They exist where outputs are deferred (expected_outputs.h) or a
 * device takes long for them, and as far as they have been computed ahead: they take time only
 * while a candidate is built or awaited.
 */
enum { EXPECTATIONS_SAMPLED = 3, EXPECTATIONS_TIMED = EXPECTATIONS_SECRETS + EXPECTATIONS_SAMPLED };

/*
 * The expectations to make: `trials` seeds at the main dimensions, one at each set of dimensions in
 * the problem's `also`, and one at each of `unseen` sets that are drawn if dimensions are dynamic.
 * The smallest of these cases also has expectations on varied data.
 */
struct expectations_options {
    const struct problem *problem; /* borrowed until expectations_free() */
    const char
        /*
         * text of the problem, the key under which the lint's findings are cached; NULL: they are
         * not cached
         */
        *text;
    /* For a problem without a graph, else NULL; borrowed until expectations_free(). */
    const struct oracle_evaluator *evaluator;
    unsigned trials, unseen;
    struct expected_outputs_device device;
    /*
     * the lock that the thread takes to use the device, so that it disturbs no timing; NULL: it
     * works at any time; borrowed
     */
    struct turn_lock *turns;
    bool shares_cores; /* work of the CPU takes the lock too: its cores are those that are timed */
};

/* Draw the seeds and build the graphs.  No output is computed yet. */
enum status expectations_new(const struct expectations_options *options,
                             struct expectations **expectations, struct error *err) MUST_CHECK;

/* Start the thread, unless it runs already. Nothing can be taken before. */
enum status expectations_start(struct expectations *expectations, struct error *err) MUST_CHECK;

/* The number of computed expectations. */
struct expectations_progress {
    unsigned made, total; /* sums over all cases */
    /* a descriptor that is readable when more have been computed than `made` */
    int fd;
};

/* The progress so far. */
struct expectations_progress expectations_progress(struct expectations *expectations);

/* Wait for the entry that is being computed, drop the remaining ones, and free everything. */
void expectations_free(struct expectations *expectations);

/*
 * Wait until the device oracle computes nothing, because a candidate needs the device for itself.
 * Returns at once if the CPU computes the outputs.
 */
void expectations_settle(struct expectations *expectations);

/* True for a case that only tries further sizes: one run with one kind of poison is enough. */
bool expectations_case_is_brief(const struct expectations *expectations, size_t index);

/* The number of cases (sets of dimensions), with the main one. */
size_t expectations_cases(const struct expectations *expectations);
const struct expectations_case *expectations_case(const struct expectations *expectations,
                                                  size_t index);

/* The number of expectations of a case. */
unsigned expectations_trials(const struct expectations *expectations, size_t index);

/*
 * Wait for an expectation and borrow it until expectations_free(). On a CPU its outputs move to the
 * disk (disk_memory.h) when another one is taken; reading them brings them back.
 */
enum status expectations_take(struct expectations *expectations, size_t index, unsigned trial,
                              const struct expectation **expectation, struct error *err) MUST_CHECK;

/*
 * Wait for an expectation for timed runs, of EXPECTATIONS_TIMED, and borrow it until
 * expectations_renew(). NULL if it does not exist. Its params are those of the last trial.
 * expectations_renew() replaces all that were taken, so each is used for one evaluation.
 */
enum status expectations_take_secret(struct expectations *expectations, unsigned index,
                                     const struct expectation **expectation,
                                     struct error *err) MUST_CHECK;
void expectations_renew(struct expectations *expectations);

/*
 * A candidate is about to be built: if the outputs of the first trial stay on a device, compute
 * them meanwhile, once after each expectations_renew().
 */
void expectations_look_ahead(struct expectations *expectations);

/*
 * Compute outputs at once, for the params of the last trial and inputs from `input_seed`. This
 * takes about expectations_cost_us(). The caller releases them.
 */
enum status expectations_compute(struct expectations *expectations, uint64_t input_seed,
                                 struct expectation *expectation, struct error *err) MUST_CHECK;
void expectations_release(const struct expectations *expectations, struct expectation *expectation);

/*
 * The time that the oracle took for the latest expectation at the main dimensions, in parallel with
 * whatever ran then; 0 before the first.
 */
double expectations_cost_us(struct expectations *expectations);

/* True if a device computes the outputs at the main dimensions, as long as it has room. */
bool expectations_are_on_device(const struct expectations *expectations);

/* True if the outputs at the main dimensions are known to be deferred (expected_outputs.h). */
bool expectations_are_deferred(struct expectations *expectations);

/* Wait for the findings of the task lint (lint.h), and borrow them until expectations_free(). */
const struct hazard_list *expectations_findings(struct expectations *expectations);

#endif
