#ifndef CORE_JUDGE_TASK_EXPECTATIONS_H
#define CORE_JUDGE_TASK_EXPECTATIONS_H

#include "core/judge/task/expectations_case.h"
#include "core/judge/task/expected_outputs.h"
#include "core/system/turn_lock.h"

/*
 * Expected outputs, computed in advance by a background thread: the oracle's outputs for secret
 * seeds, at every set of dimensions that candidates are verified at. The thread lints the problem
 * first, and goes on in the order in which the judge verifies. It works while a language model is
 * still writing; the entry that a caller waits for comes next.
 */
struct expectations;

/*
 * Number of expectations for timed runs, at the main dimensions. No candidate has seen their data.
 */
enum { EXPECTATIONS_SECRETS = 2 };

/*
 * The expectations to make: `trials` seeds at the main dimensions, one at each of the problem's
 * further sets of dimensions, and one at each of `unseen` sets that are drawn where dimensions are
 * dynamic. The smallest of these has others on varied data besides.
 */
struct expectations_options {
    const struct problem *problem; /* borrowed until expectations_free() */
    const char
        *text; /* of the problem, the key of the lint's findings in the cache; NULL: not kept */
    /* For a problem without a graph, else NULL; borrowed as long. */
    const struct oracle_evaluator *evaluator;
    unsigned trials, unseen;
    struct expected_outputs_device device;
    struct turn_lock *turns; /* in which the thread works; NULL: at any time; borrowed */
};

/* Draw the seeds and build the graphs.  No output is computed yet. */
enum status expectations_new(const struct expectations_options *options,
                             struct expectations **expectations, struct error *err) MUST_CHECK;

/* Start the thread. Nothing can be taken before. May be called again. */
enum status expectations_start(struct expectations *expectations, struct error *err) MUST_CHECK;

/* How many expectations are computed. */
struct expectations_progress {
    unsigned made, total; /* sum over all cases */
    int fd;               /* readable when more are computed than `made` says */
};

/* The progress so far. */
struct expectations_progress expectations_progress(struct expectations *expectations);

/* Wait for the entry that is being computed, drop the rest, and free everything. */
void expectations_free(struct expectations *expectations);

/*
 * Wait until the device computes nothing, because a candidate needs it for itself. Returns at once
 * if the CPU computes the outputs.
 */
void expectations_settle(struct expectations *expectations);

/* Number of sets of dimensions, the main one included. */
size_t expectations_cases(const struct expectations *expectations);
const struct expectations_case *expectations_case(const struct expectations *expectations,
                                                  size_t index);

/* Number of expectations of a case. */
unsigned expectations_trials(const struct expectations *expectations, size_t index);

/*
 * Wait for an expectation and borrow it until expectations_free(). On a CPU its outputs rest on the
 * disk again (disk_memory.h) when another one is taken; whoever reads them brings them back.
 */
enum status expectations_take(struct expectations *expectations, size_t index, unsigned trial,
                              const struct expectation **expectation, struct error *err) MUST_CHECK;

/*
 * Wait for one of the expectations for timed runs, whose params are those of the last trial, and
 * borrow it until expectations_renew(). That call replaces all that were taken: each is used for
 * one evaluation only.
 */
enum status expectations_take_secret(struct expectations *expectations, unsigned index,
                                     const struct expectation **expectation,
                                     struct error *err) MUST_CHECK;
void expectations_renew(struct expectations *expectations);

/*
 * Compute the outputs for the params of the last trial and inputs from `input_seed` now. It takes
 * about expectations_cost_us(). The caller releases them.
 */
enum status expectations_compute(struct expectations *expectations, uint64_t input_seed,
                                 struct expectation *expectation, struct error *err) MUST_CHECK;
void expectations_release(const struct expectations *expectations, struct expectation *expectation);

/*
 * The time that the oracle took for the latest expectation at the main dimensions, beside what ran
 * then. 0: nothing is computed there yet.
 */
double expectations_cost_us(struct expectations *expectations);

/* True if the outputs at the main dimensions are known to be deferred (expected_outputs.h). */
bool expectations_are_deferred(struct expectations *expectations);

/* Wait for the findings of the task lint (lint.h), and borrow them until expectations_free(). */
const struct hazard_list *expectations_findings(struct expectations *expectations);

#endif
