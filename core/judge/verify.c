#include "core/judge/verify.h"

#include <float.h>
#include <math.h>

#include "core/base/mem.h"

enum { CHUNK = 512, MAP_MAX_ROWS = 64, MAP_MAX_COLS = 128 };

/* The elements of one step: small enough for the first-level cache. */
struct chunk {
    size_t first, count;
    double got[CHUNK];
    double off[CHUNK];  /* |got - want| */
    double over[CHUNK]; /* that over the tolerance */
};

struct comparing {
    const struct value *value;
    const double *want;
    double atol, rtol; /* atol is times the scale */
    struct trial *trial;
    double off_squares;
    double worst[TRIAL_MAX_WORST]; /* over the tolerance; belongs to trial->worst */
};

/* Where in the map the next element belongs.  Cell i of an axis begins at its edge i. */
struct cursor {
    struct error_map *map;
    size_t row, col; /* of the element */
    size_t cell_row, cell_col;
    size_t row_edges[MAP_MAX_ROWS + 1], col_edges[MAP_MAX_COLS + 1];
};

/* Of the finite elements.  Where squares overflow there is no scale, and rtol alone decides. */
static void measure_expected(const double *want, size_t count, double *squares, double *mean_square)
{
    double sum = 0;
    size_t finite = 0;

    for (size_t i = 0; i < count; i++) {
        bool is_finite = fabs(want[i]) <= DBL_MAX;

        sum += is_finite ? want[i] * want[i] : 0;
        finite += is_finite;
    }
    *squares = sum;
    *mean_square = finite && sum <= DBL_MAX ? sum / (double)finite : 0;
}

/* Both not finite, in the same way; `want` as the element type can hold it. */
static bool same_kind(enum dtype dtype, double got, double want)
{
    double bits = 0, rounded = want;

    dtype_from_double(dtype, &want, &bits, 1);
    dtype_to_double(dtype, &bits, &rounded, 1);
    return (isnan(got) && isnan(rounded)) || (isinf(got) && got == rounded);
}

/* Take elements that are not finite out of the arithmetic: equal in kind is right, else wrong. */
static void settle_nonfinite(const struct comparing *c, struct chunk *chunk)
{
    const double *want = c->want + chunk->first;

    for (size_t i = 0; i < chunk->count; i++) {
        if (isfinite(chunk->off[i]))
            continue;
        bool is_right = same_kind(c->value->dtype, chunk->got[i], want[i]);
        chunk->off[i] = 0;
        chunk->over[i] = is_right ? 0 : (double)INFINITY;
        c->trial->nonfinite += !is_right;
    }
}

/* Where nothing is expected but zeros the tolerance is none: DBL_MIN keeps 0 / 0 out. */
static void compute_errors(const struct comparing *c, struct chunk *chunk)
{
    const double *want = c->want + chunk->first;
    bool is_finite = true;

    for (size_t i = 0; i < chunk->count; i++) {
        chunk->off[i] = fabs(chunk->got[i] - want[i]);
        chunk->over[i] = chunk->off[i] / (c->atol + c->rtol * fabs(want[i]) + DBL_MIN);
        is_finite &= chunk->off[i] <= DBL_MAX;
    }
    if (!is_finite)
        settle_nonfinite(c, chunk);
}

static void add_to_trial(struct comparing *c, const struct chunk *chunk)
{
    const double *want = c->want + chunk->first;
    double max_abs = c->trial->max_abs, max_rel = c->trial->max_rel;
    double worst = c->trial->worst_over_tolerance, squares = 0;
    int64_t mismatched = 0;

    for (size_t i = 0; i < chunk->count; i++) {
        if (chunk->off[i] > max_rel * fabs(want[i]) && want[i] != 0)
            max_rel = chunk->off[i] / fabs(want[i]);
        squares += chunk->off[i] * chunk->off[i];
        max_abs = chunk->off[i] > max_abs ? chunk->off[i] : max_abs;
        worst = chunk->over[i] > worst ? chunk->over[i] : worst;
        mismatched += chunk->over[i] > 1;
    }
    c->off_squares += squares;
    c->trial->max_abs = max_abs;
    c->trial->max_rel = max_rel;
    c->trial->worst_over_tolerance = worst;
    c->trial->mismatched += mismatched;
}

static void locate(const struct shape *shape, size_t element, struct mismatch *mismatch)
{
    mismatch->rank = shape->rank;
    for (size_t axis = shape->rank; axis-- > 0;) {
        size_t size = (size_t)shape->dims[axis];

        mismatch->index[axis] = (int64_t)(element % size);
        element /= size;
    }
}

/* Put an element into the list of the worst, pushing out the mildest when it is full. */
static void insert_worst(struct comparing *c, const struct chunk *chunk, size_t i)
{
    struct trial *trial = c->trial;
    size_t place =
        trial->worst_count < TRIAL_MAX_WORST ? trial->worst_count++ : TRIAL_MAX_WORST - 1;

    for (; place > 0 && c->worst[place - 1] < chunk->over[i]; place--) {
        c->worst[place] = c->worst[place - 1];
        trial->worst[place] = trial->worst[place - 1];
    }
    c->worst[place] = chunk->over[i];
    trial->worst[place] =
        (struct mismatch){.got = chunk->got[i], .want = c->want[chunk->first + i]};
    locate(&c->value->shape, chunk->first + i, &trial->worst[place]);
}

