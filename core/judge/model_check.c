#include "core/judge/model_check.h"

enum status model_check_make(struct model_check *check, const struct evaluation_context *context,
                             struct error *err)
{
    *check = (struct model_check){
        .problem = context->problem,
        .graph = &expectations_case(context->expectations, EXPECTATIONS_MAIN)->graph,
    };
    return expectations_take(context->expectations, EXPECTATIONS_MAIN, 0, &check->expected, err);
}

static enum status check_output(const struct model_check *check, size_t index, const void *got,
                                struct error *why)
{
    const struct expected_comparison comparison = {.problem = check->problem,
                                                   .graph = check->graph,
                                                   .expected = check->expected,
                                                   .output = index,
                                                   .got = got};
    struct trial trial = {0};
    enum status st = expected_outputs_compare(&comparison, &trial, NULL, why);

    if (st)
        return st;
    if (verify_passes(&trial, &check->problem->tolerance))
        return STATUS_OK;
    return error_set(why, STATUS_UNAVAILABLE,
                     "%.2g %% of its elements are not within the tolerance",
                     100 * (double)trial.mismatched / (double)trial.elements);
}

static enum status judge(const void *data, void *const *outputs, struct error *why)
{
    const struct model_check *check = data;
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < check->graph->values.count; i++)
        if (check->graph->values.items[i].role == TENSOR_OUTPUT)
            st = check_output(check, i, outputs[i], why);
    return st;
}

struct model_place model_check_place(const struct model_check *check,
                                     const struct evaluation_context *context)
{
    const struct problem *problem = context->problem;

    return (struct model_place){
        .source = {problem->torch.source, problem->torch.file,
                   problem->tolerance.allows_mixed ? "mixed" : "f32"},
        .limit_us = context->options->executor.build_limit_us,
        .device = context->device,
        .tolerance = &problem->tolerance,
        .names = context->options->baselines,
        .run = {check->graph, {check->expected->param_seed, check->expected->input_seed}},
        .judge = judge,
        .data = check,
    };
}
