#include "core/judge/judge_state.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/device_oracle/oracle_program.h"
#include "core/judge/oracle/oracle_memory.h"
#include "core/judge/roofs/roof_measure.h"
#include "core/model/graph.h"
#include "core/model/language.h"
#include "core/system/clock.h"
#include "core/system/log.h"

struct evaluation_context judge_context(struct judge *judge)
{
    return (struct evaluation_context){
        .options = &judge->options,
        .executor = judge->executor,
        .problem = &judge->problem,
        .expectations = judge->expectations,
        .device = judge->device,
        .roofs = &judge->roofs,
    };
}

struct device_oracle *judge_new_oracle(const struct judge *judge, const struct device_info *device)
{
    enum oracle_choice choice = judge->options.oracle;
    struct device_oracle_options options = {
        .executor = judge->options.executor,
        .build = judge->options.oracle_build,
        .compares_bytes = judge->options.oracle_compares_bytes,
    };

    /* The host would have to carry what the device compares. */
    if (options.compares_bytes <= 0 && !language_of(device->language)->names_buffers)
        options.compares_bytes = EXPECTED_OUTPUTS_VERY_LARGE_BYTES;

    if (choice == ORACLE_ON_DEVICE || (choice == ORACLE_BY_SIZE && !device->is_cpu))
        return device_oracle_new(&options);
    return NULL;
}

struct expected_outputs_device judge_use_oracle(struct judge *judge)
{
    judge->device_oracle =
        judge->next_oracle ? judge->next_oracle : judge_new_oracle(judge, judge->device);
    judge->next_oracle = NULL;
    if (judge->device_oracle)
        device_oracle_allow(judge->device_oracle, judge->ahead_bytes);
    if (judge->device_oracle)
        executor_on_free(judge->executor, device_oracle_let_go, judge->device_oracle);
    return (struct expected_outputs_device){.expect = device_oracle_expect,
                                            .compare = device_oracle_compare,
                                            .digest = device_oracle_digest,
                                            .look_ahead = device_oracle_look_ahead,
                                            .load = device_oracle_load,
                                            .data = judge->device_oracle,
                                            .takes_small =
                                                judge->options.oracle == ORACLE_ON_DEVICE};
}

enum status judge_take_turn(struct judge *judge, enum device_work work, struct error *err)
{
    int64_t began_us = clock_now_us();
    enum status st;

    if (work == DEVICE_TIMED) {
        bridge_settle(judge->bridge);
        baselines_settle(&judge->baselines);
        if (judge->profiler)
            tool_process_settle(judge->profiler->process);
    }
    st = device_turns_take(&judge->turns, work, &judge->began_us, err);
    log_long("to take a turn", began_us);
    return st;
}

void judge_report_roofs(const struct judge *judge)
{
    if (judge->options.measured)
        judge->options.measured(judge->options.data, &judge->roofs);
}

void judge_report_measuring(const struct judge *judge)
{
    static const struct evaluation_progress measuring = {.stage = "measuring roofs"};

    judge->options.progress(judge->options.data, &measuring);
}

enum status judge_raise_roofs(struct judge *judge, struct error *err)
{
    enum status st = judge_take_turn(judge, DEVICE_TIMED, err);
    int64_t began_us = clock_now_us();

    if (st)
        return st;
    judge_report_measuring(judge);
    st = roof_measure_raise(judge->executor, &judge->roofs, err);
    log_long("to raise the roofs", began_us);
    if (!st)
        judge_report_roofs(judge);
    return st;
}

/* Bytes of tensors that the processes of a judge may hold, and more for expected outputs ahead. */
struct demand {
    double bytes, ahead;
};

/* Graphs whose values take less are not looked at. */
static const double much_scratch = 1e9;

/* Bytes of the device oracle's values beside the tensors; 0 for few. */
static double oracle_demand(const struct judge *judge, const struct graph *graph)
{
    struct oracle_program_request request = {
        .problem = &judge->problem, .graph = graph, .language = judge->device->language};
    struct rounding rounding;

    if (judge->device->is_cpu || oracle_bytes(graph) < much_scratch)
        return 0;
    if (rounding_of(&judge->problem.tolerance, &rounding))
        request.rounding = &rounding;
    request.compares = request.rounding && expected_outputs_are_deferred(graph);
    return oracle_program_scratch(&request);
}

static struct demand demand_of(const struct judge *judge, const struct graph *graph)
{
    const struct device_info *device = judge->device;
    static const double context_bytes = 3e9, holders = 6, inner_holders = 4, ahead_share = 0.17;
    static const double given_holders = 2, given_sets = 2; /* backends/given_copies.h */
    double tensors = 0, given = 0, inner = 0, deferrable = expected_outputs_deferrable_bytes(graph);
    struct demand demand;

    for (size_t v = 0; v < graph->values.count; v++) {
        const struct value *value = &graph->values.items[v];
        double bytes = (double)shape_elements(&value->shape) * (double)dtype_bytes(value->dtype);

        if (value->role != TENSOR_INNER)
            tensors += bytes;
        else if (bytes > inner)
            inner = bytes;
        if (value->fill.kind == FILL_MODEL)
            given += value->role == TENSOR_PARAM ? bytes : given_sets * bytes;
    }
    demand.bytes = context_bytes + holders * tensors + given_holders * given +
                   fmax(inner_holders * inner, oracle_demand(judge, graph) + inner);
    demand.ahead = 2 * STASH_COUNT * deferrable; /* values and tolerances */
    if (demand.ahead > ahead_share * (double)device->memory_bytes)
        demand.ahead = ahead_share * (double)device->memory_bytes;
    if (device->is_cpu || !expected_outputs_are_deferred(graph))
        demand.ahead = 0;
    return demand;
}

/* Memory for what is computed ahead is taken only if no judge has to wait for it. */
static enum status reserve(struct judge *judge, const struct demand *demand, struct error *err)
{
    judge->ahead_bytes =
        device_turns_may_reserve(&judge->turns, demand->bytes + demand->ahead, judge->device)
            ? demand->ahead
            : 0;
    return judge->ahead_bytes > 0 ? STATUS_OK
                                  : device_turns_reserve(&judge->turns, demand->bytes,
                                                         judge->device, &judge->began_us, err);
}

void judge_rest_oracle(struct judge *judge)
{
    const struct graph *graph = &expectations_case(judge->expectations, EXPECTATIONS_MAIN)->graph;

    if (judge->device_oracle && !expectations_are_deferred(judge->expectations) &&
        expected_outputs_take_much(graph, judge->device))
        device_oracle_rest(judge->device_oracle);
}

enum status judge_reserve_memory(struct judge *judge, struct error *err)
{
    struct problem *problem = &judge->problem;
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    struct demand demand;
    enum status st = graph_build(&graph, problem, &scope, err);

    if (!st) {
        demand = demand_of(judge, &graph);
        st = reserve(judge, &demand, err);
    }
    graph_release(&graph);
    free(bindings);
    return st;
}
