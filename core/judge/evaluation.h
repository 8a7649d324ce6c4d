#ifndef CORE_JUDGE_EVALUATION_H
#define CORE_JUDGE_EVALUATION_H

#include "core/judge/judge_options.h"
#include "core/judge/sampled_run.h"
#include "core/model/candidate.h"
#include "core/model/plan/plan.h"

/*
 * One candidate before the judge: the steps from source to timing.  Each
 * step either leaves the verdict open or concludes it, and the first
 * conclusion ends the evaluation.
 */
/* The judge's objects that every evaluation works with; all borrowed. */
struct evaluation_context {
    const struct judge_options *options;
    struct executor *executor;
    const struct problem *problem;
    struct expectations *expectations;
    const struct device_info *device;
};

struct evaluation {
    const struct judge_options *options;
    struct executor *executor;
    const struct problem *problem;
    struct expectations *expectations;
    const struct device_info *device;
    const struct candidate *candidate;
    unsigned slot; /* where it is loaded */
    struct plan plan;
    size_t choice;                         /* of the plan's tunables */
    const struct expectations_case *shape; /* the case that is loaded */
    struct dispatch dispatch;              /* the plan at it */
    double expected_us;                    /* a run took this long in the trials */
    double oracle_us;                      /* waited for expected values */
    struct verdict *verdict;
};

/* An evaluation of `candidate` in `slot`; borrows all but the context itself. */
struct evaluation evaluation_make(const struct evaluation_context *context, unsigned slot,
                                  const struct candidate *candidate, struct verdict *verdict);

/* Report progress to the judge's listener. */
void evaluation_report(const struct evaluation *evaluation, const char *stage, size_t done,
                       size_t total);

/* Fails only where the candidate is not to blame. */
typedef enum status evaluation_step(struct evaluation *evaluation, struct error *err);

/* Read the plan and the language. */
evaluation_step evaluation_parse;

/* Build, and run on every expectation of the expectations; the main case is loaded at the end. */
evaluation_step evaluation_verify;

/* Free the plan and what it was resolved to; the verdict stays. */
void evaluation_release(struct evaluation *evaluation);

/* Which candidate it is, and what judges it where.  The caller's. */
struct provenance evaluation_provenance(const struct evaluation *evaluation);

/* Make the tensors of case `index` of the expectations, and build and load the candidate on them.
 */
enum status evaluation_load(struct evaluation *evaluation, size_t index,
                            struct error *err) MUST_CHECK;

/* What is expected of timed runs: EXPECTATIONS_SECRETS of them. */
enum status evaluation_secrets(struct evaluation *e, const struct expectation **secrets,
                               struct error *err) MUST_CHECK;

/* Hold a timed run that was kept, if there is one, against expected values that are computed now.
 */
enum status evaluation_check_sampled_run(struct evaluation *e, const struct inspection *inspection,
                                         const struct sampled_run *sampled_run,
                                         struct error *err) MUST_CHECK;

/* Run what is loaded on the data of one expectation, and look at what it left. */
enum status evaluation_run_trial(struct evaluation *evaluation, const struct inspection *inspection,
                                 struct executor_times *times, struct error *err) MUST_CHECK;

/*
 * Load at the main dimensions what was judged before, with params made from
 * `param_seed`.  `with_tensors` makes the tensors as well: they are there
 * while something else is loaded beside this.
 */
enum status evaluation_place(struct evaluation *evaluation, uint64_t param_seed, bool with_tensors,
                             struct error *err) MUST_CHECK;

/* Have that compiled and run where what comes of it is then kept (executor_may_keep()). */
enum status evaluation_keep(struct evaluation *evaluation, uint64_t param_seed,
                            struct error *err) MUST_CHECK;

/* A failed call of the executor: the candidate's fault, which concludes, or ours. */
enum status evaluation_absorb(struct evaluation *evaluation, enum status st, struct error *err);

/* The last of the main case's trials: what is loaded has the params made from its seed. */
unsigned evaluation_last_trial(const struct evaluation *evaluation);

/* What a run on the data of a trial at case `index` of the expectations is held against; waits for
 * it. */
enum status evaluation_inspection(struct evaluation *evaluation, size_t index, unsigned trial,
                                  struct inspection *inspection, struct error *err) MUST_CHECK;

#endif
