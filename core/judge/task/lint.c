#include "core/judge/task/lint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/judge/compare/tolerance16.h"
#include "core/judge/oracle/oracle_memory.h"
#include "core/judge/task/capacity.h"
#include "core/judge/task/same_numbers.h"
#include "core/judge/task/smaller_problem.h"
#include "core/judge/task/suspicions.h"

enum { MAX_ROUNDS = 4 };

/*
 * Operations, and bytes as well, that all evaluations of the lint may take together: a few seconds
 * of a core. The first sample may cost more.
 */
static const double most_cost = 4e9;

/* A first sample that costs more than this, many seconds of a core, is not taken either. */
static const double largest_cost = 2e10;

struct lint {
    struct suspicions suspicions;
    const struct graph *graph;
    const struct oracle_evaluator *evaluator;
    const struct tolerance *tolerance;
    const struct rounding *rounding; /* NULL if the tolerance is not derived */
    struct block_pool *blocks;       /* memory reused by all samples */
    size_t samples;
    double cost, left; /* of an evaluation; what is left for all of them */
};

/* If fewer elements than this share must match, a kernel can leave out a part of the work. */
static const double least_matched = 0.999;

static void observe_value(struct lint *lint, size_t index, const double *elements)
{
    struct value_suspicion *suspicion = &lint->suspicions.values[index];

    inverse_ops_see_value(lint->suspicions.inverse, index, elements);
    if (lint->samples == 0)
        suspicion->number = same_numbers(elements[0], 0) ? 0 : elements[0];
    if (suspicion->is_still)
        suspicion->is_still = same_numbers_all(
            elements, value_elements(&lint->graph->values.items[index]), suspicion->number);
}

static void observe_node(void *data, const struct oracle_values *values, size_t node)
{
    struct lint *lint = data;
    const struct graph_node *place = &lint->graph->nodes.items[node];
    const double *out = values->items[place->out];
    size_t count = value_elements(&lint->graph->values.items[place->out]);

    for (size_t i = 0; i < place->in_count; i++) {
        unsigned bit = 1U << i;

        if (lint->suspicions.unchanged[node] & bit &&
            !same_numbers_equal(values->items[place->in[i]], out, count))
            lint->suspicions.unchanged[node] &= ~bit;
    }
    observe_value(lint, place->out, out);
    inverse_ops_see_node(lint->suspicions.inverse, node);
}

/* The expected elements of an output. The caller frees `allowed`. */
static struct wanted wanted_of(const struct lint *lint, const struct oracle_values *values,
                               size_t index)
{
    const struct value *value = &lint->graph->values.items[index];
    struct wanted want = {.elements = values->items[index], .dtype = DTYPE_F64};

    if (lint->rounding && lint->graph->nodes.count > 0)
        want.allowed = tolerance16_take(
            rounding_allowed(value, values->items[index], values->variances[index]),
            value_elements(value));
    else
        want.magnitude = verify_measure(value, &want);
    return want;
}

/* The largest finite element, if the output's type cannot store it; else 0. */
static double find_unheld(const struct value *value, const double *elements)
{
    double largest = 0;

    for (size_t i = 0; i < value_elements(value); i++)
        if (isfinite(elements[i]) && fabs(elements[i]) > fabs(largest))
            largest = elements[i];
    return dtype_holds(value->dtype, largest) ? 0 : largest;
}

static void check_output(struct lint *lint, const struct oracle_values *values, size_t index)
{
    const struct value *value = &lint->graph->values.items[index];
    struct value_suspicion *suspicion = &lint->suspicions.values[index];
    struct wanted want = wanted_of(lint, values, index);

    if (lint->samples == 0)
        pretenders_choose(&suspicion->pretenders, values->items[index], value_elements(value));
    if (suspicion->unheld == 0)
        suspicion->unheld = find_unheld(value, values->items[index]);
    pretenders_try(&suspicion->pretenders, value, &want, lint->tolerance);
    for (size_t i = 0; i < values->count && i < SUSPICIONS_COPIES; i++)
        if (suspicion->copies >> i & 1 &&
            !pretenders_pass_as(values->items[i], value, &want, lint->tolerance))
            suspicion->copies &= ~(UINT64_C(1) << i);
    free((void *)(uintptr_t)want.allowed);
}

