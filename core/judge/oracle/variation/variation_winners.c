#include "core/judge/oracle/variation/variation_winners.h"

size_t variation_place(size_t number, size_t n)
{
    size_t from_end = number / 2 % n;

    return number % 2 ? n - 1 - from_end : from_end;
}

void variation_name_winners(const struct variation_row *row)
{
    size_t count = (size_t)(row->range.high - row->range.low) + 1;

    for (size_t i = 0; i < row->n; i++)
        row->elements[i] = row->range.low + (double)variation_place(row->index * row->n + i, count);
}

/* Exchange the largest element, or the least one, with that at the row's place. */
static void place_end(const struct variation_row *row, bool is_least)
{
    size_t place = variation_place(row->index, row->n), winner = 0;
    double element = row->elements[place];

    for (size_t i = 1; i < row->n; i++)
        if (is_least ? row->elements[i] < row->elements[winner]
                     : row->elements[i] > row->elements[winner])
            winner = i;
    row->elements[place] = row->elements[winner];
    row->elements[winner] = element;
}

static void raise_winner(const struct variation_row *row)
{
    row->elements[variation_place(row->index, row->n)] += 8;
}

void variation_place_winner(const struct variation_row *row)
{
    place_end(row, row->index / 2 % 2 == 1);
    if (row->index % 8 < 2 && row->range.low < 0 && row->range.high > 0)
        raise_winner(row);
}

void variation_place_sure_winner(const struct variation_row *row)
{
    place_end(row, false);
    raise_winner(row);
}
