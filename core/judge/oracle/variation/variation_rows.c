#include "core/judge/oracle/variation/variation_rows.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/judge/oracle/variation/variation_deep.h"
#include "core/judge/oracle/variation/variation_order.h"
#include "core/judge/oracle/variation/variation_round.h"
#include "core/judge/oracle/variation/variation_winners.h"

static void scale(const struct variation_row *row, double factor)
{
    for (size_t i = 0; i < row->n; i++)
        row->elements[i] *= factor;
}

static void enlarge(const struct variation_row *row)
{
    scale(row, 16);
}

/* The factors of huge numbers: together they leave no gap between 6 and 300000 deviations. */
static double huge_factor(size_t place)
{
    return place % 2 ? 65536 : place % 4 ? 512 : 16;
}

/*
 * Enlarge rows by 16, 512 and 65536, in turn, or the elements of a vector. Rounding the largest
 * element to 16 bits then changes it by more than the range of an exponential.
 */
static void enlarge_in_turn(const struct variation_row *row)
{
    for (size_t i = 0; i < row->n; i++)
        row->elements[i] *= huge_factor(row->count > 1 ? row->index : i);
}

static void enlarge_to_vast(const struct variation_row *row)
{
    for (size_t i = 0; i < row->n; i++)
        row->elements[i] *= huge_factor(row->count > 1 ? 2 * row->index : 2 * i);
}

/* Set the largest element to 10: its exponential still fits f16. */
static void reach_ten(const struct variation_row *row)
{
    double largest = 0;

    for (size_t i = 0; i < row->n; i++)
        largest = fmax(largest, fabs(row->elements[i]));
    if (largest > 0)
        scale(row, 10 / largest);
}

/*
 * Enlarge rows by 16, 512 and 2^17, in turn, and give every other three one sign, so that their
 * means are beyond the largest number of f16, too.
 */
static void enlarge_alone(const struct variation_row *row)
{
    const double factors[] = {0x1p17, 16, 512};
    size_t shift = row->seed >> 20 & 7;

    for (size_t i = 0; i < row->n; i++) {
        size_t place = (row->count > 1 ? row->index : i) + shift;
        double number = row->elements[i] * factors[place % COUNT(factors)];

        row->elements[i] = place / COUNT(factors) % 2 ? fabs(number) : number;
    }
}

/* Make all rows small, every other one negligible beside the numbers of the next row. */
static void diminish(const struct variation_row *row)
{
    bool is_scalar = row->n == 1 && row->count == 1; /* what it multiplies is small, too */
    const double factors[] = {0x1p-6, 0x1p-10, 0x1p-2, 0x1p-20, 0x1p-6, 0x1p-10, 0x1p-4, 0x1p-20};

    scale(row, is_scalar ? 0x1p-12 : factors[row->index % COUNT(factors)]);
}

/*
 * Like diminish(), and make the smallest rows smaller than a least length or step, by which rows
 * are divided, usually is: 1e-6 or 1e-8. Products of two of their squares still fit float32.
 */
static void diminish_far(const struct variation_row *row)
{
    diminish(row);
    if (row->index % 4 == 3)
        scale(row, row->index % 8 == 3 ? 0x1p-10 : 0x1p-6);
}

/* Make all rows small, so that sums over rows are small too. */
static void make_tiny(const struct variation_row *row)
{
    scale(row, 0x1p-20);
}

/* Make a vector smaller than small rows, because it is added to results. */
static void diminish_vector(const struct variation_row *row)
{
    if (row->count == 1)
        scale(row, 1.0 / 1024);
}

/* As diminish_vector(), as tiny as the rows. */
static void make_vector_tiny(const struct variation_row *row)
{
    if (row->count == 1)
        make_tiny(row);
}

/*
 * Enlarge the first rows and the last ones of a param, which belong to the first and the last
 * results. The first number is positive and the last one negative: a param with few numbers, such
 * as a bias, would often have one sign only, and hide what is lost on the other side.
 */
static void enlarge_ends(const struct variation_row *row)
{
    double *first = row->elements, *last = row->elements + row->n - 1;

    if (row->index == 0 || row->index + 1 == row->count)
        enlarge(row);
    if (row->index + 1 == row->count)
        *last = -fabs(*last);
    if (row->index == 0)
        *first = fabs(*first);
}

/*
 * Put the outlier first, last, or anywhere, in turn; where many would hide each other, few. The
 * first of four rows has none, and the first element seldom is one, so that a kernel which looks at
 * some elements in order to choose a faster way does not find the outliers.
 */
