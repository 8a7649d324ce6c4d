#include "core/judge/oracle/variation/variation_order.h"

#include <math.h>
#include <stdlib.h>

/* A comparison function for qsort(). */
static int compare(const void *a, const void *b)
{
    const double *first = a, *second = b;

    return (*first > *second) - (*first < *second);
}

/* Sort the first `count` elements, ascending or descending. */
static void sort_first(const struct variation_row *row, size_t count, bool is_descending)
{
    qsort(row->elements, count, sizeof(*row->elements), compare);
    for (size_t i = 0; i < count / 2 && is_descending; i++) {
        double first = row->elements[i];

        row->elements[i] = row->elements[count - 1 - i];
        row->elements[count - 1 - i] = first;
    }
}

/* Sort ascending, or descending in every other of the sorted rows. */
static void sort(const struct variation_row *row)
{
    sort_first(row, row->n, row->index % 4 == 3);
}

/*
 * The difference of a near tie, as a fraction of a step. Floats up to eight steps can represent it,
 * but not without their last three bits.
 */
static const double near_tie = 0x1p-20;

/*
 * Replace numbers by multiples of a step. The step is a power of two, so sums and products of the
 * numbers are exact for longer. Every other row is sorted; the others also have near ties. Adding 0
 * makes negative zeros positive: kernels that compare bits may tell them apart.
 */
static void tie(const struct variation_row *row, double part)
{
    double step = exp2(floor(log2((row->range.high - row->range.low) / 8)));

    for (size_t i = 0; i < row->n; i++) {
        double steps = row->elements[i] / step;
        double near = round(steps) + part * round(3 * (steps - round(steps)));

        row->elements[i] = fmin(fmax(near * step, row->range.low), row->range.high) + 0.0;
    }
    if (row->index % 2)
        sort(row);
}

void variation_tie(const struct variation_row *row)
{
    tie(row, row->index % 2 == 0 ? near_tie : 0);
}

/* Make one of every four rows or matrices zero, as padding is. */
static void pad(const struct variation_row *row)
{
    if (row->index / row->group % 4 == 2 && row->range.low <= 0 && row->range.high >= 0)
        for (size_t i = 0; i < row->n; i++)
            row->elements[i] = 0;
}

/* No zero is negative, because kernels that compare bits may tell it from 0. */
void variation_tie_or_pad(const struct variation_row *row)
{
    variation_tie(row);
    pad(row);
}

void variation_tie_evenly(const struct variation_row *row)
{
    tie(row, 0);
    pad(row);
}

/* Replace whole numbers by four consecutive ones that have the upper bits in common. */
void variation_tie_whole(const struct variation_row *row)
{
    double step = fmax(exp2(floor(log2((row->range.high - row->range.low) / 8))), 1);
    double least = floor((row->range.low + row->range.high) / 2 / step) * step;

    for (size_t i = 0; i < row->n; i++) {
        double near = least + fmod(row->elements[i] - row->range.low, 4);

        row->elements[i] = fmin(fmax(near, row->range.low), row->range.high);
    }
}

/*
 * Only values that nothing rounds have such rows, so that no honest kernel loses the small numbers:
 * what takes numbers below some limit for zero does.
 */
void variation_make_constant(const struct variation_row *row)
{
    for (size_t i = 1; i < row->n && row->index % 2 == 0; i++)
        row->elements[i] = row->elements[0];
    if (row->index % 4 == 3 && row->range.low <= 0 && row->range.high >= 0)
        for (size_t i = 0; i < row->n; i++)
            row->elements[i] *= 0x1p-100;
}

void variation_sort_places(const struct variation_row *row)
{
    qsort(row->elements, row->n, sizeof(*row->elements), compare);
}

void variation_sort_places_down(const struct variation_row *row)
{
    for (size_t i = 0; i < row->n; i++)
        row->elements[i] = (double)(row->n - 1 - i);
}

/* Move a place to itself; the place that was moved to it goes elsewhere. */
static void keep_place(const struct variation_row *row, size_t place)
{
    for (size_t i = 0; i < row->n; i++)
        if (row->elements[i] == (double)place)
            row->elements[i] = row->elements[place];
    row->elements[place] = (double)place;
}

void variation_keep_ends(const struct variation_row *row)
{
    keep_place(row, 0);
    keep_place(row, row->n - 1);
}

