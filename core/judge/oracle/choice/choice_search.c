#include "core/judge/oracle/choice/choice_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/choice/choice_order.h"
#include "core/judge/oracle/choice/choice_spread.h"
#include "core/judge/oracle/elementwise/strip.h"
#include "core/judge/oracle/rounding/spread_lines.h"
#include "core/judge/oracle/rounding/spread_reduction.h"
#include "core/judge/oracle/walk.h"

/* A list that integer arithmetic makes of two has as many numbers at most. */
enum { MOST_PAIRS = STRIP_ELEMENTS };

/* Real numbers and integers that a number is cut to are fewer. */
enum { MOST_REAL = 16, MOST_CUT = 64 };

/* Names for the elements of a node's result, zeros at first. */
struct names {
    double *items;
    bool has_any;
};

static void set_name(struct names *names, size_t element, double name)
{
    names->items[element] = name;
    names->has_any |= name != 0;
}

/* The candidates of each line for the largest or smallest element. */
static void find_places(struct choices *choices, const struct oracle_spread *spread, double sign,
                        struct names *names)
{
    struct walk_lines lines = walk_lines_make(spread->call.op);
    struct walk starts = lines.starts;
    struct spread_line line;
    double *room = mem_alloc_zeroed(3 * lines.n + 1, sizeof(*room));

    walk_seek(&starts, 0);
    for (size_t i = 0; i < lines.count; i++, walk_step(&starts)) {
        if (!(spread->out[i] > 0))
            continue;
        line = spread_line_gather(spread, &lines, (size_t)starts.offsets[0], room);
        line.y = spread->call.out + i;
        set_name(names, i,
                 choices_take(choices, spread_reduction_places(&line, sign,
                                                               choices_room(choices, lines.n))));
    }
    free(room);
    walk_lines_release(&lines);
}

static void find_places_of(struct choices *choices, const struct oracle_spread *spread,
                           struct names *names)
{
    bool is_largest = strcmp(spread->call.op->op->name, "argmax") == 0;
    struct choices_widened widened = choices_widen(spread);

    if (strcmp(spread->call.op->op->name, "argsort") == 0) {
        free(names->items);
        names->items = choice_order_find(choices, &widened.spread);
        names->has_any = names->items != NULL;
    } else {
        find_places(choices, &widened.spread, is_largest ? 1 : -1, names);
    }
    choices_widened_release(&widened);
}

/* The elements of a line that a sum of integers adds up. */
struct added {
    const struct oracle_spread *spread;
    const struct walk_lines *lines;
    size_t start;
    double y; /* the sum */
};

static size_t place_of(const struct added *added, size_t j)
{
    const ptrdiff_t *offsets = added->lines->offsets;

    return added->start + (size_t)(offsets ? offsets[j] : (ptrdiff_t)j);
}

static struct choice_list list_at(const struct choices *choices, const struct oracle_spread *spread,
                                  size_t at)
{
    return choices_list(choices, spread->names[0] ? spread->names[0][at] : 0);
}

/*
 * Truth values times places, of which one is true: so graphs write the place of a number in order.
 * Each list has 0 and a place. Returns the name of the list of places, and how far they are.
 */
static double find_order(struct choices *choices, const struct added *added, double *far)
{
    double *room = choices_room(choices, added->lines->n + 1), y = added->y;
    size_t count = 0;
    bool is_one = true;

    *far = 0;
    for (size_t j = 0; j < added->lines->n; j++) {
        size_t at = place_of(added, j);
        double x = added->spread->call.in[0][at];
        struct choice_list list = list_at(choices, added->spread, at);

        is_one &= x == 0 || x == y;
        is_one &= list.count == 0 || (list.count == 2 && list.numbers[0] == 0);
        if (list.count > 0)
            room[count++] = list.numbers[1];
    }
    for (size_t j = 0; j < count; j++)
        *far = fmax(*far, fabs(room[j] - y));
    return is_one ? choices_take(choices, count) : 0;
}

static bool is_truth(double x)
{
    return x == 0 || x == 1;
}

static bool are_truths(struct choice_list list)
{
    bool are = true;

    for (size_t i = 0; i < list.count; i++)
        are &= is_truth(list.numbers[i]);
    return are;
}