static void check_outputs(struct lint *lint, const struct oracle_values *values)
{
    for (size_t i = 0; i < values->count; i++)
        if (lint->graph->values.items[i].role == TENSOR_OUTPUT)
            check_output(lint, values, i);
}

/* Evaluate the graph, and drop the findings about values and nodes that this sample refutes. */
static enum status observe_sample(struct lint *lint, struct oracle_values *values,
                                  struct error *err)
{
    const struct oracle_observer observer = {observe_node, lint};

    for (size_t i = 0; i < values->count; i++)
        if (values->items[i])
            observe_value(lint, i, values->items[i]);
    return oracle_observe(lint->graph, lint->evaluator, &observer, values, err);
}

/* Like observe_sample(), and drop the findings about outputs that this sample refutes. */
static enum status take_sample(struct lint *lint, struct oracle_values *values, struct error *err)
{
    enum status st = observe_sample(lint, values, err);

    if (!st)
        check_outputs(lint, values);
    lint->samples++;
    return st;
}

/* True if an output of evaluation `a` is not within the tolerance of evaluation `b`. */
static bool outputs_differ(const struct lint *lint, const struct oracle_values *a,
                           const struct oracle_values *b)
{
    bool differ = false;

    for (size_t i = 0; !differ && i < a->count; i++) {
        const struct value *value = &lint->graph->values.items[i];

        if (value->role != TENSOR_OUTPUT)
            continue;
        struct wanted want = wanted_of(lint, b, i);
        differ = !pretenders_pass_as(a->items[i], value, &want, lint->tolerance);
        free((void *)(uintptr_t)want.allowed);
    }
    return differ;
}

/*
 * Draw new data for one input. If an output leaves the tolerance of `values`, the input is not
 * ignored.
 */
static enum status perturb(struct lint *lint, const struct oracle_values *values, size_t input,
                           uint64_t seed, struct error *err)
{
    struct oracle_values other = oracle_values_make(lint->graph);
    enum status st;

    other.blocks = lint->blocks;
    for (size_t i = 0; i < other.count; i++)
        if (tensor_is_given(lint->graph->values.items[i].role) && i != input)
            other.items[i] = values->items[i];
    oracle_draw(lint->graph, input, seed, &other);
    st = observe_sample(lint, &other, err);
    if (!st && outputs_differ(lint, &other, values))
        lint->suspicions.values[input].is_ignored = false;
    for (size_t i = 0; i < other.count; i++)
        if (other.items[i] == values->items[i])
            other.items[i] = NULL;
    oracle_values_release(&other);
    return st;
}

/* True if a further evaluation is within the limit. */
static bool spend(struct lint *lint)
{
    if (lint->left < lint->cost)
        return false;
    lint->left -= lint->cost;
    return true;
}

/* Drop the reductions that no number can replace. Takes the inputs and params of `values`. */
static enum status try_known(struct lint *lint, struct oracle_values *values, struct error *err)
{
    struct oracle_values other = oracle_values_make(lint->graph);
    enum status st = STATUS_OK;

    other.blocks = lint->blocks;
    known_results_take_given(lint->graph, values, &other);
    for (size_t n = 0; !st && n < lint->graph->nodes.count; n++) {
        struct known_result *known = &lint->suspicions.known[n];

        known->is_known = known->is_known && spend(lint);
        if (known->is_known)
            st = known_results_evaluate(lint->graph, n, &other, &known->number, err);
        known->is_known = known->is_known && !st && !outputs_differ(lint, &other, values);
    }
    oracle_values_release(&other);
    return st;
}

