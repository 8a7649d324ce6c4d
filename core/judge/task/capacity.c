#include "core/judge/task/capacity.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/task/expected_outputs.h"
#include "core/system/machine.h"

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

/* Bytes of all outputs of a problem. */
struct output_bytes {
    double computed; /* as a candidate's run leaves them */
    double expected; /* expected outputs of one trial, with the tolerance of each element */
    /* the same in memory shared with the device oracle, with tolerances as floats */
    double shared;
};

static struct output_bytes measure_outputs(const struct problem *problem, const struct graph *graph)
{
    double is_derived = problem->tolerance.is_derived;
    struct output_bytes bytes = {0};

    for (size_t i = 0; i < problem->tensors.count; i++) {
        const struct value *value = &graph->values.items[i];
        double elements = (double)shape_elements(&value->shape);
        double wanted = elements * (double)dtype_bytes(expected_outputs_dtype(value));

        if (value->role != TENSOR_OUTPUT)
            continue;
        bytes.computed += elements * (double)dtype_bytes(value->dtype);
        bytes.expected += wanted + is_derived * elements * sizeof(uint16_t);
        bytes.shared += wanted + is_derived * elements * sizeof(float);
    }
    return bytes;
}

/*
 * The expected outputs that exist at the same time: of a trial, of the timed runs, of a sampled
 * run.
 */
enum { LEAST_EXPECTED = 4 };

static bool is_on_device(const struct graph *graph, const struct device_info *device)
{
    return device && !device->is_cpu && expected_outputs_are_large(graph);
}

/* True if outputs stay on the GPU that computes them. */
static bool stay_on_device(const struct problem *problem, const struct graph *graph,
                           const struct device_info *device)
{
    return is_on_device(graph, device) && problem->tolerance.is_derived &&
           expected_outputs_are_deferred(graph);
}

/*
 * The host memory that the judge needs at least: for the outputs of two runs, for the expected
 * outputs that it keeps, and for an evaluation by the oracle or the copies that the device oracle
 * makes. If expected outputs are deferred, it needs only copies of the outputs: of a sampled run,
 * and for the device that compares.
 */
static double host_bytes(const struct problem *problem, const struct graph *graph,
                         const struct device_info *device)
{
    struct output_bytes outputs = measure_outputs(problem, graph);
    double oracle;

    if (stay_on_device(problem, graph, device))
        return 4 * outputs.computed;
    oracle =
        is_on_device(graph, device) ? outputs.shared : expected_outputs_host_bytes(problem, graph);

    return oracle + LEAST_EXPECTED * outputs.expected + 2 * outputs.computed;
}

static enum status check_host(double bytes, const struct json_ref *root, struct error *err)
{
    struct error wrong;

    if (!expected_outputs_check_memory(bytes, &wrong))
        return STATUS_OK;
    return json_ref_error(root, err, "%s", wrong.text);
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
        st = check_host(host_bytes(problem, &graph, device), &root, err);
    graph_release(&graph);
    free(bindings);
    return st;
}

enum { DEFERRED_TRIALS = 3 };

unsigned capacity_trials(const struct problem *problem, const struct device_info *device,
                         unsigned wanted, unsigned others)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    unsigned trials = wanted;

    if (!graph_build(&graph, problem, &scope, NULL)) {
        double fitting =
            machine_memory_bytes() / 4 / (measure_outputs(problem, &graph).expected + 1);

        if (fitting < (double)wanted + others)
            trials = fitting < 1 + others ? 1 : (unsigned)fitting - others;
        if (stay_on_device(problem, &graph, device) &&
            expected_outputs_deferrable_bytes(&graph) >= EXPECTED_OUTPUTS_VERY_LARGE_BYTES &&
            trials > DEFERRED_TRIALS)
            trials = DEFERRED_TRIALS;
    }
    graph_release(&graph);
    free(bindings);
    return trials;
}