/* Count the truth values that may change to 0 and to 1; false if not all are truth values. */
static bool count_changes(const struct choices *choices, const struct added *added, double *fewer,
                          double *more)
{
    bool are = true;

    *fewer = *more = 0;
    for (size_t j = 0; j < added->lines->n; j++) {
        size_t at = place_of(added, j);
        double x = added->spread->call.in[0][at];
        bool may_change = added->spread->variance[0] && added->spread->variance[0][at] > 0;

        are &= is_truth(x) && are_truths(list_at(choices, added->spread, at));
        *fewer += may_change && x == 1;
        *more += may_change && x == 0;
    }
    return are;
}

/*
 * Truth values, of which some may change: the list has all numbers that their count may be. So
 * graphs write the rank of a number.
 */
static double find_counts(struct choices *choices, const struct added *added, double fewer,
                          double more, double *far)
{
    size_t count = (size_t)(fewer + more) + 1;
    double *room = choices_room(choices, count);

    for (size_t k = 0; k < count; k++)
        room[k] = added->y - fewer + (double)k;
    *far = fmax(fewer, more);
    return choices_take(choices, count);
}

/* Sums of integers that may be others. */
static void find_sums(struct choices *choices, const struct oracle_spread *spread,
                      struct names *names)
{
    struct walk_lines lines = walk_lines_make(spread->call.op);
    struct walk starts = lines.starts;

    walk_seek(&starts, 0);
    for (size_t i = 0; i < lines.count; i++, walk_step(&starts)) {
        const struct added added = {spread, &lines, (size_t)starts.offsets[0], spread->call.out[i]};
        double fewer, more, far, name;

        if (count_changes(choices, &added, &fewer, &more))
            name = find_counts(choices, &added, fewer, more, &far);
        else
            name = find_order(choices, &added, &far);
        set_name(names, i, name);
        if (name != 0)
            spread->out[i] = far * far / (ROUNDING_DEVIATIONS * ROUNDING_DEVIATIONS);
    }
    walk_lines_release(&lines);
}

/* The numbers that operand `k` may be: those of its list, or its own. */
static struct choice_list numbers_of(const struct choices *choices, const struct oracle_spread *s,
                                     size_t k, size_t at, const double *own)
{
    struct choice_list list = choices_list(choices, s->names[k] ? s->names[k][at] : 0);

    return list.count > 0 ? list : (struct choice_list){own, 1, 0};
}

/* A list of the element's own number and the one that is farthest from it. */
static struct choice_list trim(struct choice_list list, double own, double *room)
{
    room[0] = room[1] = own;
    for (size_t i = 0; i < list.count; i++)
        if (fabs(list.numbers[i] - own) > fabs(room[1] - own))
            room[1] = list.numbers[i];
    return list.count > 2 ? (struct choice_list){room, 2, 0} : list;
}

/*
 * A truth value that may change becomes 0 or 1, and a number that is cut to an integer becomes one
 * of those within reach. Returns their count, 0 if there are too many.
 */
static size_t cast_all(const struct op_call *op, double x, double variance, double *room)
{
    double reach = ROUNDING_DEVIATIONS * sqrt(variance);
    double least = trunc(x - reach), most = trunc(x + reach);
    size_t count = 0;

    if (op->in[0]->dtype == DTYPE_BOOL) {
        room[0] = x;
        room[1] = x == 0;
        return 2;
    }
    if (!dtype_is_float(op->in[0]->dtype) || dtype_is_float(op->out->dtype) ||
        !(most - least < MOST_CUT))
        return 0;
    for (; least + (double)count <= most; count++)
        room[count] = least + (double)count;
    return count;
}

/* The name of the list of one element that is cast, which has none before; 0 if it is certain. */
static double cast_element(struct choices *choices, const struct oracle_spread *spread, size_t at)
{
    double variance = spread->variance[0] ? spread->variance[0][at] : 0;

    if (!(variance > 0) || (spread->names[0] && spread->names[0][at] != 0))
        return 0;
    return choices_take(choices, cast_all(spread->call.op, spread->call.in[0][at], variance,
                                          choices_room(choices, MOST_CUT)));
}

