#include "core/judge/task/expectations_case.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/splitmix.h"
#include "core/base/strbuf.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/task/varied_data.h"

static char *describe(const struct scope *scope)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < scope->count; i++)
        strbuf_addf(&text, "%s%s=%lld", i ? " " : "", scope->items[i].name,
                    (long long)scope->items[i].value);
    return strbuf_take(&text);
}

/* Build the case for the dimensions in `scope`. Takes `bindings`, which the scope refers to. */
static enum status build(struct expectations_case *shape, const struct problem *problem,
                         struct scope scope, struct binding *bindings, struct error *err)
{
    struct expectations_case made = {.bindings = bindings, .scope = scope};
    enum status st = graph_build(&made.graph, problem, &scope, err);

    if (st) {
        free(bindings);
        return st;
    }
    made.text = describe(&scope);
    *shape = made;
    return STATUS_OK;
}

static struct binding *bindings_new(const struct problem *problem)
{
    return mem_alloc_zeroed(problem->dims.count + 1, sizeof(struct binding));
}

enum status expectations_case_known(struct expectations_case *shape, const struct problem *problem,
                                    size_t also, struct error *err)
{
    struct binding *bindings = bindings_new(problem);

    return build(shape, problem, problem_scope(problem, also, bindings), bindings, err);
}

size_t expectations_case_dynamic(const struct problem *problem)
{
    size_t count = 0;

    for (size_t i = 0; i < problem->dims.count; i++)
        count += problem->dims.items[i].is_dynamic;
    return count;
}

static int64_t draw_below(int64_t limit)
{
    return (int64_t)(fill_secret_seed() % (uint64_t)limit);
}

enum { LEAST_POWER = 4 }; /* exponent of two: vectors and tiles have at least sixteen elements */

/*
 * Draw a multiple of a power of two, at most `most`. The power is sixteen half of the time, else
 * larger.
 */
static int64_t draw_multiple(int64_t most)
{
    int64_t powers = 63 - __builtin_clzll((unsigned long long)most) - LEAST_POWER;
    int64_t more = powers > 0 && draw_below(2) ? 1 + draw_below(powers) : 0;
    int64_t unit = powers < 0 ? 1 : INT64_C(1) << (LEAST_POWER + more);

    return unit * (1 + draw_below(most / unit));
}

/*
 * Draw a number one above a multiple of one of the three largest powers of two, and so of all
 * smaller powers.
 */
static int64_t draw_above_multiple(int64_t most)
{
    int64_t largest = most > 1 ? 63 - __builtin_clzll((unsigned long long)most - 1) : 0;
    int64_t least = largest < LEAST_POWER ? largest : LEAST_POWER, power = largest - draw_below(3);
    int64_t unit = INT64_C(1) << (power < least ? least : power);

    return most > 1 ? unit * (1 + draw_below((most - 1) / unit)) + 1 : 1;
}

/* Draw a number: half of the time one below a multiple, else any. */
static int64_t draw_any(int64_t most)
{
    int64_t multiple = draw_multiple(most);

    return multiple > 1 && draw_below(2) ? multiple - 1 : 1 + draw_below(most);
}

/* Find the dynamic dimension with a number, from 0. */
static size_t find_dynamic(const struct problem *problem, size_t number)
{
    size_t i = 0;

    while (!problem->dims.items[i].is_dynamic || number-- > 0)
        i++;
    return i;
}

/*
 * Raise a dynamic dimension by an eighth of the main value, or by a little less: what is wrong from
 * some size above the main one on is wrong there, unless it begins in between. Half of the time the
 * size is one below a multiple of a power of two, as large sizes otherwise seldom are.
 */
static void raise_dynamic(const struct problem *problem, size_t number, struct binding *bindings)
{
    size_t i = find_dynamic(problem, number);
    int64_t most = problem->dims.items[i].value, raised = most + 1 + most / 8;
    int64_t unit = most < 32 ? 1 : INT64_C(1) << (58 - __builtin_clzll((unsigned long long)most));

    bindings[i].value =
        draw_below(2) ? raised / unit * unit - (unit > 1) : raised - draw_below(most / 32 + 1);
}

static bool can_be_built(const struct problem *problem, const struct scope *scope)
{
    struct graph graph = {0};
    enum status st = graph_build(&graph, problem, scope, NULL);

    graph_release(&graph);
    return !st;
}

/*
 * Lower a dynamic dimension to the least value at which the graph can be built: 1,
 * unless windows need more. The graph can be built at all values above the least one.
 */
static void lower_dynamic(const struct problem *problem, size_t number, const struct scope *scope,
                          struct binding *bindings)
{
    struct binding *lowered = &bindings[find_dynamic(problem, number)];
    int64_t too_low = 0, least = lowered->value;

    while (least - too_low > 1) {
        lowered->value = too_low + (least - too_low) / 2;
        if (can_be_built(problem, scope))
            least = lowered->value;
        else
            too_low = lowered->value;
    }
    lowered->value = least;
}

