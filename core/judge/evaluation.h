#ifndef CORE_JUDGE_EVALUATION_H
#define CORE_JUDGE_EVALUATION_H

#include "core/judge/judge_options.h"
#include "core/judge/sampled_run.h"
#include "core/model/candidate.h"
#include "core/model/plan/plan.h"

/*
 * The evaluation of one candidate, as steps from its source to its timing. Each step either leaves
 * the verdict open or concludes it. The first conclusion ends the evaluation.
 */
/* The judge's objects, which every evaluation uses; all borrowed. */
struct evaluation_context {
    const struct judge_options *options;
    struct executor *executor;
    const struct problem *problem;
    struct expectations *expectations;
    const struct device_info *device;
    const struct roofs *roofs;
};

struct evaluation {
    const struct judge_options *options;
    struct executor *executor;
    const struct problem *problem;
    struct expectations *expectations;
    const struct device_info *device;
    const struct candidate *candidate;
    unsigned slot; /* where the candidate is loaded */
    /* another candidate may have damaged the executor's process (executor_doubt()) */
    bool is_doubtful;
    bool is_verified;     /* the candidate was right in every trial */
    bool has_begun;       /* trials_begin() was called */
    bool is_first_loaded; /* and loaded the first case */
    char *fault;          /* with all trials: the first fault, owned, or NULL */
    char *program; /* names what is compiled at the main dimensions (dispatch_program()); owned */
    unsigned rebuilt;   /* number of brief cases for which another program was compiled */
    const char *likely; /* values that an earlier candidate's tuning chose, or NULL; borrowed */
    struct plan plan;
    size_t choice;                         /* number of a choice of the plan's tunables */
    const struct expectations_case *shape; /* the case that is loaded now */
    struct dispatch dispatch;              /* the plan, resolved at that case */
    double expected_us;                    /* time of a run in the trials */
    double oracle_us;                      /* time spent waiting for expected values */
    double build_us;                       /* time spent on builds of the candidate */
    struct verdict *verdict;
};

/* An evaluation of `candidate` in `slot`. Copies the context and borrows everything else. */
struct evaluation evaluation_make(const struct evaluation_context *context, unsigned slot,
                                  const struct candidate *candidate, struct verdict *verdict);

/*
 * The core share (core/model/plan/core_share.h) of its launches; 0 if it does not follow from their
 * sizes.
 */
double evaluation_core_share(const struct evaluation *evaluation);

/* Report progress to the judge's listener. */
void evaluation_report(const struct evaluation *evaluation, const char *stage, size_t done,
                       size_t total);

/* A step fails only if the candidate is not to blame. */
typedef enum status evaluation_step(struct evaluation *evaluation, struct error *err);

/* Check the language and parse the plan. */
evaluation_step evaluation_parse;

/* Free the plan, its dispatch, the fault and the name of the program. The verdict stays. */
void evaluation_release(struct evaluation *evaluation);

/* The source's digest, and the device, driver and host that judge it. The caller's. */
struct provenance evaluation_provenance(const struct evaluation *evaluation);

/*
 * How the time since `began_us` was spent; `before` is the executor's sum at that moment.
 */
struct spent evaluation_spent(const struct evaluation *evaluation,
                              const struct executor_spent *before, int64_t began_us);

/*
 * Resolve the plan at case `index` of the expectations. Concludes the verdict if that fails, or if
 * buffers are too large.
 */
void evaluation_resolve(struct evaluation *evaluation, size_t index);

/* The compiler of the candidate's language outside of the executor (program_compiler.h), or NULL.
 */
struct program_compiler *evaluation_compiler(const struct evaluation *evaluation);

/*
 * Resolve the plan with a choice at a case, for the caller, who releases it. False, and no verdict,
 * if that fails.
 */
bool evaluation_dispatch(const struct evaluation *evaluation, size_t choice, size_t index,
                         struct dispatch *dispatch);

