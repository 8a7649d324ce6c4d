#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/attr.h"
#include "core/judge/oracle/choice/choice.h"
#include "core/judge/oracle/edge/edge.h"
#include "core/judge/oracle/elementwise/changes.h"
#include "core/judge/oracle/elementwise/strip.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/rounding/spread_contest.h"
#include "core/system/parallel.h"

/*
 * Variances of elementwise operations, by finite differences. Each operand is moved by as many
 * standard deviations as a tolerance allows, so that kinks and steps within this distance count.
 * The argument of a function may be rounded, as exp(x) computed as exp2(x * log2(e)) does, and the
 * function has an error of its own. The changes of operands that share an error are added; those of
 * the others are added in squares.
 */

typedef double elements[STRIP_ELEMENTS];

struct job {
    const struct oracle_spread *spread;
    const struct oracle_rule *rule;
    struct strip_source source;
    bool is_function;              /* has an error of its own */
    double margin;                 /* how much wider the variances are (oracle_step_margin()) */
    double flip;                   /* ROUNDING_FLIP where a choice becomes a real number, else 1 */
    bool has_branches;             /* a `where` of real numbers with lists (choice.h) */
    double limit;                  /* that of the integers that numbers are cast to, else 0 */
    bool is_truth[STRIP_OPERANDS]; /* the operand consists of truth values that are choices */
    size_t repeated; /* the operand of truth values that is the first one once more; 0: none */
};

/*
 * A strip of results y with its operands, and what is computed on the way. Changes of a result are
 * the sum of those that share an error, and the sum of the squares of the others.
 */
struct state {
    const struct job *job;
    struct strip values, variances, names;
    elements y, steps[STRIP_OPERANDS], moved, off, sum, squares;
    elements ahead[STRIP_OPERANDS]; /* the results where an operand is one step ahead */
    elements settled;
};

/*
 * Set the repeated operand of where(a, a, b), which is how graphs write "or", to true, and that of
 * where(a, b, a), "and", to false: it is selected for no other value, and does not flip by itself.
 */
static void settle_repeated(struct state *s)
{
    static const elements none;
    size_t k = s->job->repeated;

    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        s->settled[i] = k == 1;
    s->values.x[k] = s->settled;
    s->variances.x[k] = none;
}

static void evaluate(const struct state *s, const double *const *x, double *y)
{
    s->job->rule->strip(x, s->job->spread->call.op->attributes, y);
}

/* Evaluate a strip with operand `k` moved. */
static void evaluate_moved(const struct state *s, size_t k, double *y)
{
    const double *x[STRIP_OPERANDS] = {s->values.x[0], s->values.x[1], s->values.x[2]};

    x[k] = s->moved;
    evaluate(s, x, y);
}

/* How far to move an operand; 0 if it is infinite. Returns how many elements move. */
WIDE static double find_steps(const double *x, const double *variance, double own,
                              double *restrict steps)
{
    double moving = 0;

    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        double step = ROUNDING_DEVIATIONS * sqrt(variance[i] + own * x[i] * x[i]);

        steps[i] = fabs(x[i]) <= DBL_MAX ? step : 0;
        moving += steps[i] != 0;
    }
    return moving;
}

WIDE static void move(const double *x, const double *steps, double direction, bool has_edge,
                      double *restrict moved)
{
    double least = has_edge ? EDGE_ARGUMENT : (double)-INFINITY;

    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        double to = x[i] + direction * steps[i];

        moved[i] = x[i] > 0 && to < least ? least : to;
    }
}

WIDE static void add_squares(const double *off, double *restrict squares)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        squares[i] += off[i] * off[i];
}

WIDE static void add_sums(const double *off, double *restrict sum)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        sum[i] += off[i];
}

static void add_changes(struct state *s)
{
    if (s->job->spread->is_dependent)
        add_sums(s->off, s->sum);
    else
        add_squares(s->off, s->squares);
}

/* A truth value has only another one. */
static void flip(const double *x, const double *steps, double *restrict moved)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        moved[i] = steps[i] != 0 ? x[i] == 0 : x[i];
}

/* The lists of a strip's elements, and the length of the longest one. */
struct lists {
    struct choice_list of[STRIP_ELEMENTS];
    size_t longest;
};