static void add_outlier(const struct variation_row *row)
{
    size_t four = row->index / 4, any = (row->seed + row->index * 7919) % row->n;
    const size_t ends[] = {0, row->n - 1};
    bool is_anywhere = row->is_alone ? row->index % 4 == 2 : four % 3 == 2;
    double *element = &row->elements[is_anywhere ? any : ends[(four + row->index) % 2]];
    double least = (row->range.high - row->range.low) / 12;

    if (row->count > 3 && row->index % 4 != 1 && (row->index % 4 == 0 || !row->is_alone))
        return;
    *element = 64 * copysign(fmax(fabs(*element), least), *element);
}

/*
 * Move the elements from `first` to before `last` by a multiple of the range. Ten times the range
 * is enough for the exponential of any element to overflow, or to be below the smallest denormal
 * number.
 */
static void move(const struct variation_row *row, size_t first, size_t last, double times)
{
    for (size_t i = first; i < last; i++)
        row->elements[i] += times * 10 * (row->range.high - row->range.low);
}

/*
 * The factor for rows that are very far from zero: they lie beyond -10000, with which code for
 * maxima often begins. f16 can represent such numbers.
 */
static const double far = 100, farthest = 1e5;

/*
 * The number by which rows lie on one side of zero or the other. Half of the matrices lie on one
 * side as a whole, because a window may span their rows.
 */
static size_t side_of(const struct variation_row *row)
{
    size_t matrix = row->index / row->group;

    return row->group > 1 && matrix % 8 < 4 ? matrix : row->index;
}

static void move_apart(const struct variation_row *row)
{
    move(row, 0, row->n, side_of(row) % 2 ? 1 : -1);
}

static void move_far_apart(const struct variation_row *row)
{
    move(row, 0, row->n, (side_of(row) % 2 ? 1 : -1) * (side_of(row) / 2 % 2 ? far : 1));
}

static void move_farthest_apart(const struct variation_row *row)
{
    const double distances[] = {far, farthest, 1, far};
    size_t side = side_of(row);
    double times = distances[side / 2 % COUNT(distances)];

    move(row, 0, row->n, side % 2 ? times : -times);
}

static void move_halves_apart(const struct variation_row *row)
{
    move(row, 0, row->n / 2, -1);
    move(row, row->n / 2, row->n, 1);
}

/*
 * Move halves of rows apart, in half of the tensors the other way round, by their names: products
 * of rows of two such tensors are all far below zero. This bit of the hash differs between usual
 * names of queries and keys.
 */
static void move_halves_oppositely(const struct variation_row *row)
{
    int side = row->name >> 2 & 1 ? 1 : -1;

    move(row, 0, row->n / 2, side);
    move(row, row->n / 2, row->n, -side);
}

static void move_ends_far_apart(const struct variation_row *row)
{
    move_halves_apart(row);
    if (row->n > 2) {
        move(row, 0, 1, -far);
        move(row, row->n - 1, row->n, far);
    }
}

static void move_down(const struct variation_row *row)
{
    move(row, 0, row->n, -1);
}

static void move_up(const struct variation_row *row)
{
    move(row, 0, row->n, 1);
}

/*
 * Add at most one peak to each row and each column. Rows from the first on have the peak at the
 * first place, the second, ...; rows from the last backwards have it at the last place, the last
 * but one, ... If there are few rows, the middle one has it anywhere between. The exponential of
 * the peak's height exceeds the range of 32-bit floats, or in two of eight rows those of the others
 * are small beside the peak's and not negligible together, also if they are halved first.
 */
static void add_peak(const struct variation_row *row)
{
    size_t peaks = row->n < row->count ? row->n : row->count;
    size_t from_end = row->count - 1 - row->index;
    size_t turn = (row->index < from_end ? row->index : from_end) % 8;
    double tall = fmax(10 * (row->range.high - row->range.low), 110);
    double height = turn == 4 ? 18 : turn == 6 ? 36 : tall;

    if (row->index + 1 < peaks - peaks / 2)
        row->elements[row->index] += height;
    else if (row->index + 1 == peaks - peaks / 2)
        row->elements[row->index + row->seed % (row->n - peaks + 1)] += height;
    else if (from_end < peaks / 2)
        row->elements[row->n - 1 - from_end] += height;
}

static void negate(const struct variation_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        row->elements[i] = -fabs(row->elements[i]);
}

/*
 * Make alternate rows negative, and the first half of the other rows, so that there are negative
 * lines along every axis.
 */
static void make_negative(const struct variation_row *row)
{
    negate(row, row->index / row->group % 2 ? row->n / 2 : row->n);
}

/*
 * Make half of a vector negative: results are multiplied by it, as by a norm's weights, which are
 * seldom negative.
 */
static void negate_half_of_vector(const struct variation_row *row)
{
    if (row->count == 1)
        negate(row, row->n / 2);
}

