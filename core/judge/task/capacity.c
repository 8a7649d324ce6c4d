#include "core/judge/task/capacity.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/base/format.h"
#include "core/base/mem.h"
#include "core/judge/task/expected_outputs.h"

static enum status check_device(const struct graph *graph, const struct json_ref *root,
                                const struct device_info *device, struct error *err)
{
    struct json_ref tensors = json_ref_member(root, "tensors");
    size_t i = 0;

    for (struct json_ref at = json_ref_first(&tensors); at.value; at = json_ref_next(&at), i++) {
        const struct value *value = &graph->values.items[i];
        int64_t bytes = shape_elements(&value->shape) * (int64_t)dtype_bytes(value->dtype) +
                        BUFFER_MARGINS_BYTES;

        if (bytes > device->max_buffer_bytes)
            return json_ref_error(&at, err,
                                  "takes %lld bytes, %s allows %lld in a buffer: make its "
                                  "dimensions smaller",
                                  (long long)bytes, device->id,
                                  (long long)device->max_buffer_bytes);
    }
    return STATUS_OK;
}

static double memory_bytes(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* A derived tolerance needs as much again, for the variances. */
static enum status check_host(const struct problem *problem, const struct graph *graph,
                              const struct json_ref *root, struct error *err)
{
    double bytes = oracle_bytes(graph) * (problem->tolerance.is_derived ? 2 : 1);
    double memory = memory_bytes();
    char needed[FORMAT_SIZE], present[FORMAT_SIZE];

    if (bytes <= memory)
        return STATUS_OK;
    return json_ref_error(root, err,
                          "the expected values take %s of memory, this machine has %s: make its "
                          "dimensions smaller",
                          format_bytes(needed, bytes), format_bytes(present, memory));
}

enum status capacity_check(const struct problem *problem, const struct oracle_evaluator *evaluator,
                           const struct device_info *device, struct error *err)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct json_ref root = json_ref_root(problem->document, problem->file);
    struct json_ref nodes = json_ref_member(&root, "graph");
    struct graph graph = {0};
    enum status st = graph_build(&graph, problem, &scope, err);

    if (!st && graph.nodes.count == 0 && !evaluator)
        st = json_ref_error(
            &nodes, err,
            "null, but only a PyTorch model can give the outputs of a problem without a graph");
    if (!st && device)
        st = check_device(&graph, &root, device, err);
    if (!st)
        st = check_host(problem, &graph, &root, err);
    graph_release(&graph);
    free(bindings);
    return st;
}

/* The bytes of the expected outputs of one trial, with how far each element may be off. */
static double expected_bytes(const struct problem *problem, const struct graph *graph)
{
    size_t allowed = problem->tolerance.is_derived ? sizeof(uint16_t) : 0;
    double bytes = 0;

    for (size_t i = 0; i < problem->tensors.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (value->role == TENSOR_OUTPUT)
            bytes += (double)shape_elements(&value->shape) *
                     (double)(dtype_bytes(expected_outputs_dtype(value)) + allowed);
    }
    return bytes;
}

unsigned capacity_trials(const struct problem *problem, unsigned wanted, unsigned others)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    unsigned trials = wanted;

    if (!graph_build(&graph, problem, &scope, NULL)) {
        double fitting = memory_bytes() / 4 / (expected_bytes(problem, &graph) + 1);

        if (fitting < (double)wanted + others)
            trials = fitting < 1 + others ? 1 : (unsigned)fitting - others;
    }
    graph_release(&graph);
    free(bindings);
    return trials;
}
