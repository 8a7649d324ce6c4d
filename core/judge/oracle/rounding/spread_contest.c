#include "core/judge/oracle/rounding/spread_contest.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/walk.h"

/* A walk over the results of a comparison, and the operand with fewer elements. */
struct contest {
    struct walk walk;
    size_t selected;
    size_t count;
};

static size_t count_of(const struct value *value)
{
    return (size_t)shape_elements(&value->shape);
}

static struct contest contest_of(const struct oracle_spread *spread)
{
    const struct op_call *op = spread->call.op;
    struct contest contest = {.walk = {.shape = op->out->shape}, .count = count_of(op->out)};

    for (size_t k = 0; k < op->in_count; k++)
        walk_add_broadcast(&contest.walk, &op->in[k]->shape);
    contest.selected = count_of(op->in[1]) < count_of(op->in[0]);
    return contest;
}

void spread_contest(const struct oracle_spread *spread)
{
    const struct op_call *op = spread->call.op;
    struct contest c = contest_of(spread);
    const double *const *variance = spread->variance;
    bool *is_contested = mem_alloc_zeroed(count_of(op->in[c.selected]) + 1, sizeof(bool));

    walk_seek(&c.walk, 0);
    for (size_t i = 0; i < c.count; i++, walk_step(&c.walk))
        is_contested[c.walk.offsets[c.selected]] |= spread->out[i] > 0;
    walk_seek(&c.walk, 0);
    for (size_t i = 0; i < c.count; i++, walk_step(&c.walk)) {
        ptrdiff_t a = c.walk.offsets[0], b = c.walk.offsets[1];
        bool is_exact =
            !(variance[0] && variance[0][a] > 0) && !(variance[1] && variance[1][b] > 0);

        if (is_contested[c.walk.offsets[c.selected]] && !is_exact &&
            spread->call.in[0][a] == spread->call.in[1][b])
            spread->out[i] = SPREAD_CONTEST_FLIP;
    }
    free(is_contested);
}

/* An element that is the largest one of its window is left out to find the next largest one. */
static double *leave_out_largest(const double *x, const double *largest, size_t count)
{
    double *others = mem_alloc_zeroed(count + 1, sizeof(*others));

    for (size_t i = 0; i < count; i++)
        others[i] = x[i] == largest[i] ? (double)-INFINITY : x[i];
    return others;
}

void spread_contest_windows(const struct oracle_spread *spread, const struct op_call *window,
                            size_t k)
{
    const struct oracle_rule *rule = oracle_rule_of(window->op->name);
    size_t count = count_of(spread->call.op->out);
    const double *x = spread->call.in[1 - k], *largest = spread->call.in[k];
    double *others = leave_out_largest(x, largest, count);
    double *rivals = mem_alloc_zeroed(count + 1, sizeof(*rivals));
    struct oracle_call call = {.op = window, .in = {others}, .out = rivals};

    rule->evaluate(&call, rule);
    for (size_t i = 0; i < count; i++) {
        double variance = (spread->variance[0] ? spread->variance[0][i] : 0) +
                          (spread->variance[1] ? spread->variance[1][i] : 0);

        if (x[i] == largest[i] && variance > 0 &&
            x[i] - rivals[i] <= ROUNDING_DEVIATIONS * sqrt(variance))
            spread->out[i] = SPREAD_CONTEST_FLIP;
    }
    free(others);
    free(rivals);
}

/* Contest the elements of a line that exceed all before them by less than rounding may change. */
static void contest_line(const struct oracle_spread *spread, const struct walk_lines *lines,
                         size_t start, size_t k)
{
    const double *x = spread->call.in[1 - k], *largest = spread->call.in[k];
    size_t before = start;

    for (size_t j = 1; j < lines->n; j++) {
        size_t at = start + (lines->offsets ? (size_t)lines->offsets[j] : j);
        double variance = (spread->variance[0] ? spread->variance[0][at] : 0) +
                          (spread->variance[1] ? spread->variance[1][at] : 0);

        if (x[at] == largest[at] && variance > 0 &&
            x[at] - largest[before] <= ROUNDING_DEVIATIONS * sqrt(variance))
            spread->out[at] = SPREAD_CONTEST_FLIP;
        before = at;
    }
}

void spread_contest_scan(const struct oracle_spread *spread, const struct op_call *scan, size_t k)
{
    struct walk_lines lines = walk_lines_make(scan);
    struct walk starts = lines.starts;

    walk_seek(&starts, 0);
    for (size_t i = 0; i < lines.count; i++, walk_step(&starts))
        contest_line(spread, &lines, (size_t)starts.offsets[0], k);
    walk_lines_release(&lines);
}
