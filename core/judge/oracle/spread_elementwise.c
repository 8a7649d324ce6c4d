#include <math.h>

#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/walk.h"
#include "core/system/parallel.h"

/*
 * Variances of elementwise operations, by finite differences. Each operand is moved by as many
 * standard deviations as a tolerance allows, so that kinks and steps within this distance count.
 * The argument of a function may be rounded, as exp(x) computed as exp2(x * log2(e)) does, and the
 * function has an error of its own. The changes of operands that share an error are added; those of
 * the others are added in squares.
 */

/* The smallest float32 number above 0. */
#define SMALLEST 0x1p-149

struct job {
    const struct oracle_spread *spread;
    const struct oracle_rule *rule;
    struct walk walk;
    bool is_function; /* has an error of its own */
    double margin;    /* ROUNDING_STEP_MARGIN where results are whole numbers, else 1 */
    bool is_in_step;  /* each operand has the result's shape, or one element */
    size_t steps[OP_MAX_INPUTS];
};

static double evaluate(const struct job *job, const double *x)
{
    if (job->rule->unary)
        return job->rule->unary(x[0]);
    return job->rule->binary ? job->rule->binary(x[0], x[1])
                             : job->rule->element(x, job->spread->call.op->attributes);
}

/* The change of the result when operand `k` moves by `step`; 0 outside of the function's domain. */
static double change(const struct job *job, const double *x, size_t k, double step, double y)
{
    double moved[OP_MAX_INPUTS] = {x[0], x[1], x[2]};
    double off;

    moved[k] += step;
    if (job->rule->error.has_pole && x[k] > 0)
        moved[k] = fmax(moved[k], SMALLEST);
    off = fabs(evaluate(job, moved) - y);
    return isnan(off) ? 0 : off;
}

/*
 * The larger change in both directions. A small step of a function makes about the same change in
 * both.
 */
static double widest_change(const struct job *job, const double *x, size_t k, double step, double y)
{
    double off = change(job, x, k, step, y);

    if (job->is_function && off > 0 && step < 1e-3 * fabs(x[k]))
        return 1.01 * off;
    return fmax(off, change(job, x, k, -step, y));
}

/* The change that two operands make together beyond what each makes alone. */
static double joint_change(const struct job *job, const double *x, const double *steps, double y)
{
    double both[OP_MAX_INPUTS] = {x[0] + steps[0], x[1] + steps[1]};
    double first[OP_MAX_INPUTS] = {both[0], x[1]}, second[OP_MAX_INPUTS] = {x[0], both[1]};
    double off = fabs(evaluate(job, both) - evaluate(job, first) - evaluate(job, second) + y);

    return isnan(off) ? 0 : off;
}

/*
 * The change of a truth value that is selected by another one, if both are wrong: where(a, a, b) is
 * how graphs write "or", and where(a, b, a) "and". Each alone may change nothing there.
 */
static double flipped_choice(const struct job *job, const double *x, const double *steps, double y)
{
    double other[OP_MAX_INPUTS] = {x[0] == 0, x[1], x[2]};
    size_t chosen = other[0] != 0 ? 1 : 2;

    if (job->spread->call.op->out->dtype != DTYPE_BOOL || steps[0] == 0 || steps[chosen] == 0)
        return 0;
    other[chosen] = x[chosen] == 0;
    return fabs(evaluate(job, other) - y);
}

static double own_error(const struct job *job, double x, double y)
{
    const struct oracle_error *e = &job->rule->error;

    return ROUNDING_UNIT * (e->relative * fabs(y) + e->absolute + e->by_operand * fabs(x));
}

static double step_of(const struct job *job, double x, double variance)
{
    if (!isfinite(x))
        return 0;
    if (job->is_function)
        variance += ROUNDING_VARIANCE * x * x;
    return ROUNDING_DEVIATIONS * sqrt(variance);
}

/*
 * Changes of a result: the sum of those that share an error, and the sum of the squares of the
 * others.
 */
struct changes {
    double sum, squares;
};

static void add_change(const struct job *job, double off, struct changes *changes)
{
    if (job->spread->is_dependent)
        changes->sum += off;
    else
        changes->squares += off * off;
}

/* The variance of an element y from its operands and their variances. */
static double inherited_variance(const struct job *job, const double *x, const double *variance,
                                 double y)
{
    size_t count = job->spread->call.op->in_count;
    double steps[OP_MAX_INPUTS], off = job->is_function ? own_error(job, x[0], y) : 0;
    struct changes changes = {.squares = off * off};

    if (!isfinite(y))
        return 0;
    if (job->rule->element_variance && !job->spread->is_dependent)
        return job->rule->element_variance(x, variance, job->spread->call.op->attributes);
    for (size_t k = 0; k < count; k++) {
        steps[k] = step_of(job, x[k], variance[k]);
        if (steps[k] != 0)
            add_change(job, widest_change(job, x, k, steps[k], y), &changes);
    }
    if (count == 2 && job->rule->binary && steps[0] > 0 && steps[1] > 0)
        add_change(job, joint_change(job, x, steps, y), &changes);
    if (count == 3)
        add_change(job, flipped_choice(job, x, steps, y), &changes);
    return job->margin * (changes.squares + changes.sum * changes.sum) /
           (ROUNDING_DEVIATIONS * ROUNDING_DEVIATIONS);
}

/* The variance of rounding the two terms of a sum separately. */
static double variance_of_terms(double x, double y)
{
    return isfinite(y) ? ROUNDING_VARIANCE * (x * x + (y - x) * (y - x)) : 0;
}

static double spread_element(const struct job *job, const double *x, const double *variance,
                             double y)
{
    return inherited_variance(job, x, variance, y) +
           (job->spread->is_distributed ? variance_of_terms(x[0], y) : 0);
}

static void spread_elements(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct oracle_spread *spread = job->spread;
    double x[OP_MAX_INPUTS] = {0}, variance[OP_MAX_INPUTS] = {0};
    struct walk walk = job->walk;

    walk_seek(&walk, first);
    for (size_t i = first; i < last; i++) {
        for (size_t k = 0; k < spread->call.op->in_count; k++) {
            size_t at = job->is_in_step ? i * job->steps[k] : (size_t)walk.offsets[k];

            x[k] = spread->call.in[k][at];
            variance[k] = spread->variance[k] ? spread->variance[k][at] : 0;
        }
        spread->out[i] = spread_element(job, x, variance, spread->call.out[i]);
        if (!job->is_in_step)
            walk_step(&walk);
    }
}

static bool is_exact(const struct oracle_spread *spread)
{
    for (size_t k = 0; k < spread->call.op->in_count; k++)
        if (spread->variance[k])
            return false;
    return true;
}

void oracle_spread_elements(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    const struct op_call *op = spread->call.op;
    const struct oracle_error *e = &rule->error;
    struct job job = {.spread = spread,
                      .rule = rule,
                      .walk = {.shape = op->out->shape},
                      .margin = dtype_is_float(op->out->dtype) ? 1 : ROUNDING_STEP_MARGIN,
                      .is_function = e->relative + e->absolute + e->by_operand > 0};

    if (is_exact(spread) && !job.is_function && !spread->is_distributed)
        return;
    for (size_t k = 0; k < op->in_count; k++)
        walk_add_broadcast(&job.walk, &op->in[k]->shape);
    job.is_in_step = walk_find_steps(op, job.steps);
    parallel_for((size_t)shape_elements(&job.walk.shape), 1 << 11, spread_elements, &job);
}
