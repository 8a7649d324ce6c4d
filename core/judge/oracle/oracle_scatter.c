#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/choice/choice.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/rounding/spread_sum.h"
#include "core/judge/oracle/walk.h"
#include "core/model/op/op_lookup.h"

/* A walk over the source and the places of the result that its elements are added to. */
struct addition {
    const struct oracle_call *call;
    struct lookup lookup;
    struct walk walk; /* over the table and the index */
    size_t count;     /* elements of the source */
};

static struct addition addition_of(const struct oracle_call *call)
{
    struct lookup lookup = lookup_of(call->op);
    struct addition a = {call,
                         lookup,
                         {.shape = lookup.places, .arrays = 2},
                         (size_t)shape_elements(&lookup.places)};

    memcpy(a.walk.strides[0], lookup.table_strides, sizeof(lookup.table_strides));
    memcpy(a.walk.strides[1], lookup.index_strides, sizeof(lookup.index_strides));
    walk_seek(&a.walk, 0);
    return a;
}

/* The element of the result in row `row`, at the walk's place; -1 for a row that there is not. */
static ptrdiff_t element_in(const struct addition *a, double row)
{
    if (!(row >= 0 && row < (double)a->lookup.rows))
        return -1;
    return a->walk.offsets[0] + (ptrdiff_t)row * a->lookup.row_stride;
}

static ptrdiff_t element_at(const struct addition *a)
{
    return element_in(a, a->call->in[a->lookup.index][a->walk.offsets[1]]);
}

static bool is_largest(const struct op_call *call)
{
    return op_attribute(call, "reduce")->integers[0] != 0;
}

static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

/* An index outside of the table names nothing. */
static void evaluate_reduced(const struct oracle_call *call, const struct oracle_rule *rule)
{
    struct addition a = addition_of(call);
    bool has_largest = is_largest(call->op);

    (void)rule;
    memcpy(call->out, call->in[0], (size_t)shape_elements(&call->op->out->shape) * sizeof(double));
    for (size_t i = 0; i < a.count; i++, walk_step(&a.walk)) {
        ptrdiff_t at = element_at(&a);

        if (at >= 0)
            call->out[at] = has_largest ? larger(call->out[at], call->in[2][i])
                                        : call->out[at] + call->in[2][i];
    }
}

/* The sum that becomes an element of the result, and what it inherits (spread_reduction.c). */
struct element_sum {
    struct spread_sum sum;
    double variances, deviations;
    double unsure;  /* the square of what may be added elsewhere, or here */
    float backward; /* the sum from the last addition on */
};

static void inherit(struct element_sum *s, const double *variance, size_t at)
{
    double own = variance ? variance[at] : 0;

    s->variances += own;
    s->deviations += sqrt(own);
}

static void add_forward(const struct oracle_spread *spread, struct addition a,
                        struct element_sum *sums)
{
    for (size_t i = 0; i < a.count; i++, walk_step(&a.walk)) {
        ptrdiff_t at = element_at(&a);

        if (at < 0)
            continue;
        spread_sum_add(&sums[at].sum, spread->call.in[2][i]);
        inherit(&sums[at], spread->variance[2], i);
    }
}

static void add_backward(const struct oracle_spread *spread, struct addition a,
                         struct element_sum *sums)
{
    for (size_t i = a.count; i-- > 0;) {
        ptrdiff_t at;

        walk_seek(&a.walk, i);
        at = element_at(&a);
        if (at >= 0)
            sums[at].backward += (float)spread->call.in[2][i];
    }
}

static void add_unsure(struct addition *a, double row, double x, struct element_sum *sums)
{
    ptrdiff_t at = element_in(a, row);
    double off = x * ROUNDING_FLIP / ROUNDING_DEVIATIONS;

    if (at >= 0)
        sums[at].unsure += off * off;
}

/* An element whose index may be another one counts in full wherever it may be added (choice.h). */
static void add_choices(const struct oracle_spread *spread, struct addition a,
                        struct element_sum *sums)
{
    const double *names = spread->names[1], *variance = spread->variance[1];

    for (size_t i = 0; i < a.count && (names || variance); i++, walk_step(&a.walk)) {
        ptrdiff_t at = a.walk.offsets[1];
        double row = spread->call.in[1][at], x = spread->call.in[2][i];
        double reach = variance ? ROUNDING_DEVIATIONS * sqrt(variance[at]) + 1e-6 : 0;
        struct choice_list list = choices_list(spread->choices, names ? names[at] : 0);
        int64_t first = (int64_t)fmax(ceil(row - reach), 0);
        int64_t last = (int64_t)fmin(row + reach, (double)a.lookup.rows - 1);

        for (size_t k = 0; k < list.count; k++)
            add_unsure(&a, list.numbers[k], x, sums);
        for (int64_t r = first; list.count == 0 && reach >= 1 && r <= last; r++)
            add_unsure(&a, (double)r, x, sums);
    }
}

