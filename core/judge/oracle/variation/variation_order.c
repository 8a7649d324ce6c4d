#include "core/judge/oracle/variation/variation_order.h"

#include <math.h>
#include <stdlib.h>

/* A comparison function for qsort(). */
static int compare(const void *a, const void *b)
{
    const double *first = a, *second = b;

    return (*first > *second) - (*first < *second);
}

/* Sort ascending, or descending in every other of the sorted rows. */
static void sort(const struct variation_row *row)
{
    qsort(row->elements, row->n, sizeof(*row->elements), compare);
    for (size_t i = 0; i < row->n / 2 && row->index % 4 == 3; i++) {
        double first = row->elements[i];

        row->elements[i] = row->elements[row->n - 1 - i];
        row->elements[row->n - 1 - i] = first;
    }
}

/*
 * The difference of a near tie, as a fraction of a step. Floats up to eight steps can represent it,
 * but not without their last three bits.
 */
static const double near_tie = 0x1p-20;

/*
 * Replace numbers by multiples of a step. The step is a power of two, so sums and products of the
 * numbers are exact for longer. Every other row is sorted; the others also have near ties.
 */
void variation_tie(const struct variation_row *row)
{
    double step = exp2(floor(log2((row->range.high - row->range.low) / 8)));
    double part = row->index % 2 == 0 ? near_tie : 0;

    for (size_t i = 0; i < row->n; i++) {
        double steps = row->elements[i] / step;
        double near = round(steps) + part * round(3 * (steps - round(steps)));

        row->elements[i] = fmin(fmax(near * step, row->range.low), row->range.high);
    }
    if (row->index % 2)
        sort(row);
}

/*
 * Like variation_tie(), and one of every four rows or matrices is zero, as padding is. No zero is
 * negative, because kernels that compare bits may tell it from 0.
 */
void variation_tie_or_pad(const struct variation_row *row)
{
    variation_tie(row);
    if (row->index / row->group % 4 == 2 && row->range.low <= 0 && row->range.high >= 0)
        for (size_t i = 0; i < row->n; i++)
            row->elements[i] = 0;
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
            row->elements[i] *= 0x1p-90;
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
