#ifndef CORE_JUDGE_TORCH_MODEL_BASELINES_H
#define CORE_JUDGE_TORCH_MODEL_BASELINES_H

#include "core/judge/device/backend.h"
#include "core/judge/stats/baseline.h"
#include "core/judge/torch/bridge.h"
#include "core/judge/torch/compiled_cache.h"
#include "core/judge/torch/compiler.h"

/*
 * The baselines of a PyTorch problem, timed by the bridge on the judge's device: `eager`,
 * `compile`, and for problems that allow mixed precision both at each lower one (`eager_tf32`,
 * `compile_bf16w`, ...; backends/torch/baselines.py has the list), because a speedup at lower
 * precision is measured against a baseline at that precision. A baseline whose results are not
 * within the tolerance is left out. Where the tensors are too large to compare results (2 GB), so
 * is each one at lower precision.
 *
 * No verdict waits for a compiler. Those that torch.compile makes are compiled in the background
 * (compiler.h) and timed from the next evaluation on. Until then verdicts name them as awaited.
 *
 * On a GPU the fastest compiled one is compiled once more with a search for the fastest kernels
 * (`autotune`, `autotune_bf16w`, ...). The search takes minutes at each precision, so it is made at
 * one.
 */

/* The place at which the model is timed, and the data on which its baselines are judged. Borrows
 * everything. */
struct model_place {
    struct model_source source;
    int64_t limit_us; /* for a request to a bridge */
    const struct device_info *device;
    const struct tolerance *tolerance;
    const char *names; /* names of the baselines to time, with commas; NULL: all */
    struct bridge_run run;
    /* The judge of a baseline's outputs: STATUS_UNAVAILABLE with the reason if they are wrong. */
    enum status (*judge)(const void *data, void *const *outputs, struct error *why);
    const void *data;
};

enum { MODEL_BASELINES_MAX = 16, MODEL_BASELINE_NAME = 32 };

struct model_baselines {
    struct json *names; /* array; NULL until the model is on the device */
    struct baseline items[MODEL_BASELINES_MAX];
    struct error broken[MODEL_BASELINES_MAX]; /* why a baseline is left out */
    size_t count;
    struct error missing;                /* why there are no baselines at all */
    bool is_warm[MODEL_BASELINES_MAX];   /* it has run, and its results are within the tolerance */
    bool is_wanted[MODEL_BASELINES_MAX]; /* it was or will be compiled in the background */
    bool is_kept[MODEL_BASELINES_MAX];   /* true if its time is in the cache */
    bool was_timed;                      /* in an earlier evaluation */
    struct compiler *compiler;           /* NULL: nothing was to be compiled yet */
    /* the process of the model, or that of the compiler, keeps memory of timed runs */
    bool holds_memory, compiler_holds_memory;
    struct compiled_cache cache;
    char
        autotune[MODEL_BASELINE_NAME]; /* name of the one that searches for kernels; "": none yet */
};

/* Begin to compile baselines in the background. Fails only if cancelled. */
enum status model_baselines_compile(struct model_baselines *baselines, struct bridge *bridge,
                                    const struct model_place *place, struct error *err) MUST_CHECK;

/* Stop compiling, or continue; and wait for the device (compiler_settle()). */
void model_baselines_pause(struct model_baselines *baselines, bool is_paused);
void model_baselines_settle(const struct model_baselines *baselines);

/* True while baselines are compiled. `*fd` is readable when that is over. */
bool model_baselines_are_compiling(const struct model_baselines *baselines, int *fd);

/* Begin an evaluation, or repeat its timing. */
void model_baselines_begin(struct model_baselines *baselines);

/* Drop the samples, because a new scale begins. */
void model_baselines_restart(struct model_baselines *baselines);

/*
 * Prepare the baselines that are due, for timing during a pause; candidates were judged for another
 * `elapsed_us` before. Fails only if cancelled; other errors are kept for
 * model_baselines_compare().
 */
enum status model_baselines_place(struct model_baselines *baselines, struct bridge *bridge,
                                  const struct model_place *place, double elapsed_us,
                                  struct error *err) MUST_CHECK;

/* Take a sample of each baseline that is due, after round `round`. Fails only if cancelled. */
enum status model_baselines_sample(struct model_baselines *baselines, struct bridge *bridge,
                                   size_t round, struct error *err) MUST_CHECK;

/* Let the processes give back the memory of the device that timed runs took. */
void model_baselines_rest(struct model_baselines *baselines, struct bridge *bridge);

/* The candidate was found correct: baseline_fold() for each baseline. */
void model_baselines_fold(struct model_baselines *baselines, const struct program_rounds *own,
                          bool is_busy, double time);

/*
 * Compare the verdict's time with each baseline. One that is missing, or that baseline_check() does
 * not accept, becomes a hazard; one that is not compiled yet is named as awaited.
 */
void model_baselines_compare(struct model_baselines *baselines, const struct baseline_scale *scale,
                             double least_us, struct verdict *verdict);

/* Free everything. All zeros afterwards. */
void model_baselines_release(struct model_baselines *baselines);

#endif
