#include "core/judge/task/suspicions.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"

/* True if each draw gives a tensor new data; a tensor that the model holds is always the same. */
static bool is_drawn(const struct value *value)
{
    return tensor_is_given(value->role) &&
           (value->fill.kind != FILL_MODEL || value->given.count > 1);
}

/*
 * The operands that could equal the result. Moving elements or changing their type is never idle.
 */
static unsigned comparable_operands(const struct op_call *call)
{
    unsigned operands = 0;

    for (size_t i = 0; i < call->in_count && call->op->kind != OP_MOVEMENT; i++)
        if (call->in[i]->dtype == call->out->dtype &&
            shape_equals(&call->in[i]->shape, &call->out->shape))
            operands |= 1U << i;
    return operands;
}

/* The inputs and params with the shape of output `index`, as bits. */
static uint64_t find_copies(const struct graph *graph, size_t index)
{
    const struct value *output = &graph->values.items[index];
    uint64_t copies = 0;

    for (size_t i = 0; i < graph->values.count && i < SUSPICIONS_COPIES; i++)
        if (output->role == TENSOR_OUTPUT && tensor_is_given(graph->values.items[i].role) &&
            shape_equals(&graph->values.items[i].shape, &output->shape))
            copies |= UINT64_C(1) << i;
    return copies;
}

struct suspicions suspicions_start(const struct graph *graph)
{
    struct suspicions made = {.graph = graph};

    made.values = mem_alloc_zeroed(graph->values.count + 1, sizeof(*made.values));
    made.unchanged = mem_alloc_zeroed(graph->nodes.count + 1, sizeof(*made.unchanged));
    made.known = mem_alloc_zeroed(graph->nodes.count + 1, sizeof(*made.known));
    made.inverse = inverse_ops_new(graph);
    for (size_t i = 0; i < graph->values.count; i++) {
        made.values[i].is_still = true;
        made.values[i].is_ignored = is_drawn(&graph->values.items[i]);
        made.values[i].pretenders = pretenders_start();
        made.values[i].copies = find_copies(graph, i);
    }
    for (size_t n = 0; n < graph->nodes.count; n++) {
        struct op_call call = graph_call(graph, n);

        made.unchanged[n] = comparable_operands(&call);
        made.known[n].is_known = known_results_may_be(graph, n);
    }
    return made;
}

void suspicions_release(struct suspicions *suspicions)
{
    free(suspicions->values);
    free(suspicions->unchanged);
    free(suspicions->known);
    inverse_ops_free(suspicions->inverse);
}

void suspicions_say(struct hazard_list *findings, const char *name, const char *fmt, ...)
{
    struct strbuf evidence = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&evidence, fmt, args);
    va_end(args);
    hazard_list_add(findings, name, strbuf_cstr(&evidence));
    strbuf_release(&evidence);
}

static void report_output(const struct suspicions *suspicions, size_t index,
                          struct hazard_list *findings)
{
    const char *output = suspicions->graph->values.items[index].name;
    const struct pretender *best = pretenders_best(&suspicions->values[index].pretenders);
    double unheld = suspicions->values[index].unheld;

    if (unheld != 0)
        suspicions_say(findings, "not_held", "%s: %.6g is expected, which %s cannot represent",
                       output, unheld, dtype_name(suspicions->graph->values.items[index].dtype));
    if (best->passes && best->number == 0)
        suspicions_say(findings, "zero_passes", "%s: zeros are within tolerance", output);
    else if (best->passes)
        suspicions_say(findings, "constant_passes",
                       "%s: the constant %.4g, %s, is within tolerance", output, best->number,
                       best->name);
    else if (best->right >= pretenders_nearly_all)
        suspicions_say(findings, "few_elements",
                       "%s: %.4g, %s, is right for %.2f %% of the elements", output, best->number,
                       best->name, 100 * best->right);
    if (suspicions->values[index].copies && !best->passes)
        suspicions_say(
            findings, "copy_passes", "%s: a copy of %s is within tolerance", output,
            suspicions->graph->values.items[__builtin_ctzll(suspicions->values[index].copies)]
                .name);
}

static void report_input(const struct suspicions *suspicions, size_t index,
                         struct hazard_list *findings)
{
    const struct value_suspicion *suspicion = &suspicions->values[index];
    const char *name = suspicions->graph->values.items[index].name;

    if (suspicion->is_still)
        suspicions_say(findings, "ignored_input", "%s: it always holds %.4g", name,
                       suspicion->number);
    else if (suspicion->is_ignored)
        suspicions_say(findings, "ignored_input",
                       "%s: drawn anew, it changes no output beyond the tolerance", name);
}

/* True if a constant operand explains the constant result, which is then not reported again. */
static bool has_still_operand(const struct suspicions *suspicions, const struct graph_node *node)
{
    for (size_t i = 0; i < node->in_count; i++)
        if (suspicions->values[node->in[i]].is_still &&
            suspicions->graph->values.items[node->in[i]].role != TENSOR_CONSTANT)
            return true;
    return false;
}

/* True if a constant passes as an output; then numbers can replace all values before it. */
static bool constant_passes(const struct suspicions *suspicions)
{
    bool passes = false;

    for (size_t i = 0; i < suspicions->graph->values.count; i++)
        passes |= suspicions->graph->values.items[i].role == TENSOR_OUTPUT &&
                  pretenders_best(&suspicions->values[i].pretenders)->passes;
    return passes;
}

static void report_node(const struct suspicions *suspicions, size_t index,
                        struct hazard_list *findings)
{
    const struct graph_node *node = &suspicions->graph->nodes.items[index];
    const struct value_suspicion *result = &suspicions->values[node->out];
    unsigned unchanged = suspicions->unchanged[index];
    long given_back = inverse_ops_to(suspicions->inverse, index);

    if (has_still_operand(suspicions, node))
        return;
    if (result->is_still && node->op->kind != OP_MOVEMENT)
        suspicions_say(findings, "idle_operation", "graph[%zu] %s: it is always %.4g", index,
                       node->op->name, result->number);
    else if (unchanged)
        suspicions_say(findings, "idle_operation", "graph[%zu] %s: it never changes \"%s\"", index,
                       node->op->name,
                       suspicions->graph->values.items[node->in[__builtin_ctz(unchanged)]].name);
    else if (given_back >= 0)
        suspicions_say(findings, "idle_operation", "graph[%zu] %s: it gives back \"%s\"", index,
                       node->op->name, suspicions->graph->values.items[given_back].name);
    else if (suspicions->known[index].is_known && !constant_passes(suspicions))
        suspicions_say(
            findings, "known_result",
            "graph[%zu] %s: with %.4g for all of its results, outputs are within tolerance", index,
            node->op->name, suspicions->known[index].number);
}

void suspicions_report(const struct suspicions *suspicions, struct hazard_list *findings)
{
    const struct graph *graph = suspicions->graph;

    for (size_t i = 0; i < graph->values.count; i++) {
        if (graph->values.items[i].role == TENSOR_OUTPUT)
            report_output(suspicions, i, findings);
        if (tensor_is_given(graph->values.items[i].role))
            report_input(suspicions, i, findings);
    }
    for (size_t n = 0; n < graph->nodes.count; n++)
        report_node(suspicions, n, findings);
}