/*
 * A `where` whose condition is uncertain may be what either branch may be. The second branch comes
 * first, so that where(c, place, 0) is a list of 0 and the place (find_order()).
 */
static size_t choose_branches(const struct choice_list *of, double *room)
{
    size_t count = 0;

    for (size_t k = 2; k > 0; k--)
        for (size_t i = 0; i < of[k].count; i++)
            room[count++] = of[k].numbers[i];
    return count;
}

/* The numbers that the operands of one element may be. */
struct operands {
    struct choice_list of[STRIP_OPERANDS];
    double own[STRIP_OPERANDS][2];
    size_t count, pairs, sum;
    bool is_joint; /* all lists have one origin, so that their numbers belong together */
    double origin;
};

/* Count the pairs, and find whether the lists belong together. */
static void count_pairs(struct operands *operands)
{
    size_t longest = 1;

    operands->pairs = 1;
    operands->sum = 0;
    operands->is_joint = true;
    operands->origin = 0;
    for (size_t k = 0; k < operands->count; k++) {
        struct choice_list list = operands->of[k];

        operands->sum += list.count;
        operands->pairs *= list.count;
        if (list.count == 1)
            continue;
        operands->is_joint &=
            list.origin != 0 &&
            (longest == 1 || (list.origin == operands->origin && list.count == longest));
        operands->origin = list.origin;
        longest = list.count;
    }
    if (operands->is_joint)
        operands->pairs = longest;
    else
        operands->origin = 0;
}

/* Compute with all numbers that the operands may be. */
static size_t compute_with(const struct oracle_rule *rule, const struct oracle_spread *spread,
                           const struct operands *operands, double *room)
{
    double x[STRIP_OPERANDS][STRIP_ELEMENTS] = {{0}}, y[STRIP_ELEMENTS];
    const double *const in[STRIP_OPERANDS] = {x[0], x[1], x[2]};

    for (size_t i = 0; i < operands->pairs; i++) {
        size_t left = i;

        for (size_t k = 0; k < operands->count; k++) {
            struct choice_list list = operands->of[k];

            x[k][i] = list.numbers[left % list.count];
            left = operands->is_joint ? left : left / list.count;
        }
    }
    rule->strip(in, spread->call.op->attributes, y);
    memcpy(room, y, operands->pairs * sizeof(*y));
    return operands->pairs;
}

static struct operands operands_of(const struct choices *choices,
                                   const struct oracle_spread *spread, const size_t *at)
{
    struct operands operands = {.count = spread->call.op->in_count};

    for (size_t k = 0; k < operands.count; k++)
        operands.of[k] = numbers_of(choices, spread, k, at[k], &spread->call.in[k][at[k]]);
    count_pairs(&operands);
    return operands;
}

/* Reduce the lists of real numbers if there are too many pairs of them. */
static void limit_pairs(const struct oracle_spread *spread, const size_t *at,
                        struct operands *operands)
{
    if (operands->pairs <= MOST_REAL || !dtype_is_float(spread->call.op->out->dtype))
        return;
    for (size_t k = 0; k < operands->count; k++)
        operands->of[k] = trim(operands->of[k], spread->call.in[k][at[k]], operands->own[k]);
    count_pairs(operands);
}

/* One element of an elementwise result. `at` are the operands' places. */
static double choose_element(struct choices *choices, const struct oracle_spread *spread,
                             const struct oracle_rule *rule, const size_t *at)
{
    const struct op_call *op = spread->call.op;
    struct operands operands = operands_of(choices, spread, at);
    bool is_where = op->in_count == 3, is_open = false;
    double *room;

    is_open = is_where && spread->variance[0] && spread->variance[0][at[0]] > 0 &&
              operands.of[0].count == 1;
    limit_pairs(spread, at, &operands);
    if (operands.pairs > MOST_PAIRS || (operands.pairs == 1 && !is_open))
        return 0;

    /* The lists move when room is made for another. */
    room = choices_room(choices, operands.pairs > operands.sum ? operands.pairs : operands.sum);
    operands = operands_of(choices, spread, at);
    limit_pairs(spread, at, &operands);
    if (is_open)
        return choices_take(choices, choose_branches(operands.of, room));
    return choices_take_from(choices, compute_with(rule, spread, &operands, room), operands.origin);
}