/* True for one of eight places from `first` on except the last, and for at least one. */
static bool is_odd_place(const struct variation_row *row, size_t place, size_t first)
{
    size_t last = row->n > 8 ? row->n - 1 : row->n, shift = row->seed % 61 + row->index * 5;
    bool is_odd = (place * 40503 + shift * 7919) % 65537 % 8 == 0;

    return place >= first && place < last && (is_odd || place == first + shift % (last - first));
}

/*
 * Set all elements to `number` but the odd ones from `first` on. These stay as drawn, unless they
 * are so near the number that a variance of the row would be lost in the rounding of its mean.
 */
static void make_usual(const struct variation_row *row, double number, size_t first)
{
    double near = (row->range.high - row->range.low) / 16;

    for (size_t i = 0; i < row->n; i++)
        if (!is_odd_place(row, i, first))
            row->elements[i] = number;
        else if (fabs(row->elements[i] - number) < near)
            row->elements[i] = number > row->range.low + near ? row->range.low : row->range.high;
}

enum alike_kind { MOSTLY_NOTHING, MOSTLY_USUAL, HALF_SORTED };

/*
 * True if a line of `lines` has an element of which a kernel may take a sample: one in the middle
 * of all elements or at the end of them, and of many lines also at a quarter.
 */
static bool is_sampled(size_t line, size_t lines)
{
    size_t parts = lines < 16 ? 2 : 4;

    return line + 1 == lines || (parts * line + parts - 1) / lines * lines >= parts * line;
}

/*
 * The kind of a row: by turns, or for all rows of a matrix the same. Sampled rows of many, and
 * again the first two rows and the last one, have the first kind, so that samples do not tell what
 * is again from what was before.
 */
static enum alike_kind kind_of(const struct variation_row *row, bool is_again)
{
    static const enum alike_kind kinds[2][4] = {
        {MOSTLY_NOTHING, MOSTLY_USUAL, MOSTLY_USUAL, HALF_SORTED},
        {MOSTLY_NOTHING, MOSTLY_NOTHING, MOSTLY_USUAL, HALF_SORTED}};
    size_t line = row->index / row->group, lines = row->count / row->group;

    if ((is_again && row->index + 1 == row->count) || (lines >= 8 && is_sampled(line, lines)))
        return MOSTLY_NOTHING;
    return kinds[is_again][line % 4];
}

/* The numbers of rows that are alike: the one nearest to zero, another, and that of a scalar. */
struct alike {
    double none, usual, scalar;
    bool is_again;
};

static void make_rows_alike(const struct variation_row *row, struct alike numbers)
{
    bool is_above = row->group > 1 && row->index % row->group < row->group / 2;
    enum alike_kind kind = kind_of(row, numbers.is_again);

    if (row->n == 1 && row->count == 1)
        row->elements[0] = numbers.scalar;
    if (row->n == 1)
        return;
    if (kind == HALF_SORTED)
        sort_first(row, row->n - row->n / 2, row->index / 4 % 2);
    else if (kind == MOSTLY_USUAL)
        make_usual(row, numbers.usual, row->n / 8);
    else if (!is_above)
        make_usual(row, numbers.none, row->n / 2);
    else
        for (size_t i = 0; i < row->n; i++)
            row->elements[i] = numbers.none;
}

static double clamp(double number, const struct variation_row *row)
{
    return fmin(fmax(number, row->range.low), row->range.high);
}

/* The usual number has few digits, so that sums of it are exact for longer. */
static struct alike alike_of(const struct variation_row *row, bool is_again)
{
    double span = row->range.high - row->range.low, step = exp2(floor(log2(span / 8)));
    double usual = round((row->range.low + 0.625 * span) / step) * step;

    return (struct alike){clamp(0, row), clamp(usual, row), clamp(is_again, row), is_again};
}

void variation_make_alike(const struct variation_row *row)
{
    make_rows_alike(row, alike_of(row, false));
}

void variation_make_alike_again(const struct variation_row *row)
{
    make_rows_alike(row, alike_of(row, true));
}

void variation_make_alike_whole(const struct variation_row *row)
{
    double usual = ceil((row->range.low + row->range.high) / 2);

    make_rows_alike(row, (struct alike){row->range.low, usual, usual, false});
}

void variation_leave_most(const struct variation_row *row)
{
    for (size_t i = 0; i < row->n; i++)
        row->elements[i] = (double)i;
    for (size_t i = row->n < 7 ? 1 : 3; i + 3 < row->n; i += 8) {
        row->elements[i] = (double)(i + 2);
        row->elements[i + 2] = (double)i;
    }
}