static void find_lists(const struct state *s, size_t k, struct lists *lists)
{
    lists->longest = 0;
    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        lists->of[i] = choices_list(s->job->spread->choices, s->names.x[k][i]);
        lists->longest = lists->of[i].count > lists->longest ? lists->of[i].count : lists->longest;
    }
}

/* Move each element to this number of its list, if the list has so many. */
static void move_to_choice(const struct lists *lists, size_t number, const double *x, double *moved)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        moved[i] = number < lists->of[i].count ? lists->of[i].numbers[number] : x[i];
}

/* Set the changes where operand `k` has lists to the largest one of all their numbers. */
static void try_choices(struct state *s, size_t k)
{
    elements y, off, most = {0};
    struct lists lists;

    find_lists(s, k, &lists);
    for (size_t number = 0; number < lists.longest; number++) {
        move_to_choice(&lists, number, s->values.x[k], s->moved);
        evaluate_moved(s, k, y);
        changes_find(y, s->y, off);
        changes_take_larger(off, most);
    }
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        if (s->names.x[k][i] != 0)
            s->off[i] = s->job->flip * most[i];
}

/* Add the change of the results when operand `k` moves: the larger one in both directions. */
static void add_change(struct state *s, size_t k)
{
    const double *x = s->values.x[k], *steps = s->steps[k];
    bool has_edge = s->job->rule->error.has_pole || s->job->spread->has_edge;
    elements back;

    move(x, steps, 1, has_edge, s->moved);
    evaluate_moved(s, k, s->ahead[k]);
    changes_find(s->ahead[k], s->y, s->off);
    if (!s->job->is_function || changes_widen_small(x, steps, s->off) > 0) {
        move(x, steps, -1, has_edge, s->moved);
        evaluate_moved(s, k, back);
        changes_find(back, s->y, s->moved);
        changes_take_larger(s->moved, s->off);
    }
    if (s->job->spread->names[k])
        try_choices(s, k);
    add_changes(s);
}

/* Add the change of the results when the truth values of operand `k` flip. */
static void add_flips(struct state *s, size_t k)
{
    flip(s->values.x[k], s->steps[k], s->moved);
    evaluate_moved(s, k, s->ahead[k]);
    changes_find(s->ahead[k], s->y, s->off);
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        s->off[i] *= s->job->flip;
    add_changes(s);
}

WIDE static void find_joint(const double *both, const double *first, const double *second,
                            const double *y, double *restrict off)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        double change = fabs(both[i] - first[i] - second[i] + y[i]);

        off[i] = change >= 0 ? change : 0;
    }
}

/* Move operand `k` a step ahead, or flip it. */
static void move_one(const struct state *s, size_t k, double *moved)
{
    if (s->job->is_truth[k])
        flip(s->values.x[k], s->steps[k], moved);
    else
        move(s->values.x[k], s->steps[k], 1, false, moved);
}

/* Add the change that two operands make together beyond what each makes alone. */
static void add_joint_change(struct state *s)
{
    elements first, both;
    const double *x[STRIP_OPERANDS] = {first, s->moved, s->values.x[2]};

    move_one(s, 0, first);
    move_one(s, 1, s->moved);
    evaluate(s, x, both);
    find_joint(both, s->ahead[0], s->ahead[1], s->y, s->off);
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        s->off[i] = s->steps[0][i] > 0 && s->steps[1][i] > 0 ? s->off[i] : 0;
    add_changes(s);
}

/*
 * Add the change of a truth value that is selected by another one, if both are wrong. Each alone
 * may change nothing in "or" and "and".
 */
static void add_flipped_choice(struct state *s)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        size_t chosen = s->values.x[0][i] == 0 ? 1 : 2;
        double other = s->values.x[chosen][i] == 0;
        bool moves = s->steps[0][i] != 0 && s->steps[chosen][i] != 0;

        s->off[i] = moves ? fabs(other - s->y[i]) : 0;
    }
    add_changes(s);
}