/* An element of the table comes before or after all that is added to it. */
static void add_table(const struct oracle_spread *spread, size_t count, struct element_sum *sums)
{
    for (size_t i = 0; i < count; i++) {
        spread_sum_add(&sums[i].sum, spread->call.in[0][i]);
        inherit(&sums[i], spread->variance[0], i);
    }
}

static void spread_sums(const struct oracle_spread *spread)
{
    struct addition a = addition_of(&spread->call);
    size_t count = (size_t)shape_elements(&spread->call.op->out->shape);
    struct element_sum *sums = mem_alloc_zeroed(count + 1, sizeof(*sums));
    bool is_integer = !dtype_is_float(spread->call.op->out->dtype);

    add_table(spread, count, sums);
    add_forward(spread, a, sums);
    add_backward(spread, a, sums);
    add_choices(spread, a, sums);
    for (size_t i = 0; i < count; i++) {
        struct element_sum *s = &sums[i];
        double last = (double)(s->backward + (float)spread->call.in[0][i]);

        if (!isfinite(spread->call.out[i]))
            continue;
        s->sum.drift = fmax(s->sum.drift, fabs(last - s->sum.total));
        spread->out[i] = s->unsure +
                         (spread->is_mixed ? s->variances : s->deviations * s->deviations) +
                         (is_integer ? 0 : spread_sum_variance(&s->sum));
    }
    free(sums);
}

/* The least number that an element surely is. */
static double least_of(const struct oracle_spread *spread, size_t operand, size_t i)
{
    const double *variance = spread->variance[operand];

    return spread->call.in[operand][i] - (variance ? ROUNDING_DEVIATIONS * sqrt(variance[i]) : 0);
}

/* Any element that reaches what the largest one surely is may be the largest. */
static void compete(const struct oracle_spread *spread, size_t operand, size_t i, ptrdiff_t at,
                    const double *sure)
{
    double variance = spread->variance[operand] ? spread->variance[operand][i] : 0;
    double x = spread->call.in[operand][i], off = x - spread->call.out[at];
    double far = off * ROUNDING_FLIP / ROUNDING_DEVIATIONS;

    if (x + ROUNDING_DEVIATIONS * sqrt(variance) >= sure[at])
        spread->out[at] = fmax(spread->out[at], variance + (off > 0 ? far * far : 0));
}

/* The place of a source element if its index is certain; -1 if it is not, or names nothing. */
static ptrdiff_t certain_element(const struct oracle_spread *spread, const struct addition *a)
{
    ptrdiff_t at = a->walk.offsets[1];
    bool is_open = (spread->names[1] && spread->names[1][at] != 0) ||
                   (spread->variance[1] && spread->variance[1][at] > 0);

    return is_open ? -1 : element_at(a);
}

/* The largest element without those whose index is open may be far below the largest of all. */
static void spread_open(const struct oracle_spread *spread, struct addition a, const double *sure)
{
    for (size_t i = 0; i < a.count; i++, walk_step(&a.walk)) {
        ptrdiff_t index = a.walk.offsets[1];
        struct choice_list list =
            choices_list(spread->choices, spread->names[1] ? spread->names[1][index] : 0);

        for (size_t k = 0; k < list.count; k++) {
            ptrdiff_t at = element_in(&a, list.numbers[k]);
            double below, far;

            if (at < 0)
                continue;
            compete(spread, 2, i, at, sure);
            below = spread->call.out[at] - sure[at];
            far = below * ROUNDING_FLIP / ROUNDING_DEVIATIONS;
            if (isfinite(below) && spread->call.in[2][i] >= spread->call.out[at])
                spread->out[at] = fmax(spread->out[at], far * far);
        }
    }
}

static void spread_largest(const struct oracle_spread *spread)
{
    struct addition a = addition_of(&spread->call), again = a;
    size_t count = (size_t)shape_elements(&spread->call.op->out->shape);
    double *sure = mem_alloc_zeroed(count + 1, sizeof(*sure));

    for (size_t i = 0; i < count; i++)
        sure[i] = least_of(spread, 0, i);
    for (size_t i = 0; i < a.count; i++, walk_step(&a.walk)) {
        ptrdiff_t at = certain_element(spread, &a);

        if (at >= 0)
            sure[at] = fmax(sure[at], least_of(spread, 2, i));
    }
    for (size_t i = 0; i < count; i++)
        compete(spread, 0, i, (ptrdiff_t)i, sure);
    for (size_t i = 0; i < again.count; i++, walk_step(&again.walk)) {
        ptrdiff_t at = certain_element(spread, &again);

        if (at >= 0)
            compete(spread, 2, i, at, sure);
    }
    if (spread->names[1])
        spread_open(spread, addition_of(&spread->call), sure);
    free(sure);
}

static void spread_reduced(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    (void)rule;
    if (is_largest(spread->call.op))
        spread_largest(spread);
    else
        spread_sums(spread);
}

const struct oracle_rule oracle_scatter[] = {
    {"index_reduce", .evaluate = evaluate_reduced, .spread = spread_reduced},
    {"scatter_reduce", .evaluate = evaluate_reduced, .spread = spread_reduced},
    {0},
};
