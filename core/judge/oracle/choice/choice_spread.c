#include "core/judge/oracle/choice/choice_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

static bool leaves_out(struct choice_list list)
{
    bool any = false;

    for (size_t i = 0; i < list.count; i++)
        any |= choice_leaves_out(list.numbers[i]);
    return any;
}

/* The part of the variance of x that is the range of its list; numbers that are left out only if
 * `all`. */
static double range_of(struct choice_list list, double x, bool all)
{
    double far = 0;

    for (size_t i = 0; i < list.count; i++)
        if (all || !choice_leaves_out(list.numbers[i]))
            far = fmax(far, fabs(list.numbers[i] - x));
    far *= ROUNDING_FLIP / ROUNDING_DEVIATIONS;
    return far * far;
}

static size_t count_of(const struct oracle_spread *spread, size_t k)
{
    return (size_t)shape_elements(&spread->call.op->in[k]->shape);
}

/* The use that an operation makes of the lists of an operand's real numbers. */
enum use {
    USE_KNOWS,   /* it knows them */
    USE_CHOOSES, /* it knows those that leave an element out */
    USE_MOVES,   /* it moves elements, but not their lists; what is left out stays so */
    USE_WIDENS   /* it knows none */
};

static enum use use_of(const struct oracle_spread *spread)
{
    static const char *const knows[] = {"concat", "softmax", "log_softmax", NULL};
    static const char *const chooses[] = {"max", "min", "argmax", "argmin", NULL};
    const struct op *op = spread->call.op->op;

    if (op->view || op->kind == OP_ELEMENTWISE || op_is_one_of(op, knows))
        return USE_KNOWS;
    if (op_is_one_of(op, chooses))
        return USE_CHOOSES;
    return op->kind == OP_MOVEMENT ? USE_MOVES : USE_WIDENS;
}

/* Widen the variances of operand `k`, and forget the lists that are in them. */
static void widen_operand(struct choices_widened *widened, size_t k, enum use use)
{
    struct oracle_spread *spread = &widened->spread;
    size_t count = count_of(spread, k);
    double *variance = mem_alloc_zeroed(count + 1, sizeof(*variance));
    double *names = mem_alloc_zeroed(count + 1, sizeof(*names));

    for (size_t i = 0; i < count; i++) {
        struct choice_list list = choices_list(spread->choices, spread->names[k][i]);
        bool stays = use == USE_CHOOSES && leaves_out(list);
        double x = stays ? choice_kept(list) : spread->call.in[k][i];

        variance[i] = spread->variance[k] ? spread->variance[k][i] : 0;
        variance[i] += range_of(list, x, use == USE_WIDENS);
        names[i] = stays ? spread->names[k][i] : 0;
    }
    widened->variances[k] = variance;
    widened->names[k] = names;
    spread->variance[k] = variance;
    spread->names[k] = use == USE_CHOOSES ? names : NULL;
}

struct choices_widened choices_widen(const struct oracle_spread *spread)
{
    struct choices_widened widened = {.spread = *spread};
    enum use use = use_of(spread);

    for (size_t k = 0; k < spread->call.op->in_count; k++)
        if (use != USE_KNOWS && spread->names[k] && dtype_is_float(spread->call.op->in[k]->dtype))
            widen_operand(&widened, k, use);
    return widened;
}

void choices_widened_release(struct choices_widened *widened)
{
    for (size_t k = 0; k < OP_MAX_INPUTS; k++) {
        free(widened->variances[k]);
        free(widened->names[k]);
    }
}

/* True if the result of an elementwise operation has lists itself: they say what choices change. */
static bool makes_lists(const struct oracle_spread *spread)
{
    return spread->choices && spread->call.op->op->kind == OP_ELEMENTWISE &&
           dtype_is_float(spread->call.op->out->dtype);
}

/* The variances of operand `k` without those of choices: of truth values, and where lists are. */
static double *without_choices(const struct oracle_spread *spread, size_t k)
{
    enum dtype dtype = spread->call.op->in[k]->dtype;
    size_t count = count_of(spread, k);
    double *variance;

    if (!spread->variance[k] || dtype_is_float(dtype) || (dtype != DTYPE_BOOL && !spread->names[k]))
        return NULL;
    variance = mem_alloc_zeroed(count + 1, sizeof(*variance));
    for (size_t i = 0; i < count; i++)
        if (dtype != DTYPE_BOOL && spread->names[k][i] == 0)
            variance[i] = spread->variance[k][i];
    return variance;
}

/* A list has the numbers that choices make; the variance is that of its number without them. */
static void spread_without_choices(const struct oracle_spread *spread,
                                   const struct oracle_rule *rule)
{
    struct oracle_spread certain = *spread;
    double *made[OP_MAX_INPUTS] = {0};
    bool is_where = spread->call.op->in_count == 3;

    for (size_t k = 0; k < spread->call.op->in_count; k++) {
        if (is_where)
            break; /* it has the larger variance of its two branches */
        made[k] = without_choices(spread, k);
        certain.variance[k] = made[k] ? made[k] : spread->variance[k];
        certain.names[k] = NULL;
    }
    rule->spread(&certain, rule);
    for (size_t k = 0; k < spread->call.op->in_count; k++)
        free(made[k]);
}

void choices_spread(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    struct choices_widened widened;

    if (makes_lists(spread)) {
        spread_without_choices(spread, rule);
        return;
    }
    widened = choices_widen(spread);
    rule->spread(&widened.spread, rule);
    choices_widened_release(&widened);
}

void choices_settle(const struct choices *choices, size_t value, const double *x, size_t count,
                    double *variance)
{
    const double *names = choices->names[value];

    for (size_t i = 0; names && i < count; i++)
        if (names[i] != 0 && isfinite(x[i]))
            variance[i] += range_of(choices_list(choices, names[i]), x[i], true);
}