/*
 * The end of the range that a row or column reaches. Of every four, the third reaches the high end,
 * 1, and the fourth the low one, -1. In other groups of four the ends are exchanged, depending on
 * the tensor's name, so that two tensors reach all pairs of ends.
 */
static int end_at(const struct variation_row *row, size_t place)
{
    size_t four = place / 4;
    int end = place % 4 == 2 ? 1 : place % 4 == 3 ? -1 : 0;

    return four > 0 && row->name >> four % 32 & 1 ? -end : end;
}

/* Give one of every four rows the ends of the range as its first and last element. */
static void reach_at_ends(const struct variation_row *row)
{
    if (row->index % 4 == 0) {
        row->elements[row->n - 1] = row->range.low;
        row->elements[0] = row->range.high;
    }
}

enum { HIGH_LINE = 2 }; /* of the lines' numbers: all elements but one are at the high end */

/*
 * The end that `place` of the line with this number reaches, where all elements of a line of `n`
 * but one reach the same end. Lines in turn have the odd one at both ends and further inward, as
 * the largest element and as the least one.
 */
static double odd_one_at(const struct variation_row *row, size_t line, size_t place, size_t n)
{
    bool is_odd = place == variation_place(line / 4 * 2 + line % 2, n);

    return is_odd == !(line & HIGH_LINE) ? row->range.high : row->range.low;
}

/* Has one of every four rows, and a vector, one element unlike all others. */
static void reach_ends(const struct variation_row *row)
{
    int end = end_at(row, row->index);
    size_t line = row->count > 1 ? row->index / 4 : row->seed | HIGH_LINE;

    for (size_t i = 0; i < row->n && (row->count == 1 || row->index % 4 == 1); i++)
        row->elements[i] = odd_one_at(row, line, i, row->n);
    if (row->count == 1)
        return;
    for (size_t i = 0; i < row->n && end; i++)
        row->elements[i] = end > 0 ? row->range.high : row->range.low;
    reach_at_ends(row);
}

/* Like reach_ends() for real numbers, which only come near an end: equal ones round alike. */
static void approach_ends(const struct variation_row *row)
{
    int end = end_at(row, row->index);
    double number = end > 0 ? row->range.high : row->range.low;

    for (size_t i = 0; i < row->n && end; i++)
        row->elements[i] = number + (row->elements[i] - number) / 16;
    reach_at_ends(row);
}

/*
 * Set one of every four columns to the largest number, and one to the smallest. One has an element
 * unlike all others, as a vector has.
 */
static void reach_ends_of_columns(const struct variation_row *row)
{
    size_t lines = row->group > 1 ? row->group : row->count;

    for (size_t i = 0; i < row->n && row->count == 1; i++)
        row->elements[i] = odd_one_at(row, row->seed & ~(uint64_t)HIGH_LINE, i, row->n);
    if (row->count == 1)
        return;
    for (size_t i = 0; i < row->n; i++) {
        int end = end_at(row, i + 2);

        if (end)
            row->elements[i] = end > 0 ? row->range.high : row->range.low;
        else if (i % 4 == 3 && lines > 1)
            row->elements[i] =
                odd_one_at(row, i / 4 + row->index / lines, row->index % lines, lines);
    }
}

static void set_all(const struct variation_row *row, double number)
{
    for (size_t i = 0; i < row->n; i++)
        row->elements[i] = number;
}

static void set_to_least(const struct variation_row *row)
{
    set_all(row, row->range.low);
}

static void set_to_most(const struct variation_row *row)
{
    set_all(row, row->range.high);
}