/*
 * Raise dimensions at which the graph cannot be built, for example because windows need more
 * elements: first by multiples that change no remainder, at last to the main values.
 */
static void make_buildable(const struct problem *problem, const struct scope *scope,
                           struct binding *bindings)
{
    for (bool is_main = false; !is_main && !can_be_built(problem, scope);) {
        is_main = true;
        for (size_t i = 0; i < problem->dims.count; i++) {
            int64_t main = problem->dims.items[i].value, *value = &bindings[i].value;

            if (!problem->dims.items[i].is_dynamic || *value >= main)
                continue;
            *value += EXPECTATIONS_REMAINDERS;
            *value = *value > main ? main : *value;
            is_main &= *value == main;
        }
    }
}

enum { TRIES = 16 /* for each kind */ };

/* The number of cases of remainders from the case in which all dimensions are 1, in a circle. */
static unsigned cases_from_ones(uint64_t secret, unsigned number)
{
    return (unsigned)((number + EXPECTATIONS_REMAINDERS - secret % EXPECTATIONS_REMAINDERS) %
                      EXPECTATIONS_REMAINDERS);
}

/*
 * The remainder of the `dim`-th dimension by EXPECTATIONS_REMAINDERS in the `number`-th case of
 * remainders. The cases of one secret have each remainder once, and half of them each remainder of
 * half the divisor, in another order for each dimension. In one case all dimensions have the
 * remainder 1, and half a circle from it all have 9, because the steps are odd. The steps of two
 * dimensions differ.
 */
static int64_t remainder_of(uint64_t secret, size_t dim, unsigned number)
{
    uint64_t step = 2 * (splitmix(secret) + dim) + 1;

    return (int64_t)((1 + step * cases_from_ones(secret, number)) % EXPECTATIONS_REMAINDERS);
}

/*
 * Move `times`, at most `most`, to a multiple of a power of two or to one below it, if the
 * remainder is one that faults of blocks have: then it is also one by 32, 64 or more.
 */
static int64_t meet_blocks(int64_t times, int64_t most, int64_t bits, int64_t remainder)
{
    int64_t low = (INT64_C(1) << draw_below(bits + 1)) - 1;

    while ((times | low) > most)
        low /= 2;
    if (remainder + 1 == EXPECTATIONS_REMAINDERS)
        return times | low;
    return remainder < 2 ? times & ~low : times;
}

/*
 * A number with this remainder, at most `most` if possible. Its number of bits is drawn, so small
 * numbers are as frequent as large ones and most cases cost little.
 */
static int64_t draw_with_remainder(int64_t most, int64_t remainder)
{
    int64_t unit = EXPECTATIONS_REMAINDERS, times = (most - remainder) / unit;
    int64_t bits = times > 0 ? 64 - __builtin_clzll((unsigned long long)times) : 0;
    int64_t limit = INT64_C(1) << draw_below(bits + 1), drawn;

    if (remainder > most)
        return 1 + remainder % most;
    drawn = draw_below(limit > times ? times + 1 : limit);
    drawn = remainder + unit * meet_blocks(drawn, times, bits, remainder);
    return drawn ? drawn : unit <= most ? unit : most;
}

/*
 * Give all dynamic dimensions the least of their values and of `most`, unless there is only one:
 * kernels may mistake rows for columns in squares, and one element for a special case.
 */
static void make_equal(const struct problem *problem, int64_t most, struct binding *bindings)
{
    size_t count = 0;

    for (size_t i = 0; i < problem->dims.count; i++)
        if (problem->dims.items[i].is_dynamic) {
            most = bindings[i].value < most ? bindings[i].value : most;
            count++;
        }
    for (size_t i = 0; i < problem->dims.count && count > 1; i++)
        if (problem->dims.items[i].is_dynamic)
            bindings[i].value = most;
}

/* Draw the dynamic dimensions with the remainders of the `number`-th case of these. */
static enum status draw_remainders(struct expectations_case *shape, const struct problem *problem,
                                   uint64_t secret, unsigned number, struct error *err)
{
    struct binding *bindings = bindings_new(problem);
    struct scope scope = problem_scope(problem, 0, bindings);
    unsigned from_ones = cases_from_ones(secret, number);

    for (size_t i = 0; i < problem->dims.count; i++)
        if (problem->dims.items[i].is_dynamic)
            bindings[i].value =
                draw_with_remainder(problem->dims.items[i].value, remainder_of(secret, i, number));
    if (from_ones == 0)
        make_equal(problem, 1, bindings);
    else if (from_ones == EXPECTATIONS_REMAINDERS / 2)
        make_equal(problem, INT64_MAX, bindings);
    make_buildable(problem, &scope, bindings);
    return build(shape, problem, scope, bindings, err);
}

/*
 * The first kind raises a dimension, and the last one lowers it and raises the next, so that of two
 * each is above its main value once.
 */