static void collect_worst(struct comparing *c, const struct chunk *chunk)
{
    const struct trial *trial = c->trial;

    for (size_t i = 0; i < chunk->count; i++)
        if (chunk->over[i] > 1 && (trial->worst_count < TRIAL_MAX_WORST ||
                                   chunk->over[i] > c->worst[TRIAL_MAX_WORST - 1]))
            insert_worst(c, chunk, i);
}

/* Cut `size` elements into at most `max` cells, and return how many. */
static size_t cut_axis(size_t size, size_t max, size_t *edges)
{
    size_t cells = size < max ? size : max;

    for (size_t i = 0; i <= cells; i++)
        edges[i] = i * size / cells;
    return cells;
}

static void start_map(struct cursor *cursor, const struct shape *shape, struct error_map *map)
{
    size_t cols = shape->rank ? (size_t)shape->dims[shape->rank - 1] : 1;
    size_t rows = (size_t)shape_elements(shape) / cols;

    error_map_release(map);
    cursor->map = map;
    map->rows = cut_axis(rows, MAP_MAX_ROWS, cursor->row_edges);
    map->cols = cut_axis(cols, MAP_MAX_COLS, cursor->col_edges);
    map->cells = mem_alloc_zeroed(map->rows * map->cols, sizeof(*map->cells));
}

static void advance(struct cursor *cursor, size_t cols)
{
    cursor->col += cols;
    if (cursor->col == cursor->col_edges[cursor->cell_col + 1])
        cursor->cell_col++;
    if (cursor->cell_col < cursor->map->cols)
        return;
    cursor->cell_col = cursor->col = 0;
    cursor->row++;
    if (cursor->row == cursor->row_edges[cursor->cell_row + 1])
        cursor->cell_row++;
}

/* Run by run of elements that share a cell. */
static void add_to_map(struct cursor *cursor, const struct chunk *chunk)
{
    struct error_map *map = cursor->map;

    for (size_t i = 0, run; i < chunk->count; i += run) {
        size_t left = chunk->count - i;
        double *cell = &map->cells[cursor->cell_row * map->cols + cursor->cell_col];
        double worst = *cell;

        run = cursor->col_edges[cursor->cell_col + 1] - cursor->col;
        run = run < left ? run : left;
        for (size_t j = i; j < i + run; j++)
            worst = chunk->over[j] > worst ? chunk->over[j] : worst;
        *cell = worst;
        advance(cursor, run);
    }
}

/* Three digits are enough for a picture, and short as text; rounding up keeps what is above 1. */
static double round_up(double value)
{
    double unit;

    if (value == 0 || !isfinite(value))
        return value;
    unit = pow(10, floor(log10(value)) - 2);
    return unit > 0 ? ceil(value / unit) * unit : value;
}

static void finish_map(struct error_map *map)
{
    for (size_t i = 0; i < map->rows * map->cols; i++)
        map->cells[i] = round_up(map->cells[i]);
}

static void compare_chunk(struct comparing *c, struct chunk *chunk, struct cursor *cursor)
{
    int64_t before = c->trial->mismatched;

    compute_errors(c, chunk);
    add_to_trial(c, chunk);
    if (c->trial->mismatched > before)
        collect_worst(c, chunk);
    if (cursor->map)
        add_to_map(cursor, chunk);
}

/* ||got - want|| / ||want||, from their squares. */
static double relative_norm(double off_squares, double want_squares)
{
    if (off_squares == 0)
        return 0;
    return want_squares > 0 ? sqrt(off_squares / want_squares) : (double)INFINITY;
}

void verify_output(const struct value *value, const void *got, const double *want,
                   const struct tolerance *tolerance, struct trial *trial, struct error_map *map)
{
    size_t count = (size_t)shape_elements(&value->shape), element_bytes = dtype_bytes(value->dtype);
    double squares = 0, mean_square = 0;
    struct cursor cursor = {0};
    struct chunk chunk;

    *trial = (struct trial){.output = trial->output,
                            .dims = trial->dims,
                            .seed_id = trial->seed_id,
                            .elements = (int64_t)count};
    measure_expected(want, count, &squares, &mean_square);

    struct comparing c = {
        .value = value,
        .want = want,
        .atol = tolerance->atol * (tolerance->kernelbench ? 1 : sqrt(mean_square)),
        .rtol = tolerance->rtol,
        .trial = trial,
    };

    if (map)
        start_map(&cursor, &value->shape, map);
    for (chunk.first = 0; chunk.first < count; chunk.first += chunk.count) {
        chunk.count = count - chunk.first < CHUNK ? count - chunk.first : CHUNK;
        dtype_to_double(value->dtype, (const char *)got + chunk.first * element_bytes, chunk.got,
                        chunk.count);
        compare_chunk(&c, &chunk, &cursor);
    }
    trial->rel_norm = relative_norm(c.off_squares, squares);
    if (map)
        finish_map(map);
}

bool verify_passes(const struct trial *trial, const struct tolerance *tolerance)
{
    return trial->elements > 0 && trial->nonfinite == 0 &&
           (double)(trial->elements - trial->mismatched) >=
               tolerance->matched * (double)trial->elements;
}
