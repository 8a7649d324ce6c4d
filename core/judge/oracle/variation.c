#include "core/judge/oracle/variation.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/variation/variation_rows.h"
#include "core/system/parallel.h"

/*
 * Seeds have 49 bits (wire.h); the upper six are the variation, the next one is set for tables. A
 * variation of one tensor alone has a part of its name in the lowest ones.
 */
enum { TABLES = 42, SHIFT = 43, ALONE_NAMES = 1 << 16 };

/*
 * The maximum distance of a binomial normal number (fill.h) from the mean, in standard deviations.
 */
static const double normal_reach = 5.95;

/* Fowler, Noll, Vo: the hash FNV-1a. */
static uint32_t hash(const char *text)
{
    uint32_t number = 2166136261U;

    while (*text)
        number = (number ^ (unsigned char)*text++) * 16777619U;
    return number;
}

uint64_t variation_seed(enum variation variation, uint64_t seed)
{
    return (uint64_t)variation << SHIFT | seed;
}

uint64_t variation_seed_of_tables(enum variation variation, uint64_t seed)
{
    return UINT64_C(1) << TABLES | variation_seed(variation, seed);
}

uint64_t variation_seed_alone(uint64_t seed, const struct value *value)
{
    uint64_t drawn = seed / ALONE_NAMES * ALONE_NAMES;

    return variation_seed(VARIATION_ALONE, drawn + hash(value->name) % ALONE_NAMES);
}

uint64_t variation_drawn(uint64_t seed)
{
    return seed & ((UINT64_C(1) << TABLES) - 1);
}

enum variation variation_of(uint64_t seed)
{
    uint64_t variation = seed >> SHIFT;

    return variation < VARIATION_COUNT ? (enum variation)variation : VARIATION_NONE;
}

static struct variation_range range_of(const struct fill *fill)
{
    double reach = normal_reach * fabs(fill->b);

    if (fill->kind == FILL_MASK || fill->kind == FILL_PERMUTATION)
        return (struct variation_range){0, 1};
    if (fill->kind == FILL_SIGNS)
        return (struct variation_range){-1, 1};
    if (fill->kind == FILL_UNIFORM || fill->kind == FILL_INTEGERS)
        return (struct variation_range){fill->a, fill->b};
    return (struct variation_range){fill->a - reach, fill->a + reach};
}

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
        return is_real(value) ? variation_rules[variation].input : NULL;
    case FILL_INTEGERS:
        return variation_rules[variation].index;
    case FILL_MASK:
    case FILL_SIGNS:
        return variation_rules[variation].mask;
    case FILL_PERMUTATION:
        return variation_rules[variation].order;
    case FILL_CONSTANT:
    case FILL_MODEL:
    default:
        return NULL;
    }
}

/* The change of a row of the value; NULL if there is none. */
static vary_fn *find_change(enum variation variation, const struct value *value)
{
    if (value->role != TENSOR_PARAM || !is_real(value))
        return find_input_change(variation, value);
    return variation_rules[variation].param;
}

enum variation variation_milder(enum variation variation)
{
    return variation_rules[variation].milder;
}

bool variation_applies(enum variation variation, const struct value *value)
{
    struct variation_range range = range_of(&value->fill);

    if (!find_change(variation, value) || !(range.low < range.high))
        return false;
    if (!is_real(value))
        return true;
    switch (variation_rules[variation].reach) {
    case FROM_ZERO:
        return range.low <= 0 && range.high >= 0;
    case BOTH_SIGNS:
        return range.low < 0 && range.high > 0;
    case ONE_SIGN:
        return value->fill.kind == FILL_UNIFORM && (range.low >= 0 || range.high <= 0);
    case ANY_RANGE:
    default:
        return true;
    }
}

/* True unless the seed's variation is of one tensor alone, and that is another one. */
static bool is_meant(uint64_t seed, const struct value *value)
{
    enum variation variation = variation_of(seed);
    bool is_of_one = variation >= VARIATION_ALONE && variation <= VARIATION_ALONE_WIDE;

    return !is_of_one || (seed ^ hash(value->name)) % ALONE_NAMES == 0;
}

/* The value as it varies by the seed: a table is an input. */
static struct value as_varied(const struct value *value, uint64_t seed)
{
    struct value varied = *value;

    if (seed >> TABLES & 1 && is_real(value))
        varied.role = TENSOR_INPUT;
    return varied;
}

bool variation_changes(uint64_t seed, const struct value *value)
{
    struct value varied = as_varied(value, seed);

    return is_meant(seed, value) && variation_applies(variation_of(seed), &varied);
}