static void find_elements(struct choices *choices, const struct oracle_spread *spread,
                          const struct oracle_rule *rule, struct names *names)
{
    const struct op_call *op = spread->call.op;
    struct walk walk = {.shape = op->out->shape};
    size_t count = (size_t)shape_elements(&op->out->shape);
    bool is_cast = strcmp(op->op->name, "cast") == 0;

    for (size_t k = 0; k < op->in_count; k++)
        walk_add_broadcast(&walk, &op->in[k]->shape);
    walk_seek(&walk, 0);
    for (size_t i = 0; i < count; i++, walk_step(&walk)) {
        size_t at[OP_MAX_INPUTS];
        double name;

        for (size_t k = 0; k < op->in_count; k++)
            at[k] = (size_t)walk.offsets[k];
        name = is_cast ? cast_element(choices, spread, at[0]) : 0;
        set_name(names, i, name != 0 ? name : choose_element(choices, spread, rule, at));
    }
}

/* Lists move with their elements, so the operation is applied to their names. */
static void move_names(const struct oracle_spread *spread, const struct oracle_rule *rule,
                       struct names *names)
{
    const struct op_call *op = spread->call.op;
    struct oracle_call call = {.op = op, .out = names->items, .blocks = spread->call.blocks};
    double *zeros[OP_MAX_INPUTS] = {0};

    for (size_t k = 0; k < op->in_count; k++) {
        if (!spread->names[k])
            zeros[k] = mem_alloc_zeroed((size_t)shape_elements(&op->in[k]->shape), sizeof(double));
        call.in[k] = spread->names[k] ? spread->names[k] : zeros[k];
    }
    rule->evaluate(&call, rule);
    names->has_any = true;
    for (size_t k = 0; k < op->in_count; k++)
        free(zeros[k]);
}

static bool has_names(const struct oracle_spread *spread)
{
    for (size_t k = 0; k < spread->call.op->in_count; k++)
        if (spread->names[k])
            return true;
    return false;
}

/* True if a `where` chooses by a condition that may change, or such a number becomes another one.
 */
static bool is_uncertain(const struct oracle_spread *spread)
{
    static const char *const names[] = {"where", "cast", NULL};

    return op_is_one_of(spread->call.op->op, names) && spread->variance[0];
}

/*
 * True if truth values have lists as the integers that they are computed from: each integer decides
 * on one, as those do that correct a quotient.
 */
static bool decides_in_place(const struct oracle_spread *spread)
{
    const struct op_call *op = spread->call.op;
    bool is = has_names(spread);

    for (size_t k = 0; k < op->in_count; k++)
        is &= !dtype_is_float(op->in[k]->dtype) &&
              (!spread->names[k] || shape_equals(&op->in[k]->shape, &op->out->shape));
    return is;
}

void choices_find(struct choices *choices, const struct graph *graph, size_t node,
                  const struct oracle_spread *spread)
{
    const struct op_call *op = spread->call.op;
    const struct graph_node *own = &graph->nodes.items[node];
    const struct oracle_rule *rule = oracle_rule_of(op->op->name);
    bool is_integer = !dtype_is_float(op->out->dtype) && op->out->dtype != DTYPE_BOOL;
    struct names names = {
        .items = mem_alloc_zeroed((size_t)shape_elements(&op->out->shape) + 1, sizeof(double))};

    if (choice_is_place(own) && spread->variance[0])
        find_places_of(choices, spread, &names);
    else if (strcmp(op->op->name, "sum") == 0 && is_integer &&
             (spread->names[0] || spread->variance[0]))
        find_sums(choices, spread, &names);
    else if (rule->evaluate == oracle_elements &&
             (op->out->dtype == DTYPE_BOOL ? decides_in_place(spread)
                                           : has_names(spread) || is_uncertain(spread)))
        find_elements(choices, spread, rule, &names);
    else if ((own->op->view || strcmp(op->op->name, "concat") == 0) && has_names(spread))
        move_names(spread, rule, &names);
    if (!names.has_any)
        free(names.items);
    else
        choices->names[own->out] = names.items;
}
