#include "core/judge/oracle/variation.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/system/parallel.h"

/* Seeds have 49 bits (wire.h); the upper four are the variation. */
enum { SHIFT = 45 };

/* A binomial normal number (fill.h) is no farther from the mean than this, in deviations. */
static const double normal_reach = 5.95;

uint64_t variation_seed(enum variation variation, uint64_t seed)
{
    return (uint64_t)variation << SHIFT | seed;
}

enum variation variation_of(uint64_t seed)
{
    uint64_t variation = seed >> SHIFT;

    return variation < VARIATION_COUNT ? (enum variation)variation : VARIATION_NONE;
}

struct range {
    double low, high;
};

static struct range range_of(const struct fill *fill)
{
    double reach = normal_reach * fabs(fill->b);

    if (fill->kind == FILL_MASK)
        return (struct range){0, 1};
    if (fill->kind == FILL_UNIFORM || fill->kind == FILL_INTEGERS)
        return (struct range){fill->a, fill->b};
    return (struct range){fill->a - reach, fill->a + reach};
}

/* A row that is varied: `n` elements, and the range of the numbers that it was drawn from. */
struct row {
    double *elements;
    size_t n, index, count; /* `count`: number of rows in the tensor */
    size_t group;           /* number of rows that are negative together */
    bool is_alone;          /* no operation is likely to combine the row with the next one */
    uint64_t seed;
    struct range range;
};

static void scale(const struct row *row, double factor)
{
    for (size_t i = 0; i < row->n; i++)
        row->elements[i] *= factor;
}

static void enlarge(const struct row *row)
{
    scale(row, 16);
}

/* A largest element that is rounded to 16 bits is off by more than an exponential spans. */
static void enlarge_in_turn(const struct row *row)
{
    scale(row, row->index % 2 ? 65536 : 16);
}

/* The exponential of 10 still fits f16. */
static void reach_ten(const struct row *row)
{
    double largest = 0;

    for (size_t i = 0; i < row->n; i++)
        largest = fmax(largest, fabs(row->elements[i]));
    if (largest > 0)
        scale(row, 10 / largest);
}

/* Every other row holds numbers that are nothing beside those of the next one, some even less. */
static void diminish(const struct row *row)
{
    double factor = row->index % 8 == 7 ? 0x1p-20 : 0x1p-10;

    scale(row, row->index % 2 ? factor : 0x1p-6);
}

/* All rows are small, so that sums over rows are, too. */
static void make_tiny(const struct row *row)
{
    scale(row, 0x1p-20);
}

/* A vector is what is added to results. It is small beside those of small rows. */
static void diminish_vector(const struct row *row)
{
    if (row->count == 1)
        scale(row, 1.0 / 1024);
}

/* The first rows and the last ones of a param are those of the first and the last results. */
static void enlarge_ends(const struct row *row)
{
    if (row->index == 0 || row->index + 1 == row->count)
        enlarge(row);
}

/*
 * Put the outlier first, last, or anywhere in turn. Where rows are normalized together, few of them
 * have one, because many would hide each other.
 */
static void add_outlier(const struct row *row)
{
    size_t number = row->is_alone ? row->index : row->index / 4;
    const size_t places[] = {0, row->n - 1, (row->seed + row->index * 7919) % row->n};
    double *element = &row->elements[places[number % COUNT(places)]];
    double least = (row->range.high - row->range.low) / 12;

    if (row->is_alone || row->index % 4 == 0)
        *element = 64 * copysign(fmax(fabs(*element), least), *element);
}

/*
 * Move the elements from `first` to before `last`. Ten times the range is enough for the
 * exponential of any element to overflow, or to be less than the smallest denormal number.
 */
static void move(const struct row *row, size_t first, size_t last, double sign)
{
    for (size_t i = first; i < last; i++)
        row->elements[i] += sign * 10 * (row->range.high - row->range.low);
}

static void move_apart(const struct row *row)
{
    move(row, 0, row->n, row->index % 2 ? 1 : -1);
}

static void move_halves_apart(const struct row *row)
{
    move(row, 0, row->n / 2, -1);
    move(row, row->n / 2, row->n, 1);
}

static void move_down(const struct row *row)
{
    move(row, 0, row->n, -1);
}

/* The places from both ends inward: 0, n - 1, 1, n - 2, ... */
static size_t place_of(size_t number, size_t n)
{
    size_t from_end = number / 2 % n;

    return number % 2 ? n - 1 - from_end : from_end;
}

/*
 * Rows and columns have one peak at most: rows from the first on have it at the first place, the
 * second, ...; those from the last back at the last place, the last but one, ... Where rows are
 * few, the middle one has it anywhere between. The exponential of its height is no number of 32
 * bits.
 */
