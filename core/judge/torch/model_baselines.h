#ifndef CORE_JUDGE_TORCH_MODEL_BASELINES_H
#define CORE_JUDGE_TORCH_MODEL_BASELINES_H

#include "core/judge/device/backend.h"
#include "core/judge/stats/baseline.h"
#include "core/judge/torch/bridge.h"

/*
 * The baselines of a PyTorch problem, timed by its bridge on the judge's
 * device: `eager`, `compile`, and for problems that allow mixed precision both
 * under TF32 and autocast to 16 bits (`eager_tf32`, `compile_bf16`, ...), because a
 * speedup at lower precision is measured against a baseline at that precision.  One whose
 * results are not within the tolerance is none.
 */

/* Where the model is timed, and how precise it must be. */
struct model_place {
    const struct device_info *device;
    const struct tolerance *tolerance;
};

enum { MODEL_BASELINES_MAX = 8 };

struct model_baselines {
    struct json *names; /* array; NULL until the model is on the device */
    struct baseline items[MODEL_BASELINES_MAX];
    struct error broken[MODEL_BASELINES_MAX]; /* why there is no such one */
    size_t count;
    struct error missing; /* why there is none at all */
};

/*
 * Time those that are due, now that candidates have been judged for `elapsed_us` more.  Fails only
 * when cancelled: what else goes wrong is kept for model_baselines_compare().
 */
enum status model_baselines_time(struct model_baselines *baselines, struct bridge *bridge,
                                 const struct model_place *place, double elapsed_us,
                                 struct error *err) MUST_CHECK;

/* Compare the verdict's time with each, and say as hazards which are missing. */
void model_baselines_compare(const struct model_baselines *baselines, struct verdict *verdict);

/* All zeros afterwards. */
void model_baselines_release(struct model_baselines *baselines);

#endif
