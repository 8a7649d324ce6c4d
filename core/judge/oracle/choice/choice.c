#include "core/judge/oracle/choice/choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/edge/whole_numbers.h"
#include "core/judge/oracle/rounding/dependence.h"

/* Numbers at least as far from zero stand for elements that are left out. */
static const double left_out = 1e30;

bool choice_is_place(const struct graph_node *node)
{
    static const char *const names[] = {"argmax", "argmin", "argsort", NULL};

    return op_is_one_of(node->op, names);
}

static bool is_inexact(const struct graph *graph, size_t value, const struct rounding *rounding,
                       const bool *inexact)
{
    const struct value *v = &graph->values.items[value];

    return tensor_is_given(v->role) ? rounding_changes_given(rounding, v->dtype) : inexact[value];
}

static bool is_one_number(const struct value *value)
{
    return value->role == TENSOR_CONSTANT ||
           (tensor_is_given(value->role) && value->fill.kind == FILL_CONSTANT);
}

/* True if the result of a node stands for elements that are left out: the logarithm of 0, moved. */
static bool is_left_out(const struct graph *graph, const struct graph_node *node, const bool *none)
{
    const struct value *operand = &graph->values.items[node->in[0]];

    if (strcmp(node->op->name, "log") == 0)
        return is_one_number(operand) && operand->fill.a == 0;
    return (node->op->view || strcmp(node->op->name, "neg") == 0) && none[node->in[0]];
}

/* The properties of a graph's values that are known. */
struct known {
    bool *inexact, *places, *none, *whole, *integer; /* none: left out */
    bool *steps; /* a condition decides on the elements, which rounding may change */
};

/* True if a condition that rounding may change leaves elements out. */
static bool may_leave_out(const struct graph_node *node, const struct known *known)
{
    size_t condition = node->in[0];

    return strcmp(node->op->name, "where") == 0 && known->inexact[condition] &&
           !known->whole[condition] && known->none[node->in[1]] != known->none[node->in[2]];
}

/* True if rounding may change a number that is counted and then looked for, as a sort's places. */
static bool looks_for_count(const struct graph *graph, const struct graph_node *node,
                            const struct known *known)
{
    enum dtype dtype = graph->values.items[node->in[0]].dtype;

    return strcmp(node->op->name, "eq") == 0 && !dtype_is_float(dtype) && dtype != DTYPE_BOOL &&
           known->inexact[node->in[0]] && !known->whole[node->in[0]];
}

/* A softmax leaves out elements that are this far below others, as by a mask of -10000. */
static const double far_below = 1e3;

static bool is_far(const struct graph *graph, size_t value)
{
    const struct value *v = &graph->values.items[value];

    return is_one_number(v) && fabs(v->fill.a) >= far_below;
}

/* True if a node makes a mask of a condition that rounding may change: by a number far below. */
static bool masks_by_steps(const struct graph *graph, const struct graph_node *node,
                           const struct known *known)
{
    if (strcmp(node->op->name, "where") == 0)
        return known->steps[node->in[0]] &&
               (is_far(graph, node->in[1]) || is_far(graph, node->in[2]));
    return strcmp(node->op->name, "mul") == 0 &&
           ((known->steps[node->in[0]] && is_far(graph, node->in[1])) ||
            (known->steps[node->in[1]] && is_far(graph, node->in[0])));
}

/* True if the node's results change by steps: comparisons, and what masks are made of them by. */
static bool makes_steps(const struct graph_node *node, bool is_inexact, const struct known *known)
{
    static const char *const names[] = {"where", "cast", "sub", "add", "mul", "neg", NULL};
    const struct oracle_rule *rule = oracle_rule_of(node->op->name);
    bool found = rule && rule->compares && is_inexact;

    for (size_t i = 0; i < node->in_count; i++)
        found |= known->steps[node->in[i]] && (node->op->view || op_is_one_of(node->op, names));
    return found;
}

/* True if rounding may change the index of a look-up, as one that a number was cut to. */
static bool looks_up_computed(const struct graph_node *node, const struct known *known)
{
    static const char *const names[] = {"gather",       "index_select",   "embedding",
                                        "index_reduce", "scatter_reduce", NULL};
    bool found = false;

    for (size_t i = 0; i < node->in_count; i++)
        found |= known->inexact[node->in[i]] && known->integer[node->in[i]] &&
                 !known->whole[node->in[i]];
    return found && op_is_one_of(node->op, names);
}

