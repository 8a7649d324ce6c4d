#include "core/judge/oracle/variation/variation_round.h"

#include <math.h>
#include <stdbool.h>

#include "core/base/array.h"
#include "core/base/splitmix.h"

enum { CORNER = 4 };

static size_t line_count(const struct variation_row *row)
{
    return row->group > 1 ? row->group : row->count;
}

/* Bits for an element; in the corner of a square they are those of the mirrored place too. */
static uint64_t bits_at(const struct variation_row *row, size_t place, uint32_t name)
{
    size_t lines = line_count(row), line = row->index % lines;
    size_t least = line < place ? line : place, most = line < place ? place : line;
    bool is_mirrored = lines == row->n && least < CORNER;
    uint64_t at = is_mirrored ? (uint64_t)least << 32 | most : (uint64_t)row->index << 32 | place;

    return splitmix(splitmix(row->seed ^ at) + name);
}

static bool reaches_over_zero(const struct variation_row *row)
{
    return row->range.low < 0 && row->range.high > 0;
}

/* A round number that the range has, by some bits; the number as drawn if it has none. */
static double round_number(const struct variation_row *row, uint64_t bits, double drawn)
{
    static const double numbers[] = {0, 1, 0.5, 2, 1, 3, 4, 6};
    double number = numbers[bits % COUNT(numbers)];

    for (size_t i = 0; i < COUNT(numbers) && !reaches_over_zero(row); i++) {
        number = copysign(numbers[(bits + i) % COUNT(numbers)], row->range.low);
        if (number >= row->range.low && number <= row->range.high)
            return number;
    }
    if (!reaches_over_zero(row))
        return drawn;
    return bits >> 3 & 1 ? -number : number;
}

/* How far an element lies from a round number: not at all, by few roundings, or by up to 1/1024. */
static double distance(uint64_t bits)
{
    double part = (double)(bits >> 20 & 0xffff) / 0x8000 - 1;

    return bits >> 4 & 1 ? part * 0x1p-10 : bits >> 5 & 1 ? copysign(0x1p-22, part) : 0;
}

static double clamp(double number, const struct variation_row *row)
{
    if (reaches_over_zero(row))
        return number;
    return fmin(fmax(number, row->range.low), row->range.high);
}

/*
 * How far nearly equal rows are apart, in 1/1024: an entry for each such row, in turn. The first is
 * large, because there may be only one.
 */
static const double apart[] = {16, 64, 4, 128, 1, 8, 32, 2};

/*
 * True if all elements of the row are round: every other number of a column, such as one that all
 * elements of a longer row are compared with.
 */
static bool is_round(const struct variation_row *row)
{
    return row->n == 1 && row->count > 1 && row->index % 2 == 0;
}

/* Adding 0 makes negative zeros positive: kernels that compare bits may tell them apart. */
void variation_approach_round(const struct variation_row *row)
{
    bool is_scalar = row->n == 1 && row->count == 1;
    bool is_shared = row->index % 4 == 1 && line_count(row) != row->n;
    double wider = is_round(row) ? 0 : is_shared ? apart[row->index / 4 % COUNT(apart)] : 1;

    for (size_t i = 0; i < row->n; i++) {
        uint64_t own = bits_at(row, i, row->name), bits = is_shared ? bits_at(row, i, 0) : own;
        double number = is_scalar ? 1 : round_number(row, bits, row->elements[i]);
        double part = is_scalar ? 0x1p-12 + distance(16 | own) / 4 : wider * distance(own);

        row->elements[i] = clamp(number + part * fmax(fabs(number), 0.5), row) + 0.0;
    }
}

/* A whole number that the range has: a small one, which graphs compare with, or an end. */
static double round_whole(const struct variation_row *row, size_t place)
{
    const double numbers[] = {0, row->range.high, 1, 2, 3, row->range.low, 4};

    for (size_t i = 0; i < COUNT(numbers); i++) {
        double number = numbers[(place + i) % COUNT(numbers)];

        if (number >= row->range.low && number <= row->range.high)
            return number;
    }
    return row->range.low;
}

void variation_repeat_round(const struct variation_row *row)
{
    double number = round_whole(row, row->index + row->seed);
    size_t odd = row->index % 4 == 3 || row->n == 1 ? row->n : row->index % row->n;

    for (size_t i = 0; i < row->n; i++)
        if (i != odd)
            row->elements[i] = number;
}

/* A number from 0 to 1. */
static double fraction(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

void variation_approach_others(const struct variation_row *row)
{
    double span = row->range.high - row->range.low;

    for (size_t i = 0; i < row->n; i++) {
        uint64_t at = (uint64_t)row->index << 32 | i;
        double shared = fraction(splitmix(splitmix(row->seed ^ at))),
               own = fraction(splitmix(splitmix(row->seed ^ at) + row->name));

        row->elements[i] = row->range.low + span * (0.375 + 0.25 * shared + 0x1p-8 * (own - 0.5));
    }
}
