#include "core/judge/task/lint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/judge/compare/tolerance16.h"
#include "core/judge/task/capacity.h"
#include "core/judge/task/inverse_ops.h"
#include "core/judge/task/known_results.h"
#include "core/judge/task/pretenders.h"
#include "core/judge/task/same_numbers.h"
#include "core/judge/task/smaller_problem.h"

enum { MAX_ROUNDS = 4 };

/* Operations that a round may take beyond a sample and one more for each input. */
static const double most_flops = 4e9;

/* Possible findings about a value of the graph; each stands until a sample refutes it. */
struct value_suspicion {
    bool is_ignored; /* an input or param changes no output */
    bool is_still;   /* all elements are always `number` */
    double number;
    double unheld; /* for an output: an expected element that its type cannot store, else 0 */
    struct pretenders pretenders; /* for an output */
    uint64_t copies; /* for an output: bit i is set while value i would pass as this output */
};

struct lint {
    const struct graph *graph;
    const struct oracle_evaluator *evaluator;
    const struct tolerance *tolerance;
    const struct rounding *rounding; /* NULL if the tolerance is not derived */
    struct value_suspicion *values;  /* one for each value of the graph */
    struct known_result *known;      /* for each node: whether one number can replace its results */
    /* for each node: bit i is set while its result always equals operand i */
    unsigned *unchanged;
    struct inverse_ops *inverse;
    struct block_pool *blocks; /* memory reused by all samples */
    size_t samples;
    double flops, left; /* of an evaluation; of the round */
};

/* True if each draw gives a tensor new data; a tensor that the model holds is always the same. */
static bool is_drawn(const struct value *value)
{
    return tensor_is_given(value->role) &&
           (value->fill.kind != FILL_MODEL || value->given.count > 1);
}

static size_t element_count(const struct value *value)
{
    return (size_t)shape_elements(&value->shape);
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

/* If fewer elements than this share must match, a kernel can leave out a part of the work. */
static const double least_matched = 0.999;

enum { COPIES_MAX = 64 };

/* The inputs and params with the shape of output `index`, as bits. */
static uint64_t find_copies(const struct graph *graph, size_t index)
{
    const struct value *output = &graph->values.items[index];
    uint64_t copies = 0;

    for (size_t i = 0; i < graph->values.count && i < COPIES_MAX; i++)
        if (output->role == TENSOR_OUTPUT && tensor_is_given(graph->values.items[i].role) &&
            shape_equals(&graph->values.items[i].shape, &output->shape))
            copies |= UINT64_C(1) << i;
    return copies;
}

/* Mark every finding as possible. */
static void suspect(struct lint *lint)
{
    const struct graph *graph = lint->graph;

    lint->values = mem_alloc_zeroed(graph->values.count + 1, sizeof(*lint->values));
    lint->unchanged = mem_alloc_zeroed(graph->nodes.count + 1, sizeof(*lint->unchanged));
    lint->known = mem_alloc_zeroed(graph->nodes.count + 1, sizeof(*lint->known));
    lint->inverse = inverse_ops_new(graph);
    for (size_t i = 0; i < graph->values.count; i++) {
        lint->values[i].is_still = true;
        lint->values[i].is_ignored = is_drawn(&graph->values.items[i]);
        lint->values[i].pretenders = pretenders_start();
        lint->values[i].copies = find_copies(graph, i);
    }
    for (size_t n = 0; n < graph->nodes.count; n++) {
        struct op_call call = graph_call(graph, n);

        lint->unchanged[n] = comparable_operands(&call);
        lint->known[n].is_known = known_results_may_be(graph, n);
    }
}

static void observe_value(struct lint *lint, size_t index, const double *elements)
{
    struct value_suspicion *suspicion = &lint->values[index];

    inverse_ops_see_value(lint->inverse, index, elements);
    if (lint->samples == 0)
        suspicion->number = same_numbers(elements[0], 0) ? 0 : elements[0];
    if (suspicion->is_still)
        suspicion->is_still = same_numbers_all(
            elements, element_count(&lint->graph->values.items[index]), suspicion->number);
}

static void observe_node(void *data, const struct oracle_values *values, size_t node)
{
    struct lint *lint = data;
    const struct graph_node *place = &lint->graph->nodes.items[node];
    const double *out = values->items[place->out];
    size_t count = element_count(&lint->graph->values.items[place->out]);

    for (size_t i = 0; i < place->in_count; i++) {
        unsigned bit = 1U << i;

        if (lint->unchanged[node] & bit &&
            !same_numbers_equal(values->items[place->in[i]], out, count))
            lint->unchanged[node] &= ~bit;
    }
    observe_value(lint, place->out, out);
    inverse_ops_see_node(lint->inverse, node);
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
            element_count(value));
    else
        want.magnitude = verify_measure(value, &want);
    return want;
}