WIDE static void add_own_errors(const struct oracle_error *e, const double *x, const double *y,
                                double *restrict squares)
{
    double relative = e->relative, absolute = e->absolute, by_operand = e->by_operand;

    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        double off = ROUNDING_UNIT * (relative * fabs(y[i]) + absolute + by_operand * fabs(x[i]));

        squares[i] += off * off;
    }
}

WIDE static void sum_up(const double *sum, const double *squares, double margin,
                        double *restrict variance)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        variance[i] =
            margin * (squares[i] + sum[i] * sum[i]) / (ROUNDING_DEVIATIONS * ROUNDING_DEVIATIONS);
}

/* The variances of the results by finite differences. */
static void differentiate(struct state *s, double *variance)
{
    const struct job *job = s->job;
    const struct op_call *op = job->spread->call.op;
    double moving[STRIP_OPERANDS] = {0};

    memset(s->sum, 0, sizeof(s->sum));
    memset(s->squares, 0, sizeof(s->squares));
    if (job->is_function)
        add_own_errors(&job->rule->error, s->values.x[0], s->y, s->squares);
    for (size_t k = 0; k < op->in_count; k++) {
        moving[k] = find_steps(s->values.x[k], s->variances.x[k],
                               job->is_function ? ROUNDING_VARIANCE : 0, s->steps[k]);
        if (job->is_truth[k] && moving[k] > 0)
            add_flips(s, k);
        else if (moving[k] > 0 || job->spread->names[k])
            add_change(s, k);
    }
    if (job->rule->has_joint_change && moving[0] > 0 && moving[1] > 0)
        add_joint_change(s);
    if (op->in_count == 3 && op->out->dtype == DTYPE_BOOL)
        add_flipped_choice(s);
    sum_up(s->sum, s->squares, job->margin, variance);
}

/* The variance of rounding the two terms of a sum separately. */
WIDE static void add_terms(const double *x, const double *y, double *restrict variance)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        variance[i] += ROUNDING_VARIANCE * (x[i] * x[i] + (y[i] - x[i]) * (y[i] - x[i]));
}

/* Results that are not finite have no variance. */
WIDE static void clear_infinite(const double *y, double *restrict variance)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        variance[i] = fabs(y[i]) <= DBL_MAX ? variance[i] : 0;
}

/*
 * A truth value may be the other one if its operands are within reach of each other, whether they
 * have to be equal or not: so the threshold of a row may be computed from the row itself.
 */
WIDE static void compare(const double *const *x, const double *const *variance,
                         double *restrict out)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        double reach = ROUNDING_DEVIATIONS * sqrt(variance[0][i] + variance[1][i]);

        out[i] = reach > 0 && fabs(x[0][i] - x[1][i]) <= reach ? SPREAD_CONTEST_FLIP : 0;
    }
}

/* Equal elements of one value stay equal. */
static void keep_equal(const struct state *s, double *variance)
{
    const double *const *x = s->values.x;
    bool zeros_may_differ = s->job->spread->equality == EQUAL_BUT_ZEROS;

    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        if (x[0][i] == x[1][i] && !(zeros_may_differ && x[0][i] == 0))
            variance[i] = 0;
}

static bool is_listed(const struct state *s, size_t i)
{
    return s->names.x[0][i] != 0 || s->names.x[1][i] != 0;
}

/*
 * A comparison with a choice is decided by the numbers of its list, and by their errors if they are
 * real.
 */
static void compare_choices(struct state *s, double *variance)
{
    bool is_real = dtype_is_float(s->job->spread->call.op->in[0]->dtype);
    elements listed;

    differentiate(s, listed);
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        if (is_listed(s, i))
            variance[i] = is_real ? fmax(listed[i], variance[i]) : listed[i];
}

/* The variance of operand `k`; a number that stands for an element that is left out has none. */
static double kept_variance(const struct state *s, size_t k, size_t i)
{
    bool is_out = s->names.x[k][i] == 0 && choice_leaves_out(s->values.x[k][i]);

    return is_out ? 0 : s->variances.x[k][i];
}

/*
 * An element that has a list because it may be of either branch has the variance of one of them
 * (choice.h).
 */