const struct variation_rule variation_rules[VARIATION_COUNT] = {
    [VARIATION_OUTLIERS] = {.reach = BOTH_SIGNS, .input = add_outlier},
    [VARIATION_TIES] = {.reach = ANY_RANGE,
                        .input = variation_tie_or_pad,
                        .index = variation_tie_whole,
                        .order = variation_sort_places,
                        .milder = VARIATION_EVEN},
    [VARIATION_EVEN] = {.reach = ANY_RANGE,
                        .input = variation_tie_evenly,
                        .index = variation_tie_whole,
                        .order = variation_sort_places,
                        .milder = VARIATION_SORTED},
    [VARIATION_SORTED] = {.reach = ANY_RANGE,
                          .input = variation_tie,
                          .index = variation_tie_whole,
                          .order = variation_sort_places},
    [VARIATION_CONSTANT] = {.reach = ANY_RANGE, .input = variation_make_constant},
    [VARIATION_NEGATIVE] = {.reach = BOTH_SIGNS,
                            .input = make_negative,
                            .param = negate_half_of_vector,
                            .order = variation_sort_places_down},
    [VARIATION_HUGE] = {.reach = BOTH_SIGNS,
                        .input = enlarge_in_turn,
                        .param = enlarge_ends,
                        .milder = VARIATION_VAST},
    [VARIATION_VAST] = {.reach = BOTH_SIGNS,
                        .input = enlarge_to_vast,
                        .param = enlarge_ends,
                        .milder = VARIATION_LARGE},
    [VARIATION_LARGE] = {.reach = BOTH_SIGNS,
                         .input = enlarge,
                         .param = enlarge_ends,
                         .milder = VARIATION_WIDE},
    [VARIATION_WIDE] = {.reach = BOTH_SIGNS, .input = enlarge, .milder = VARIATION_TENS},
    [VARIATION_TENS] = {.reach = BOTH_SIGNS, .input = reach_ten},
    [VARIATION_SMALL] = {.reach = FROM_ZERO,
                         .input = diminish,
                         .param = diminish_vector,
                         .order = variation_keep_ends},
    [VARIATION_MINUTE] = {.reach = FROM_ZERO,
                          .input = diminish_far,
                          .param = diminish_vector,
                          .order = variation_keep_ends,
                          .milder = VARIATION_SMALL},
    [VARIATION_TINY] = {.reach = FROM_ZERO, .input = make_tiny, .param = make_vector_tiny},
    [VARIATION_FAR] = {.reach = BOTH_SIGNS,
                       .input = move_far_apart,
                       .param = move_down,
                       .milder = VARIATION_MOVED},
    [VARIATION_MOVED] = {.reach = BOTH_SIGNS, .input = move_apart, .param = move_down},
    [VARIATION_FAR_COLUMNS] = {.reach = BOTH_SIGNS,
                               .input = move_ends_far_apart,
                               .param = move_up,
                               .milder = VARIATION_MOVED_COLUMNS},
    [VARIATION_MOVED_COLUMNS] = {.reach = BOTH_SIGNS, .input = move_halves_apart},
    [VARIATION_OPPOSITE_COLUMNS] = {.reach = BOTH_SIGNS, .input = move_halves_oppositely},
    [VARIATION_PEAKS] = {.reach = BOTH_SIGNS, .input = add_peak},
    [VARIATION_DEEP] = {.reach = BOTH_SIGNS, .input = variation_lie_deep},
    [VARIATION_DEEP_COLUMNS] = {.reach = BOTH_SIGNS, .input = variation_lie_deep_in_columns},
    [VARIATION_ENDS] = {.reach = ONE_SIGN,
                        .input = approach_ends,
                        .index = reach_ends,
                        .mask = reach_ends},
    [VARIATION_END_COLUMNS] = {.index = reach_ends_of_columns, .mask = reach_ends_of_columns},
    [VARIATION_WINNERS] = {.reach = ANY_RANGE,
                           .input = variation_place_winner,
                           .index = variation_name_winners},
    [VARIATION_SURE] = {.reach = BOTH_SIGNS,
                        .input = variation_place_sure_winner,
                        .index = variation_name_winners},
    [VARIATION_FARTHEST] = {.reach = BOTH_SIGNS,
                            .input = move_farthest_apart,
                            .param = move_down,
                            .milder = VARIATION_FAR},
    [VARIATION_ALIKE] = {.reach = ANY_RANGE,
                         .input = variation_make_alike,
                         .param = variation_make_alike,
                         .index = variation_make_alike_whole,
                         .mask = variation_make_alike_whole,
                         .order = variation_leave_most},
    [VARIATION_ALIKE_AGAIN] = {.reach = ANY_RANGE,
                               .input = variation_make_alike_again,
                               .param = variation_make_alike_again,
                               .index = variation_make_alike_whole,
                               .mask = variation_make_alike_whole,
                               .order = variation_leave_most},
    [VARIATION_ROUND] = {.reach = ANY_RANGE,
                         .input = variation_approach_round,
                         .index = variation_repeat_round},
    [VARIATION_NEAR] = {.reach = ANY_RANGE, .input = variation_approach_others},
    [VARIATION_ALONE] = {.reach = BOTH_SIGNS,
                         .input = enlarge_alone,
                         .param = enlarge_alone,
                         .milder = VARIATION_ALONE_VAST},
    [VARIATION_ALONE_VAST] = {.reach = BOTH_SIGNS,
                              .input = enlarge_to_vast,
                              .param = enlarge_to_vast,
                              .milder = VARIATION_ALONE_WIDE},
    [VARIATION_ALONE_WIDE] = {.reach = BOTH_SIGNS, .input = enlarge, .param = enlarge},
    [VARIATION_LEAST] = {.index = set_to_least, .mask = set_to_least},
    [VARIATION_MOST] = {.index = set_to_most, .mask = set_to_most},
};