/* Make a run of the loaded program, and copy the outputs that it left. */
enum status evaluation_run(struct evaluation *evaluation, const struct inspection *inspection,
                           const struct executor_run *run, struct executor_times *times,
                           struct error *err) MUST_CHECK;

/*
 * Make the tensors of case `index` of the expectations, then build and load the candidate on them.
 */
enum status evaluation_load(struct evaluation *evaluation, size_t index,
                            struct error *err) MUST_CHECK;

/* Wait for the expected outputs of all trials. */
enum status evaluation_await(struct evaluation *e, struct error *err) MUST_CHECK;

/*
 * How long timing usually takes, in us: on a GPU it is precise long before its limit. Shares of the
 * time are shares of this.
 */
int64_t evaluation_timing_us(const struct evaluation *evaluation);

/* Wait for the expected outputs of the timed runs; `secrets` has room for EXPECTATIONS_TIMED. */
enum status evaluation_secrets(struct evaluation *e, const struct expectation **secrets,
                               struct error *err) MUST_CHECK;

/*
 * Drop the executor's copies of buffers, because the oracle needs their memory. Nothing is dropped
 * for deferred expectations, which need no memory on the host.
 */
void evaluation_make_room(struct evaluation *e, const struct expectation *expected);

/* Verify a sampled run against expected outputs that are computed now. */
enum status evaluation_check_sampled_run(struct evaluation *e, const struct inspection *inspection,
                                         const struct sampled_run *sampled_run,
                                         struct error *err) MUST_CHECK;

/*
 * Check each run of a sample like evaluation_check_sampled_run(), until one is wrong. Drops the
 * executor's copies.
 */
enum status evaluation_check_sample(struct evaluation *e, const struct inspection *inspection,
                                    const struct sampled_runs *sample,
                                    struct error *err) MUST_CHECK;

/* Run the loaded program on the data of one expectation, and inspect the outputs. */
enum status evaluation_run_trial(struct evaluation *evaluation, const struct inspection *inspection,
                                 struct executor_times *times, struct error *err) MUST_CHECK;

/*
 * Load at the main dimensions a program that was judged before, with params made from `param_seed`.
 * `with_tensors` also makes the tensors on the device; otherwise those that are there are used.
 */
enum status evaluation_place(struct evaluation *evaluation, uint64_t param_seed, bool with_tensors,
                             struct error *err) MUST_CHECK;

/*
 * Build a program that was judged before and run it once, in an executor whose binaries may be
 * cached (executor_may_keep()), and cache the binary.
 */
enum status evaluation_keep(struct evaluation *evaluation, uint64_t param_seed,
                            struct error *err) MUST_CHECK;

/*
 * Build the candidate before its first run and cache the binary, if the executor's binaries may
 * still be cached: the next executor then loads the same candidate without compiling.
 */
enum status evaluation_keep_build(struct evaluation *evaluation, struct error *err) MUST_CHECK;

/*
 * Handle a failed call of the executor. If the candidate is to blame, conclude the verdict and
 * return STATUS_OK; otherwise return `st`.
 */
enum status evaluation_absorb(struct evaluation *evaluation, enum status st, struct error *err);

/*
 * True if the candidate crashed a process in which other candidates had run, or failed a trial in a
 * process that is doubted (executor_doubt()). One of the others may have damaged it, so the
 * candidate is tried once more, in a new process. The data of trials are the same then, so that a
 * wrong kernel gains nothing. A timed run that is wrong is not excused: its data are drawn once.
 */
bool evaluation_may_be_innocent(const struct evaluation *evaluation);

/* The last trial of the main case. The params on the device were made from its seed. */
unsigned evaluation_last_trial(const struct evaluation *evaluation);

/*
 * Fill in how to verify a run on the data of a trial at case `index`. Waits until its expected
 * outputs are computed.
 */
enum status evaluation_inspection(struct evaluation *evaluation, size_t index, unsigned trial,
                                  struct inspection *inspection, struct error *err) MUST_CHECK;

#endif