/* Find what is known of a node's result. Returns true if the node has choices. */
static bool follow(const struct graph *graph, const struct graph_node *node,
                   const struct rounding *rounding, struct known *known)
{
    bool is_float = dtype_is_float(graph->values.items[node->out].dtype), any = false;
    bool found = may_leave_out(node, known) || looks_for_count(graph, node, known) ||
                 looks_up_computed(node, known) || masks_by_steps(graph, node, known);

    for (size_t i = 0; i < node->in_count; i++) {
        any |= is_inexact(graph, node->in[i], rounding, known->inexact);
        found |= known->places[node->in[i]];
    }
    known->inexact[node->out] = any || (is_float && node->op->kind != OP_MOVEMENT);
    known->places[node->out] = any && choice_is_place(node);
    known->steps[node->out] = makes_steps(node, any && !known->whole[node->in[0]], known);
    known->none[node->out] = is_left_out(graph, node, known->none);
    return found;
}

/* True if a comparison with an element that was selected by its size may end otherwise. */
static bool compares_selected(const struct graph *graph, size_t node, const bool *inexact)
{
    return dependence_equality(graph, node) == EQUAL_SELECTED &&
           inexact[graph->nodes.items[node].in[0]];
}

bool choices_in(const struct graph *graph, const struct rounding *rounding)
{
    size_t count = graph->values.count + 1;
    struct known known = {.inexact = mem_alloc_zeroed(count, sizeof(bool)),
                          .places = mem_alloc_zeroed(count, sizeof(bool)),
                          .none = mem_alloc_zeroed(count, sizeof(bool)),
                          .integer = mem_alloc_zeroed(count, sizeof(bool)),
                          .steps = mem_alloc_zeroed(count, sizeof(bool)),
                          .whole = whole_numbers_of(graph)};
    bool found = false;

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        known.integer[i] = !dtype_is_float(value->dtype);
        known.none[i] = is_one_number(value) && choice_leaves_out(value->fill.a);
    }
    for (size_t n = 0; !found && n < graph->nodes.count; n++)
        found = follow(graph, &graph->nodes.items[n], rounding, &known) ||
                compares_selected(graph, n, known.inexact);
    free(known.inexact);
    free(known.places);
    free(known.none);
    free(known.integer);
    free(known.steps);
    free(known.whole);
    return found;
}

bool choice_decides(const struct graph *graph, size_t node)
{
    const struct graph_node *own = &graph->nodes.items[node];
    const struct oracle_rule *rule = oracle_rule_of(own->op->name);

    return choice_is_place(own) || (rule && rule->compares);
}

struct choices *choices_new(const struct graph *graph)
{
    struct choices *choices = mem_alloc_zeroed(1, sizeof(*choices));

    choices->names = mem_alloc_zeroed(graph->values.count + 1, sizeof(double *));
    choices->value_count = graph->values.count;
    return choices;
}

void choices_free(struct choices *choices)
{
    for (size_t i = 0; choices && i < choices->value_count; i++)
        free(choices->names[i]);
    if (choices) {
        free(choices->names);
        free(choices->numbers);
    }
    free(choices);
}

void choices_forget(struct choices *choices, size_t value)
{
    free(choices->names[value]);
    choices->names[value] = NULL;
}

/* The origin and the length of a list, before its numbers. */
enum { HEAD = 2 };

struct choice_list choices_list(const struct choices *choices, double name)
{
    size_t at = (size_t)name;

    if (at == 0)
        return (struct choice_list){0};
    return (struct choice_list){choices->numbers + at, (size_t)choices->numbers[at - 1],
                                choices->numbers[at - HEAD]};
}

bool choice_leaves_out(double x)
{
    return fabs(x) >= left_out;
}

double choice_kept(struct choice_list list)
{
    double kept = 0;

    for (size_t i = 0; i < list.count; i++)
        if (!choice_leaves_out(list.numbers[i]) && fabs(list.numbers[i]) >= fabs(kept))
            kept = list.numbers[i];
    return kept;
}

double *choices_kept(const struct choices *choices, size_t value, const double *x, size_t count)
{
    const double *names = choices->names[value];
    double *kept = names ? mem_alloc_zeroed(count + 1, sizeof(*kept)) : NULL;

    for (size_t i = 0; names && i < count; i++)
        kept[i] = names[i] != 0 ? choice_kept(choices_list(choices, names[i])) : x[i];
    return kept;
}

double *choices_room(struct choices *choices, size_t count)
{
    choices->numbers = mem_grow(choices->numbers, &choices->capacity, choices->used + count + HEAD,
                                sizeof(*choices->numbers));
    return choices->numbers + choices->used + HEAD;
}

double choices_take_from(struct choices *choices, size_t count, double origin)
{
    size_t name = choices->used + HEAD;

    if (count < 2)
        return 0;
    choices->numbers[choices->used] = origin != 0 ? origin : (double)name;
    choices->numbers[choices->used + 1] = (double)count;
    choices->used += count + HEAD;
    return (double)name;
}

double choices_take(struct choices *choices, size_t count)
{
    return choices_take_from(choices, count, 0);
}