static void add_peak(const struct row *row)
{
    size_t peaks = row->n < row->count ? row->n : row->count;
    size_t from_end = row->count - 1 - row->index;
    double height = fmax(10 * (row->range.high - row->range.low), 110);

    if (row->index + 1 < peaks - peaks / 2)
        row->elements[row->index] += height;
    else if (row->index + 1 == peaks - peaks / 2)
        row->elements[row->index + row->seed % (row->n - peaks + 1)] += height;
    else if (from_end < peaks / 2)
        row->elements[row->n - 1 - from_end] += height;
}

/*
 * Put the largest element, and in the next two rows the least, at a place that an index can name
 * without having seen the row: name_winners() of as many elements as there are rows. In two rows of
 * eight the largest is 8 larger, so that its softmax is nearly 1, if no range forbids it.
 */
static void place_winner(const struct row *row)
{
    bool is_least = row->index / 2 % 2 == 1;
    size_t place = place_of(row->index, row->n), winner = 0;
    double element = row->elements[place];

    for (size_t i = 1; i < row->n; i++)
        if (is_least ? row->elements[i] < row->elements[winner]
                     : row->elements[i] > row->elements[winner])
            winner = i;
    row->elements[place] = row->elements[winner];
    row->elements[winner] = element;
    if (row->index % 8 < 2 && row->range.low < 0 && row->range.high > 0)
        row->elements[place] += 8;
}

static void name_winners(const struct row *row)
{
    size_t count = (size_t)(row->range.high - row->range.low) + 1;

    for (size_t i = 0; i < row->n; i++)
        row->elements[i] = row->range.low + (double)place_of(row->index * row->n + i, count);
}

/* For qsort(). */
static int compare(const void *a, const void *b)
{
    const double *first = a, *second = b;

    return (*first > *second) - (*first < *second);
}

/* Ascending, or descending in every other of the rows that are sorted. */
static void sort(const struct row *row)
{
    qsort(row->elements, row->n, sizeof(*row->elements), compare);
    for (size_t i = 0; i < row->n / 2 && row->index % 4 == 3; i++) {
        double first = row->elements[i];

        row->elements[i] = row->elements[row->n - 1 - i];
        row->elements[row->n - 1 - i] = first;
    }
}

/* The step is a power of two, so sums and products of the numbers are exact for longer. */
static void tie(const struct row *row)
{
    double step = exp2(floor(log2((row->range.high - row->range.low) / 8)));

    for (size_t i = 0; i < row->n; i++)
        row->elements[i] =
            fmin(fmax(round(row->elements[i] / step) * step, row->range.low), row->range.high);
    if (row->index % 2)
        sort(row);
}

static void make_constant(const struct row *row)
{
    for (size_t i = 1; i < row->n && row->index % 2 == 0; i++)
        row->elements[i] = row->elements[0];
}

static void negate(const struct row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        row->elements[i] = -fabs(row->elements[i]);
}

/* Of the other rows the first half is negative, so that lines along any axis are. */
static void make_negative(const struct row *row)
{
    negate(row, row->index / row->group % 2 ? row->n / 2 : row->n);
}

/* A vector is what results are multiplied with, as a norm's weights are, which are seldom negative.
 */
static void negate_half_of_vector(const struct row *row)
{
    if (row->count == 1)
        negate(row, row->n / 2);
}

/* Of four rows one has the ends of the range as its own ends, and two have one of them everywhere.
 */
static void reach_ends(const struct row *row)
{
    bool is_low = row->index % 4 == 3, is_high = row->index % 4 == 2;

    for (size_t i = 0; i < row->n && (is_low || is_high); i++)
        row->elements[i] = is_low ? row->range.low : row->range.high;
    if (row->index % 4 == 0) {
        row->elements[row->n - 1] = row->range.low;
        row->elements[0] = row->range.high;
    }
}

/* The fills of real numbers that a variation is for, by the range of their numbers. */
enum reach {
    ANY_RANGE,  /* no number leaves the range */
    FROM_ZERO,  /* numbers come closer to zero, so the range must reach it */
    BOTH_SIGNS, /* numbers leave the range, so it must not be a bound that has a meaning */
};

typedef void vary_fn(const struct row *row);

