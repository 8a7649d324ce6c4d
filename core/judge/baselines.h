#ifndef CORE_JUDGE_BASELINES_H
#define CORE_JUDGE_BASELINES_H

#include "core/judge/evaluation.h"
#include "core/judge/stats/baseline.h"
#include "core/judge/torch/model_baselines.h"

/*
 * The baselines of a problem, which a correct candidate is compared with: the plain kernels on the
 * judge's device, the host library where the device is a CPU, and for a PyTorch problem those that
 * the model is timed with.  A baseline that cannot run is left out; the verdict then says why.
 */
struct baselines {
    struct candidate plain;
    struct error no_plain; /* why there are no plain kernels */
    struct baseline plain_times, host_times;
    struct model_baselines model;
    struct bridge *bridge; /* to the model of a PyTorch problem; borrowed */
    int64_t began_us;      /* when the evaluation under way began */
    double host_run_us;    /* time spent on running the host library in this evaluation */
    double host_data_us;   /* time spent on making its tensors */
};

/* The baselines of the context's problem.  Nothing is timed yet. */
void baselines_make(struct baselines *baselines, const struct evaluation_context *context,
                    struct bridge *bridge);
void baselines_release(struct baselines *baselines);

/* Compile the plain kernels before any candidate, so that their binary can be cached. */
enum status baselines_keep_plain(struct baselines *baselines,
                                 const struct evaluation_context *context,
                                 struct error *err) MUST_CHECK;

/* An evaluation begins. */
void baselines_begin(struct baselines *baselines);

/* Time the baselines that are due, and compare the timed candidate of `verdict` with each. */
enum status baselines_compare(struct baselines *baselines, const struct evaluation_context *context,
                              struct verdict *verdict, struct error *err) MUST_CHECK;

#endif