static void take_branch(const struct state *s, double *variance)
{
    const double *const *x = s->values.x, *const *v = s->variances.x;

    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        size_t chosen = x[0][i] != 0 ? 1 : 2;

        if (v[0][i] > 0)
            variance[i] = fmax(kept_variance(s, 1, i), kept_variance(s, 2, i));
        else if (s->names.x[chosen][i] != 0)
            variance[i] = v[chosen][i];
    }
}

/* Numbers beyond the range of integers may become any (ROUNDING_ANY_INTEGER). */
static void allow_any(const struct state *s, double limit, double *variance)
{
    double any = ROUNDING_ANY_INTEGER * limit;

    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        double x = s->values.x[0][i], step = ROUNDING_DEVIATIONS * sqrt(s->variances.x[0][i]);

        variance[i] = x + step < limit && x - step > -limit - 1 ? variance[i] : any * any;
    }
}

/* The variances of differences are at least those of roundings of both terms. */
static void add_pairs(const double *differences, double pairs, double *variance)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        variance[i] += pairs * differences[i] * differences[i] / ROUNDING_VARIANCE;
}

static void spread_strip(struct state *s, double *variance)
{
    const struct job *job = s->job;
    const struct oracle_spread *spread = job->spread;
    bool compares = job->rule->compares;

    if (compares)
        compare(s->values.x, s->variances.x, variance);
    else if (job->rule->strip_variance && !spread->is_dependent)
        job->rule->strip_variance(s->values.x, s->variances.x, spread->call.op->attributes,
                                  variance);
    else
        differentiate(s, variance);
    if (compares && spread->equality != EQUAL_BY_CHANCE)
        keep_equal(s, variance);
    if (compares && (spread->names[0] || spread->names[1]))
        compare_choices(s, variance);
    if (spread->is_distributed)
        add_terms(s->values.x[0], s->y, variance);
    if (spread->pairs > 0)
        add_pairs(s->variances.x[0], spread->pairs, variance);
    clear_infinite(s->y, variance);
    if (job->has_branches)
        take_branch(s, variance);
    if (job->limit > 0)
        allow_any(s, job->limit, variance);
}

static void spread_elements(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct oracle_spread *spread = job->spread;
    struct state s = {.job = job};
    elements variance;

    for (size_t i = first, n; i < last; i += n) {
        n = last - i < STRIP_ELEMENTS ? last - i : STRIP_ELEMENTS;
        strip_take(&job->source, spread->call.in, i, n, &s.values);
        strip_take(&job->source, spread->variance, i, n, &s.variances);
        if (spread->choices)
            strip_take(&job->source, spread->names, i, n, &s.names);
        if (job->repeated)
            settle_repeated(&s);
        memcpy(s.y, spread->call.out + i, n * sizeof(*s.y));
        spread_strip(&s, variance);
        memcpy(spread->out + i, variance, n * sizeof(*variance));
    }
}

static size_t repeated_operand(const struct oracle_spread *spread)
{
    const struct op_call *op = spread->call.op;
    bool selects_truth = op->in_count == 3 && op->out->dtype == DTYPE_BOOL;

    for (size_t k = 1; k < op->in_count && selects_truth; k++)
        if (spread->call.in[k] == spread->call.in[0])
            return k;
    return 0;
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
                      .source = strip_source_of(op),
                      .margin = oracle_step_margin(op),
                      .flip = oracle_flip(op),
                      .has_branches = spread->choices && strcmp(op->op->name, "where") == 0 &&
                                      dtype_is_float(op->out->dtype),
                      .is_function = e->relative + e->absolute + e->by_operand > 0};

    if (strcmp(op->op->name, "cast") == 0 && dtype_is_float(op->in[0]->dtype))
        job.limit = rounding_integer_limit(op->out->dtype);
    if (is_exact(spread) && !job.is_function && !spread->is_distributed && job.limit == 0)
        return;
    for (size_t k = 0; k < op->in_count; k++)
        job.is_truth[k] = op->in[k]->dtype == DTYPE_BOOL;
    job.repeated = repeated_operand(spread);
    parallel_for((size_t)shape_elements(&op->out->shape), 1 << 11, spread_elements, &job);
    if (rule->compares && spread->equality == EQUAL_SELECTED)
        spread_contest(spread);
}