static enum status draw_kind(struct expectations_case *shape, const struct problem *problem,
                             unsigned kind, uint64_t secret, struct error *err)
{
    static int64_t (*const draws[EXPECTATIONS_KINDS])(int64_t most) = {
        draw_any, draw_multiple, draw_above_multiple, draw_multiple};
    struct binding *bindings = bindings_new(problem);
    struct scope scope = problem_scope(problem, 0, bindings);
    size_t count = 0;

    for (size_t i = 0; i < problem->dims.count; i++) {
        if (!problem->dims.items[i].is_dynamic)
            continue;
        bindings[i].value = draws[kind](problem->dims.items[i].value);
        count++;
    }
    make_buildable(problem, &scope, bindings);
    if (count && kind == 0)
        raise_dynamic(problem, secret % count, bindings);
    if (count > 1 && kind == EXPECTATIONS_KINDS - 1)
        raise_dynamic(problem, (secret + 1) % count, bindings);
    if (count && kind == EXPECTATIONS_KINDS - 1)
        lower_dynamic(problem, secret % count, &scope, bindings);
    return build(shape, problem, scope, bindings, err);
}

static enum status draw(struct expectations_case *shape, const struct problem *problem,
                        unsigned index, const struct expectations_draws *draws, struct error *err)
{
    if (index < EXPECTATIONS_KINDS)
        return draw_kind(shape, problem, index, draws->secret, err);
    return draw_remainders(shape, problem, draws->secret, index - EXPECTATIONS_KINDS, err);
}

/* The kind of the next draw: after every TRIES tries another one. */
static unsigned kind_at(unsigned index, unsigned tries)
{
    unsigned next = index + tries / TRIES;

    return index < EXPECTATIONS_KINDS ? next % EXPECTATIONS_KINDS : next;
}

enum status expectations_case_drawn(struct expectations_case *shape, const struct problem *problem,
                                    unsigned index, const struct expectations_draws *draws,
                                    struct error *err)
{
    enum status st = draw(shape, problem, index, draws, err);

    for (unsigned i = 1; !st && i < TRIES * EXPECTATIONS_KINDS && draws->has &&
                         draws->has(draws->data, shape->text);
         i++) {
        expectations_case_release(shape);
        st = draw(shape, problem, kind_at(index, i), draws, err);
    }
    return st;
}

enum { LARGER = 5, LEAST_LARGE = 4608, MOST_BESIDE = 8 };

/* The largest size that no larger case needs: other cases have it. */
static int64_t just_above(int64_t main)
{
    return main + 1 + main / 8;
}

static int64_t draw_large(int64_t main)
{
    int64_t most = LARGER * main > LEAST_LARGE ? LARGER * main : LEAST_LARGE;

    return most - draw_below(most / 16);
}

static bool is_affordable(const struct problem *problem, const struct scope *scope)
{
    struct graph graph = {0};
    bool is_few = !graph_build(&graph, problem, scope, NULL) && varied_data_are_few(&graph);

    graph_release(&graph);
    return is_few;
}

/* A dimension that becomes larger than `above`, and how large the others are beside it at most. */
struct larger {
    size_t dim;
    int64_t above, beside;
};

/* Draw the dynamic dimensions; false if the large one must be smaller because it costs much. */
static bool enlarge(const struct problem *problem, struct larger larger, const struct scope *scope,
                    struct binding *bindings)
{
    int64_t main = problem->dims.items[larger.dim].value, *value = &bindings[larger.dim].value;

    for (size_t i = 0; i < problem->dims.count; i++) {
        int64_t usual = problem->dims.items[i].value;

        if (problem->dims.items[i].is_dynamic)
            bindings[i].value = 1 + draw_below(usual < larger.beside ? usual : larger.beside);
    }
    *value = draw_large(main);
    make_buildable(problem, scope, bindings);
    while (*value > larger.above && !is_affordable(problem, scope))
        *value -= (*value + 3) / 4;
    return *value > larger.above;
}

enum status expectations_case_larger(struct expectations_case *shape, const struct problem *problem,
                                     size_t number, bool *is_drawn, struct error *err)
{
    struct binding *bindings = bindings_new(problem);
    struct scope scope = problem_scope(problem, 0, bindings);
    size_t dim = find_dynamic(problem, number);
    int64_t main = problem->dims.items[dim].value;
    const struct larger tries[] = {
        {dim, 2 * main, MOST_BESIDE}, {dim, 2 * main, 2}, {dim, just_above(main), 1}};
    enum status st;

    *shape = (struct expectations_case){0};
    *is_drawn = false;
    for (size_t i = 0; i < COUNT(tries) && !*is_drawn; i++)
        *is_drawn = enlarge(problem, tries[i], &scope, bindings);
    if (!*is_drawn) {
        free(bindings);
        return STATUS_OK;
    }
    st = build(shape, problem, scope, bindings, err);
    shape->is_larger = true;
    return st;
}

void expectations_case_release(struct expectations_case *shape)
{
    graph_release(&shape->graph);
    free(shape->bindings);
    free(shape->text);
    *shape = (struct expectations_case){0};
}
