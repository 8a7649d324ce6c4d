#ifndef CORE_JUDGE_MODEL_CHECK_H
#define CORE_JUDGE_MODEL_CHECK_H

#include "core/judge/evaluation.h"
#include "core/judge/torch/model_baselines.h"

/*
 * Verifies the outputs of a baseline of a PyTorch model like those of a candidate: on the data of
 * the first trial at the main dimensions, against the expected outputs and their tolerance.
 */
struct model_check {
    const struct problem *problem;
    const struct graph *graph;
    const struct expectation *expected; /* borrowed from the context's expectations */
};

/* Waits for the expected outputs. */
enum status model_check_make(struct model_check *check, const struct evaluation_context *context,
                             struct error *err) MUST_CHECK;

/* The place of a model on the context's device, with this check, which is borrowed. */
struct model_place model_check_place(const struct model_check *check,
                                     const struct evaluation_context *context);

#endif
