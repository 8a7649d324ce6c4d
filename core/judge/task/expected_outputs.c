#include "core/judge/task/expected_outputs.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/task/varied_data.h"
#include "core/system/log.h"

/* A graph with more operations, or larger values, is for the device. */
static const double device_least_flops = 2e10, device_least_bytes = 0x1p28;

enum dtype expected_outputs_dtype(const struct value *output)
{
    bool is_wide =
        output->dtype == DTYPE_F64 || output->dtype == DTYPE_I64 || output->dtype == DTYPE_I32;

    return is_wide ? DTYPE_F64 : DTYPE_F32;
}

/* `is_derived`: how far each element may be off follows from `variance`. */
static struct wanted keep_output(const struct value *value, const double *computed,
                                 const double *variance, bool is_derived)
{
    struct wanted want = {.dtype = expected_outputs_dtype(value)};
    size_t count = (size_t)shape_elements(&value->shape);
    void *elements = mem_alloc_zeroed(count, dtype_bytes(want.dtype));

    dtype_from_double(want.dtype, computed, elements, count);
    want.elements = elements;
    want.magnitude = verify_measure(value, &want);
    if (is_derived)
        want.allowed = rounding_allowed(value, computed, variance);
    return want;
}

/* Keep the outputs. Inputs and params can be made again from their seeds. */
static struct wanted *keep_outputs(const struct graph *graph, const struct oracle_values *values)
{
    bool is_derived = values->rounding && graph->nodes.count > 0;
    struct wanted *outputs = mem_alloc_zeroed(values->count + 1, sizeof(*outputs));

    for (size_t i = 0; i < values->count; i++)
        if (graph->values.items[i].role == TENSOR_OUTPUT)
            outputs[i] = keep_output(&graph->values.items[i], values->items[i],
                                     values->variances[i], is_derived);
    return outputs;
}

static enum status check_fair(const struct expected_outputs_source *source,
                              const struct graph *graph, struct expectation *made,
                              struct error *err)
{
    const struct problem *problem = source->problem;
    const struct varied_data data = {graph,
                                     &problem->tolerance,
                                     {made->param_seed, made->input_seed},
                                     made->outputs,
                                     source->blocks};
    bool are_fair = false;
    enum status st = varied_data_check(&data, &are_fair, err);

    made->is_unfair = !are_fair;
    if (!st && !are_fair)
        log_line("%s: no trial on %s, which amplify rounding or exceed a type's range",
                 problem->name, variation_name(variation_of(made->input_seed)));
    return st;
}

/* Compute the outputs for the seeds of `made`, on the CPU. */
static enum status expect_on_host(const struct expected_outputs_source *source,
                                  const struct graph *graph, struct expectation *made,
                                  struct error *err)
{
    struct oracle_values values = {.blocks = source->blocks};
    const struct oracle_seeds seeds = {made->param_seed, made->input_seed};
    struct rounding rounding;

    if (rounding_of(&source->problem->tolerance, &rounding))
        values.rounding = &rounding;
    rounding.is_varied = variation_of(made->input_seed) != VARIATION_NONE;

    enum status st = oracle_expect(graph, source->evaluator, &seeds, &values, err);

    if (!st)
        made->outputs = keep_outputs(graph, &values);
    oracle_values_release(&values);
    if (!st && variation_of(made->input_seed))
        st = check_fair(source, graph, made, err);
    return st;
}

bool expected_outputs_suit(const struct expected_outputs_device *device, const struct graph *graph)
{
    if (!device->data || graph->nodes.count == 0)
        return false;
    return device->takes_small || graph_flops(graph) > device_least_flops ||
           oracle_bytes(graph) > device_least_bytes;
}

enum status expected_outputs_make(const struct expected_outputs_source *source,
                                  const struct graph *graph, struct expectation *made,
                                  struct error *err)
{
    const struct expected_outputs_device *device = &source->device;

    /* The host makes varied data, and checks them. */
    if (!variation_of(made->input_seed) && expected_outputs_suit(device, graph)) {
        if (!device->expect(device->data, source->problem, graph, made, err))
            return STATUS_OK;
        log_line("%s: expected values on the CPU: %s", source->problem->name, err->text);
    }
    return expect_on_host(source, graph, made, err);
}

void expected_outputs_release(const struct graph *graph, struct wanted *outputs)
{
    for (size_t i = 0; outputs && i < graph->values.count; i++) {
        free((void *)(uintptr_t)outputs[i].elements);
        free((void *)(uintptr_t)outputs[i].allowed);
    }
    free(outputs);
}
