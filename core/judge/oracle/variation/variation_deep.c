#include "core/judge/oracle/variation/variation_deep.h"

#include "core/judge/oracle/variation/variation_winners.h"

/* The numbers of elements far below zero, and the step between two of them, which is odd. */
enum { DEPTHS = 64, DEPTH_STEP = 27 };

/*
 * Set an element far below -10000, with which code for maxima often begins. The numbers are
 * multiples of 128, which both 16-bit types represent, so that copies in such a type are exact.
 * DEPTHS elements in a line have different ones, so that they have an order. The peak is so high
 * above the others that rounding in products cannot hide it.
 */
static void lie_deep(const struct variation_row *row, size_t element, bool is_peak)
{
    size_t place = element + row->index + row->seed % DEPTHS;

    row->elements[element] =
        is_peak ? -0x1p14 : -0x1.8p14 - 128 * (double)(place * DEPTH_STEP % DEPTHS);
}

void variation_lie_deep(const struct variation_row *row)
{
    size_t peak = variation_place(row->index, row->n);

    for (size_t i = 0; i < row->n; i++)
        lie_deep(row, i, i == peak);
}

void variation_lie_deep_in_columns(const struct variation_row *row)
{
    size_t lines = row->group > 1 ? row->group : row->count;

    for (size_t i = 0; i < row->n; i++)
        lie_deep(row, i, row->index % lines == variation_place(i, lines));
}