/* Draw new data for each suspected input, or param, as far as the limit allows. */
static enum status perturb_all(struct lint *lint, const struct oracle_values *values,
                               enum tensor_role role, uint64_t seed, struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < values->count; i++) {
        if (!lint->suspicions.values[i].is_ignored || lint->graph->values.items[i].role != role)
            continue;
        lint->suspicions.values[i].is_ignored = spend(lint);
        if (lint->suspicions.values[i].is_ignored)
            st = perturb(lint, values, i, seed, err);
    }
    return st;
}

static enum status run_round(struct lint *lint, uint64_t round, struct error *err)
{
    struct oracle_values values = oracle_values_make(lint->graph);
    enum status st;

    values.rounding = lint->rounding;
    values.blocks = lint->blocks;
    for (size_t i = 0; i < values.count; i++)
        if (tensor_is_given(lint->graph->values.items[i].role))
            oracle_draw(lint->graph, i, 2 * round, &values);
    st = take_sample(lint, &values, err);
    st = st ? st : perturb_all(lint, &values, TENSOR_INPUT, 2 * round + 1, err);
    st = st ? st : perturb_all(lint, &values, TENSOR_PARAM, 2 * round + 1, err);
    st = st ? st : try_known(lint, &values, err);
    oracle_values_release(&values);
    return st;
}

static double cost_of(const struct graph *graph)
{
    return fmax(oracle_flops(graph), oracle_bytes(graph));
}

/* Run further rounds while findings are left, because another round may refute them. */
static enum status lint_graph(const struct graph *graph, const struct oracle_evaluator *evaluator,
                              const struct tolerance *tolerance, struct hazard_list *findings,
                              struct error *err)
{
    struct lint lint = {suspicions_start(graph), graph, evaluator, tolerance,
                        .blocks = block_pool_new()};
    struct rounding rounding;
    struct hazard_list said = {0};
    enum status st = STATUS_OK;

    lint.cost = cost_of(graph);
    lint.left = most_cost;
    if (rounding_of(tolerance, &rounding))
        lint.rounding = &rounding;
    for (uint64_t round = 0; !st && round < MAX_ROUNDS; round++) {
        if (round > 0 && (!said.count || !spend(&lint)))
            break;
        hazard_list_release(&said);
        st = run_round(&lint, round, err);
        if (!st)
            suspicions_report(&lint.suspicions, &said);
    }
    suspicions_release(&lint.suspicions);
    block_pool_free(lint.blocks);
    if (!st)
        *findings = said;
    return st;
}

static enum status lint_main(const struct problem *problem,
                             const struct oracle_evaluator *evaluator, struct hazard_list *findings,
                             struct error *err)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    enum status st = graph_build(&graph, problem, &scope, err);

    if (!st && cost_of(&graph) > largest_cost)
        suspicions_say(findings, "not_linted",
                       "an evaluation takes %.2g operations, and the graph allows no fewer samples",
                       cost_of(&graph));
    else if (!st)
        st = lint_graph(&graph, evaluator, &problem->tolerance, findings, err);
    graph_release(&graph);
    free(bindings);
    return st;
}

enum status lint_problem(const struct problem *problem, const struct oracle_evaluator *evaluator,
                         struct hazard_list *findings, struct error *err)
{
    struct problem smaller = {0};
    const struct problem *linted = smaller_problem_make(problem, &smaller) ? &smaller : problem;
    enum status st = capacity_check(linted, evaluator, NULL, err);

    if (!st)
        st = lint_main(linted, evaluator, findings, err);
    if (!st && problem->tolerance.matched < least_matched)
        suspicions_say(findings, "partial_match", "tolerance: %.4g %% of the elements may be wrong",
                       100 * (1 - problem->tolerance.matched));
    problem_release(&smaller);
    return st;
}

void lint_repeat(const struct hazard_list *findings, struct verdict *verdict)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct hazard *finding = &findings->items[i];
        struct strbuf name = {0};

        strbuf_addf(&name, "task:%s", finding->name);
        verdict_add_hazard(verdict, strbuf_cstr(&name), finding->evidence);
        strbuf_release(&name);
    }
}