/* How to change a row; NULL: it stays as drawn. */
static const struct {
    const char *name;
    vary_fn *input, *param; /* of real numbers */
    vary_fn *index, *mask;  /* of inputs of whole numbers, and of masks */
    enum reach reach;
    enum variation milder;
} variations[VARIATION_COUNT] = {
    [VARIATION_NONE] = {.name = ""},
    [VARIATION_OUTLIERS] = {.name = "outliers", .reach = BOTH_SIGNS, .input = add_outlier},
    [VARIATION_TIES] = {.name = "ties and sorted rows", .reach = ANY_RANGE, .input = tie},
    [VARIATION_CONSTANT] = {.name = "constant rows", .reach = ANY_RANGE, .input = make_constant},
    [VARIATION_NEGATIVE] = {.name = "negative rows",
                            .reach = BOTH_SIGNS,
                            .input = make_negative,
                            .param = negate_half_of_vector},
    [VARIATION_HUGE] = {.name = "huge numbers",
                        .reach = BOTH_SIGNS,
                        .input = enlarge_in_turn,
                        .param = enlarge_ends,
                        .milder = VARIATION_LARGE},
    [VARIATION_LARGE] = {.name = "large numbers",
                         .reach = BOTH_SIGNS,
                         .input = enlarge,
                         .param = enlarge_ends,
                         .milder = VARIATION_TENS},
    [VARIATION_TENS] = {.name = "numbers up to ten", .reach = BOTH_SIGNS, .input = reach_ten},
    [VARIATION_SMALL] = {.name = "small numbers",
                         .reach = FROM_ZERO,
                         .input = diminish,
                         .param = diminish_vector},
    [VARIATION_TINY] = {.name = "tiny numbers",
                        .reach = FROM_ZERO,
                        .input = make_tiny,
                        .param = diminish_vector},
    [VARIATION_MOVED] = {.name = "rows far from zero",
                         .reach = BOTH_SIGNS,
                         .input = move_apart,
                         .param = move_down},
    [VARIATION_MOVED_COLUMNS] = {.name = "columns far from zero",
                                 .reach = BOTH_SIGNS,
                                 .input = move_halves_apart},
    [VARIATION_PEAKS] = {.name = "peaks", .reach = BOTH_SIGNS, .input = add_peak},
    [VARIATION_ENDS] = {.name = "ends of ranges", .index = reach_ends, .mask = reach_ends},
    [VARIATION_WINNERS] = {.name = "indices of the largest",
                           .reach = ANY_RANGE,
                           .input = place_winner,
                           .index = name_winners},
};

static bool is_real(const struct value *value)
{
    return (value->fill.kind == FILL_UNIFORM || value->fill.kind == FILL_NORMAL) &&
           dtype_is_float(value->dtype);
}

/* The change of a row of an input; NULL if there is none. */
static vary_fn *find_input_change(enum variation variation, const struct value *value)
{
    switch (value->fill.kind) {
    case FILL_UNIFORM:
    case FILL_NORMAL:
        return is_real(value) ? variations[variation].input : NULL;
    case FILL_INTEGERS:
        return variations[variation].index;
    case FILL_MASK:
        return variations[variation].mask;
    case FILL_CONSTANT:
    case FILL_PERMUTATION:
    case FILL_MODEL:
    default:
        return NULL;
    }
}

/* The change of a row of the value; NULL if there is none. */
static vary_fn *find_change(enum variation variation, const struct value *value)
{
    if (value->role != TENSOR_PARAM)
        return find_input_change(variation, value);
    return is_real(value) ? variations[variation].param : NULL;
}

const char *variation_name(enum variation variation)
{
    return variations[variation].name;
}

enum variation variation_milder(enum variation variation)
{
    return variations[variation].milder;
}

bool variation_applies(enum variation variation, const struct value *value)
{
    struct range range = range_of(&value->fill);

    if (!find_change(variation, value) || !(range.low < range.high))
        return false;
    if (!is_real(value))
        return true;
    switch (variations[variation].reach) {
    case FROM_ZERO:
        return range.low <= 0 && range.high >= 0;
    case BOTH_SIGNS:
        return range.low < 0 && range.high > 0;
    case ANY_RANGE:
    default:
        return true;
    }
}

struct job {
    const struct value *value;
    uint64_t seed;
    size_t n;
    unsigned char *elements;
};

/* The rows of a matrix, if the tensor has several matrices: a window may lie across the rows. */
static size_t group_of(const struct shape *shape)
{
    size_t rank = shape->rank;
    bool has_matrices =
        rank > 2 && shape_elements(shape) > shape->dims[rank - 1] * shape->dims[rank - 2];

    return has_matrices ? (size_t)shape->dims[rank - 2] : 1;
}

static void vary_rows(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct value *value = job->value;
    size_t bytes = job->n * dtype_bytes(value->dtype);
    vary_fn *vary = find_change(variation_of(job->seed), value);
    struct row row = {.elements = mem_alloc_zeroed(job->n, sizeof(*row.elements)),
                      .n = job->n,
                      .count = (size_t)shape_elements(&value->shape) / job->n,
                      .group = group_of(&value->shape),
                      .is_alone = value->shape.rank <= 2,
                      .seed = job->seed,
                      .range = range_of(&value->fill)};

    for (row.index = first; row.index < last; row.index++) {
        unsigned char *at = job->elements + row.index * bytes;

        dtype_to_double(value->dtype, at, row.elements, row.n);
        vary(&row);
        dtype_from_double(value->dtype, row.elements, at, row.n);
    }
    free(row.elements);
}

void variation_apply(const struct value *value, uint64_t seed, void *elements)
{
    const struct shape *shape = &value->shape;
    size_t n = shape->rank ? (size_t)shape->dims[shape->rank - 1] : 1;
    struct job job = {value, seed, n, elements};

    if (variation_applies(variation_of(seed), value))
        parallel_for((size_t)shape_elements(shape) / n, 64, vary_rows, &job);
}