/* The largest finite element, if the output's type cannot store it; else 0. */
static double find_unheld(const struct value *value, const double *elements)
{
    double largest = 0;

    for (size_t i = 0; i < element_count(value); i++)
        if (isfinite(elements[i]) && fabs(elements[i]) > fabs(largest))
            largest = elements[i];
    return dtype_holds(value->dtype, largest) ? 0 : largest;
}

static void check_output(struct lint *lint, const struct oracle_values *values, size_t index)
{
    const struct value *value = &lint->graph->values.items[index];
    struct value_suspicion *suspicion = &lint->values[index];
    struct wanted want = wanted_of(lint, values, index);

    if (lint->samples == 0)
        pretenders_choose(&suspicion->pretenders, values->items[index], element_count(value));
    if (suspicion->unheld == 0)
        suspicion->unheld = find_unheld(value, values->items[index]);
    pretenders_try(&suspicion->pretenders, value, &want, lint->tolerance);
    for (size_t i = 0; i < values->count && i < COPIES_MAX; i++)
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
        lint->values[input].is_ignored = false;
    for (size_t i = 0; i < other.count; i++)
        if (other.items[i] == values->items[i])
            other.items[i] = NULL;
    oracle_values_release(&other);
    return st;
}

/* Drop the reductions that no number can replace. Takes the inputs and params of `values`. */
static enum status try_known(struct lint *lint, struct oracle_values *values, struct error *err)
{
    struct oracle_values other = oracle_values_make(lint->graph);
    enum status st = STATUS_OK;

    other.blocks = lint->blocks;
    known_results_take_given(lint->graph, values, &other);
    for (size_t n = 0; !st && n < lint->graph->nodes.count; n++) {
        struct known_result *known = &lint->known[n];

        known->is_known = known->is_known && lint->left >= lint->flops;
        lint->left -= known->is_known ? lint->flops : 0;
        if (known->is_known)
            st = known_results_evaluate(lint->graph, n, &other, &known->number, err);
        known->is_known = known->is_known && !st && !outputs_differ(lint, &other, values);
    }
    oracle_values_release(&other);
    return st;
}

/*
 * True if there is time to draw new data for the value. A large model has hundreds of params, each
 * of which takes an evaluation of its own; those beyond the limit are not suspected.
 */
static bool is_affordable(struct lint *lint, size_t index)
{
    bool is_param = lint->graph->values.items[index].role == TENSOR_PARAM;

    if (is_param && lint->left < lint->flops)
        return lint->values[index].is_ignored = false;
    lint->left -= is_param ? lint->flops : 0;
    return true;
}

static enum status run_round(struct lint *lint, uint64_t round, struct error *err)
{
    struct oracle_values values = oracle_values_make(lint->graph);
    enum status st;

    values.rounding = lint->rounding;
    values.blocks = lint->blocks;
    lint->left = most_flops;
    for (size_t i = 0; i < values.count; i++)
        if (tensor_is_given(lint->graph->values.items[i].role))
            oracle_draw(lint->graph, i, 2 * round, &values);
    st = take_sample(lint, &values, err);
    for (size_t i = 0; !st && i < values.count; i++)
        if (lint->values[i].is_ignored && is_affordable(lint, i))
            st = perturb(lint, &values, i, 2 * round + 1, err);
    st = st ? st : try_known(lint, &values, err);
    oracle_values_release(&values);
    return st;
}

PRINTF_LIKE(3, 4)
static void report(struct hazard_list *findings, const char *name, const char *fmt, ...)
{
    struct strbuf evidence = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&evidence, fmt, args);
    va_end(args);
    hazard_list_add(findings, name, strbuf_cstr(&evidence));
    strbuf_release(&evidence);
}

static void report_output(const struct lint *lint, size_t index, struct hazard_list *findings)
{
    const char *output = lint->graph->values.items[index].name;
    const struct pretender *best = pretenders_best(&lint->values[index].pretenders);
    double unheld = lint->values[index].unheld;

    if (unheld != 0)
        report(findings, "not_held", "%s: %.6g is expected, which %s cannot represent", output,
               unheld, dtype_name(lint->graph->values.items[index].dtype));
    if (best->passes && best->number == 0)
        report(findings, "zero_passes", "%s: zeros are within tolerance", output);
    else if (best->passes)
        report(findings, "constant_passes", "%s: the constant %.4g, %s, is within tolerance",
               output, best->number, best->name);
    else if (best->right >= pretenders_nearly_all)
        report(findings, "few_elements", "%s: %.4g, %s, is right for %.2f %% of the elements",
               output, best->number, best->name, 100 * best->right);
    if (lint->values[index].copies && !best->passes)
        report(findings, "copy_passes", "%s: a copy of %s is within tolerance", output,
               lint->graph->values.items[__builtin_ctzll(lint->values[index].copies)].name);
}

