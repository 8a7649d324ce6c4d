#include "core/judge/oracle/rounding/row_order.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"

struct numbered {
    double x;
    size_t place;
};

static int by_place(const struct numbered *a, const struct numbered *b)
{
    return (a->place > b->place) - (a->place < b->place);
}

static int ascending(const void *left, const void *right)
{
    const struct numbered *a = left, *b = right;
    int is_nan = isnan(a->x) - isnan(b->x), more = (a->x > b->x) - (a->x < b->x);

    return is_nan ? is_nan : more ? more : by_place(a, b);
}

static int descending_order(const void *left, const void *right)
{
    const struct numbered *a = left, *b = right;
    int is_nan = isnan(b->x) - isnan(a->x), more = (b->x > a->x) - (b->x < a->x);

    return is_nan ? is_nan : more ? more : by_place(a, b);
}

void row_order_find(const double *x, size_t n, bool descending, double *order)
{
    struct numbered *row = mem_alloc_zeroed(n + 1, sizeof(*row));

    for (size_t i = 0; i < n; i++)
        row[i] = (struct numbered){x[i], i};
    qsort(row, n, sizeof(*row), descending ? descending_order : ascending);
    for (size_t i = 0; i < n; i++)
        order[i] = (double)row[i].place;
    free(row);
}

/* The elements in order, and the first and last place that each may be at. */
struct ordered {
    double x, variance, element;
    size_t least, most;
};

static bool may_swap(const struct ordered *a, const struct ordered *b)
{
    double variance = a->variance + b->variance;

    return variance > 0 && fabs(a->x - b->x) <= ROUNDING_DEVIATIONS * sqrt(variance);
}

/* Count the elements before and behind row[at] with which it may swap; `widest` is any variance. */
static void find_limits(struct ordered *row, size_t n, size_t at, double widest)
{
    double reach = ROUNDING_DEVIATIONS * sqrt(row[at].variance + widest);

    row[at].least = row[at].most = at;
    for (size_t i = at; i-- > 0 && fabs(row[i].x - row[at].x) <= reach;)
        row[at].least -= may_swap(&row[i], &row[at]);
    for (size_t i = at + 1; i < n && fabs(row[i].x - row[at].x) <= reach; i++)
        row[at].most += may_swap(&row[i], &row[at]);
}

void row_order_choices(const struct spread_line *line, const double *order, order_choices_fn *take,
                       void *data)
{
    size_t n = line->values.n, farthest = 0;
    struct ordered *row = mem_alloc_zeroed(n + 1, sizeof(*row));
    double *found = mem_alloc_zeroed(n + 1, sizeof(*found)), widest = 0;

    for (size_t i = 0; i < n; i++) {
        size_t element = (size_t)order[i];

        row[i] = (struct ordered){
            .x = line->values.x[element], .variance = line->variance[element], .element = order[i]};
        widest = fmax(widest, row[i].variance);
    }
    for (size_t i = 0; i < n && widest > 0; i++) {
        size_t far;

        find_limits(row, n, i, widest);
        far = i - row[i].least > row[i].most - i ? i - row[i].least : row[i].most - i;
        farthest = far > farthest ? far : farthest;
    }
    for (size_t place = 0; place < n && farthest > 0; place++) {
        size_t first = place > farthest ? place - farthest : 0, count = 0;

        for (size_t i = first; i < n && i <= place + farthest; i++)
            if (row[i].least <= place && place <= row[i].most)
                found[count++] = row[i].element;
        take(data, place, found, count);
    }
    free(found);
    free(row);
}