struct job {
    const struct value *value;
    uint64_t seed;
    size_t n;
    struct variation_pieces pieces;
    size_t from; /* the row of the tensor to which `elements` belong */
    unsigned char *elements;
};

/*
 * The number of rows of a matrix if the tensor has several matrices, because a window may span its
 * rows.
 */
static size_t group_of(const struct shape *shape)
{
    size_t rank = shape->rank;
    bool has_matrices =
        rank > 2 && shape_elements(shape) > shape->dims[rank - 1] * shape->dims[rank - 2];

    return has_matrices ? (size_t)shape->dims[rank - 2] : 1;
}

/* Each piece is a copy to the device and back, which takes longer than 1,000 elements. */
enum {
    MOST_WHOLE = 1 << 22,
    MOST_VARIED = 1 << 21,
    MOST_PIECES = 64,
    PIECE_ROWS = 16,
    LEAST_ROWS = 4
};

static size_t row_length(const struct value *value)
{
    const struct shape *shape = &value->shape;

    return shape->rank ? (size_t)shape->dims[shape->rank - 1] : 1;
}

struct variation_pieces variation_pieces_of(const struct value *value, uint64_t seed)
{
    size_t elements = (size_t)shape_elements(&value->shape), n = row_length(value);
    size_t rows = elements / n, affordable = MOST_VARIED / n;
    struct variation_pieces pieces = {1, rows, rows, seed};

    if (!variation_changes(seed, value) || (elements > MOST_WHOLE && affordable < LEAST_ROWS))
        return (struct variation_pieces){0};
    if (elements <= MOST_WHOLE)
        return pieces;
    pieces.rows = affordable < (size_t)2 * PIECE_ROWS ? affordable / 2 : PIECE_ROWS;
    pieces.count = affordable / pieces.rows;
    if (pieces.count > MOST_PIECES)
        pieces.count = MOST_PIECES;
    return pieces;
}

bool variation_pieces_are_few(const struct variation_pieces *pieces)
{
    return pieces->count > 0 && pieces->count * pieces->rows < pieces->total;
}

/* Each piece lies in its own share of the rows. */
size_t variation_piece_start(const struct variation_pieces *pieces, size_t piece)
{
    uint32_t drawn = (uint32_t)(pieces->seed + piece) * 2654435761U;
    size_t share;

    if (piece == 0 || pieces->count < 2)
        return 0;
    if (piece == pieces->count - 1)
        return pieces->total - pieces->rows;
    share = pieces->total / pieces->count;
    return piece * share + (drawn >> 8) % (share - pieces->rows + 1);
}

/* Change rows, numbered over all pieces. */
static void vary_rows(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct value *value = job->value, varied = as_varied(value, job->seed);
    size_t bytes = job->n * dtype_bytes(value->dtype);
    vary_fn *vary = find_change(variation_of(job->seed), &varied);
    struct variation_row row = {.elements = mem_alloc_zeroed(job->n, sizeof(*row.elements)),
                                .n = job->n,
                                .count = job->pieces.total,
                                .group = group_of(&value->shape),
                                .is_alone = value->shape.rank <= 2,
                                .seed = job->seed,
                                .name = hash(value->name),
                                .range = range_of(&value->fill)};

    for (size_t i = first; i < last; i++) {
        size_t rows = job->pieces.rows;
        unsigned char *at;

        row.index = variation_piece_start(&job->pieces, i / rows) + i % rows;
        at = job->elements + (row.index - job->from) * bytes;
        dtype_to_double(value->dtype, at, row.elements, row.n);
        vary(&row);
        dtype_from_double(value->dtype, row.elements, at, row.n);
    }
    free(row.elements);
}

void variation_apply(const struct value *value, uint64_t seed, void *elements)
{
    struct job job = {.value = value,
                      .seed = seed,
                      .n = row_length(value),
                      .pieces = variation_pieces_of(value, seed),
                      .elements = elements};

    if (job.pieces.count > 0)
        parallel_for(job.pieces.count * job.pieces.rows, 64, vary_rows, &job);
}

void variation_apply_piece(const struct value *value, uint64_t seed, size_t piece, void *elements)
{
    struct job job = {.value = value,
                      .seed = seed,
                      .n = row_length(value),
                      .pieces = variation_pieces_of(value, seed),
                      .elements = elements};

    job.from = variation_piece_start(&job.pieces, piece);
    vary_rows(&job, piece * job.pieces.rows, (piece + 1) * job.pieces.rows);
}
