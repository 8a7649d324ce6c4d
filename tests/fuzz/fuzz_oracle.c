#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle.h"
#include "core/model/problem_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small enough to be evaluated thousands of times a second. */
enum { MAX_ELEMENTS = 4096, MAX_NODES = 16, MAX_NUMBER = 64 };

/* Large attributes cause much work with little data, such as windows that consist of padding. */
static bool is_small_node(const struct graph_node *node)
{
    for (size_t i = 0; i < ATTRIBUTES_MAX; i++)
        for (size_t k = 0; k < node->attributes[i].count; k++)
            if (llabs(node->attributes[i].integers[k]) > MAX_NUMBER)
                return false;
    return true;
}

static bool is_small(const struct graph *graph)
{
    if (graph->nodes.count > MAX_NODES)
        return false;
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (!is_small_node(&graph->nodes.items[i]))
            return false;
    for (size_t i = 0; i < graph->values.count; i++)
        if (shape_elements(&graph->values.items[i].shape) > MAX_ELEMENTS)
            return false;
    return true;
}

static void evaluate(const struct problem *problem)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    struct oracle_values values = {0};
    struct error err;

    if (graph_build(&graph, problem, &scope, &err) == STATUS_OK && is_small(&graph)) {
        if (graph_flops(&graph) < 0 || graph_bytes(&graph) < 0)
            abort();
        if (oracle_expect(&graph, NULL, &(struct oracle_seeds){1, 1}, &values, &err) == STATUS_OK)
            oracle_values_release(&values);
    }
    graph_release(&graph);
    free(bindings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct problem problem = {0};
    struct error err;

    if (problem_parse(&problem, (const char *)data, size, "fuzz.json", &err) == STATUS_OK) {
        evaluate(&problem);
        problem_release(&problem);
    }
    return 0;
}