static void report_input(const struct lint *lint, size_t index, struct hazard_list *findings)
{
    const struct value_suspicion *suspicion = &lint->values[index];
    const char *name = lint->graph->values.items[index].name;

    if (suspicion->is_still)
        report(findings, "ignored_input", "%s: it always holds %.4g", name, suspicion->number);
    else if (suspicion->is_ignored)
        report(findings, "ignored_input",
               "%s: drawn anew, it changes no output beyond the tolerance", name);
}

/* True if a constant operand explains the constant result, which is then not reported again. */
static bool has_still_operand(const struct lint *lint, const struct graph_node *node)
{
    for (size_t i = 0; i < node->in_count; i++)
        if (lint->values[node->in[i]].is_still &&
            lint->graph->values.items[node->in[i]].role != TENSOR_CONSTANT)
            return true;
    return false;
}

/* True if a constant passes as an output; then numbers can replace all values before it. */
static bool constant_passes(const struct lint *lint)
{
    bool passes = false;

    for (size_t i = 0; i < lint->graph->values.count; i++)
        passes |= lint->graph->values.items[i].role == TENSOR_OUTPUT &&
                  pretenders_best(&lint->values[i].pretenders)->passes;
    return passes;
}

static void report_node(const struct lint *lint, size_t index, struct hazard_list *findings)
{
    const struct graph_node *node = &lint->graph->nodes.items[index];
    const struct value_suspicion *result = &lint->values[node->out];
    unsigned unchanged = lint->unchanged[index];
    long given_back = inverse_ops_to(lint->inverse, index);

    if (has_still_operand(lint, node))
        return;
    if (result->is_still && node->op->kind != OP_MOVEMENT)
        report(findings, "idle_operation", "graph[%zu] %s: it is always %.4g", index,
               node->op->name, result->number);
    else if (unchanged)
        report(findings, "idle_operation", "graph[%zu] %s: it never changes \"%s\"", index,
               node->op->name, lint->graph->values.items[node->in[__builtin_ctz(unchanged)]].name);
    else if (given_back >= 0)
        report(findings, "idle_operation", "graph[%zu] %s: it gives back \"%s\"", index,
               node->op->name, lint->graph->values.items[given_back].name);
    else if (lint->known[index].is_known && !constant_passes(lint))
        report(findings, "known_result",
               "graph[%zu] %s: with %.4g for all of its results, outputs are within tolerance",
               index, node->op->name, lint->known[index].number);
}

static void report_all(const struct lint *lint, struct hazard_list *findings)
{
    const struct graph *graph = lint->graph;

    for (size_t i = 0; i < graph->values.count; i++) {
        if (graph->values.items[i].role == TENSOR_OUTPUT)
            report_output(lint, i, findings);
        if (tensor_is_given(graph->values.items[i].role))
            report_input(lint, i, findings);
    }
    for (size_t n = 0; n < graph->nodes.count; n++)
        report_node(lint, n, findings);
}

/* Run further rounds while findings are left, because another round may refute them. */
static enum status lint_graph(const struct graph *graph, const struct oracle_evaluator *evaluator,
                              const struct tolerance *tolerance, struct hazard_list *findings,
                              struct error *err)
{
    struct lint lint = {graph, evaluator, tolerance, .blocks = block_pool_new()};
    struct rounding rounding;
    struct hazard_list said = {0};
    enum status st = STATUS_OK;

    lint.flops = oracle_flops(graph);
    if (rounding_of(tolerance, &rounding))
        lint.rounding = &rounding;
    suspect(&lint);
    for (uint64_t round = 0; !st && round < MAX_ROUNDS && (round == 0 || said.count); round++) {
        hazard_list_release(&said);
        st = run_round(&lint, round, err);
        if (!st)
            report_all(&lint, &said);
    }
    free(lint.values);
    free(lint.unchanged);
    free(lint.known);
    inverse_ops_free(lint.inverse);
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

    if (!st)
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
        report(findings, "partial_match", "tolerance: %.4g %% of the elements may be wrong",
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
