#ifndef CORE_JUDGE_BASELINES_H
#define CORE_JUDGE_BASELINES_H

#include "core/judge/evaluation.h"
#include "core/judge/stats/baseline.h"
#include "core/judge/stats/relative_times.h"
#include "core/judge/timing/timing_result.h"
#include "core/judge/torch/model_baselines.h"

/*
 * The baselines of a problem, which a correct candidate is compared with: the plain kernels on the
 * judge's device, the host library if the device is a CPU, and for a PyTorch problem the forms in
 * which the model itself is run. A baseline that cannot run is left out; the verdict then says why.
 *
 * They are timed between the rounds of a candidate's timing (baseline.h). An evaluation calls
 * baselines_begin(), baselines_place() when the candidate is loaded for timing, baselines_time()
 * after each round, baselines_put_away() after the last one, and baselines_compare() when the
 * candidate is found correct.
 */
struct baselines {
    struct candidate plain;
    struct error no_plain; /* why there are no plain kernels */
    bool has_plain_failed; /* they failed in the current evaluation */
    struct baseline plain_times, host_times;
    struct model_baselines model;
    struct bridge *bridge; /* to the model of a PyTorch problem; borrowed */
    struct relative_times candidates;
    const struct evaluation_context *context; /* during an evaluation; borrowed */
    struct host_library *library;             /* exists only during a timing that needs it */
    bool is_watched;                          /* runs are watched (wire.h); the caller sets it */
    bool repeats;        /* and repeated (timing_repeats.h); the caller sets it */
    int64_t began_us;    /* when the current evaluation began */
    double host_run_us;  /* time spent on running the host library in this evaluation */
    double host_data_us; /* time spent on making its tensors */
};

/*
 * The candidate of an evaluation and its rivals, which are timed in turn with it; a rival may be
 * NULL.
 */
struct baselines_scene {
    const struct evaluation_context *context;
    const struct candidate *candidate;
    const struct candidate *rivals[TIMING_RIVALS];
};

/* The baselines of the context's problem.  Nothing is timed yet. */
void baselines_make(struct baselines *baselines, const struct evaluation_context *context,
                    struct bridge *bridge);
void baselines_release(struct baselines *baselines);

/* Compile the plain kernels before any candidate, so that their binary can be cached. */
enum status baselines_keep_plain(struct baselines *baselines,
                                 const struct evaluation_context *context,
                                 struct error *err) MUST_CHECK;

/*
 * Begin to compile baselines of a PyTorch model in the background, and wait for the expected
 * outputs that they are judged by.  Does nothing for other problems.
 */
enum status baselines_compile(struct baselines *baselines, const struct evaluation_context *context,
                              struct error *err) MUST_CHECK;

/* True while baselines are compiled in the background.  `*fd` is readable when that is over. */
bool baselines_are_compiling(const struct baselines *baselines, int *fd);

/* Stop compiling, or continue. */
void baselines_pause(struct baselines *baselines, bool is_paused);

/* During a pause, before something is timed: wait until the device has nothing to do for it. */
void baselines_settle(const struct baselines *baselines);

/* Begin an evaluation. */
void baselines_begin(struct baselines *baselines);

/*
 * Load the baselines that are due, besides the candidate, whose tensors are on the device with
 * params made from `param_seed`. It may end the executor: then `*is_lost` becomes true, and the
 * caller has to load the candidate again, and then the baselines.
 */
enum status baselines_place(struct baselines *baselines, const struct baselines_scene *scene,
                            uint64_t param_seed, bool *is_lost, struct error *err) MUST_CHECK;

/*
 * Time a sample of each baseline that is due, after round `round`.  If the plain kernels fail, the
 * error is that of the executor, which may have lost all programs.  They are dropped when they fail
 * for the second time.
 */
enum status baselines_time(struct baselines *baselines, size_t round, struct error *err) MUST_CHECK;

/* Free what baselines_place() made. */
void baselines_put_away(struct baselines *baselines);

/* Drop the samples of this timing, which is repeated from the beginning. */
void baselines_repeat(struct baselines *baselines);

/*
 * Compare a correct candidate with each baseline.  `verdict` has its timing and the comparisons
 * with its rivals.
 */
void baselines_compare(struct baselines *baselines, const struct baselines_scene *scene,
                       const struct timing_result *result, struct verdict *verdict);

#endif
