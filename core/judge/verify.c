#include "core/judge/verify.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/attr.h"
#include "core/base/mem.h"
#include "core/judge/parallel.h"

enum { CHUNK = 512, MAP_MAX_ROWS = 64, MAP_MAX_COLS = 128 };

/* The elements of one step: small enough for the first-level cache. */
struct chunk {
    size_t first, count;
    double got[CHUNK], want[CHUNK];
    double off[CHUNK];  /* |got - want| */
    double over[CHUNK]; /* that over the tolerance */
};

/* What is compared with what. */
struct comparing {
    struct output output;
    double atol, rtol; /* atol is times the scale */
};

/* What was found out about some of the elements. */
struct findings {
    struct trial trial;
    double off_squares;
    double worst[TRIAL_MAX_WORST]; /* over the tolerance; belongs to trial.worst */
};

/* Where in the map the next element belongs.  Cell i of an axis begins at its edge i. */
struct cursor {
    struct error_map map;
    size_t row, col; /* of the element */
    size_t cell_row, cell_col;
    size_t row_edges[MAP_MAX_ROWS + 1], col_edges[MAP_MAX_COLS + 1];
};

/* A range of elements, compared by one thread. */
struct part {
    const struct comparing *comparing;
    size_t first, last;
    double squares; /* of the finite elements that are expected */
    size_t finite;
    struct findings findings;
    struct cursor cursor; /* without cells where no map is asked for */
};

/* Parts are the same on every machine, so that sums are; small outputs are one. */
enum { MAX_PARTS = 16, PART_ELEMENTS = 1 << 15 };

WIDE static void add_expected(const double *want, size_t count, double *squares, size_t *finite)
{
    double sum = 0;
    size_t counted = 0;

#pragma omp simd reduction(+ : sum, counted)
    for (size_t i = 0; i < count; i++) {
        bool is_finite = fabs(want[i]) <= DBL_MAX;

        sum += is_finite ? want[i] * want[i] : 0;
        counted += is_finite;
    }
    *squares += sum;
    *finite += counted;
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
static void settle_nonfinite(const struct comparing *c, struct chunk *chunk, struct trial *trial)
{
    const double *want = chunk->want;

    for (size_t i = 0; i < chunk->count; i++) {
        if (isfinite(chunk->off[i]))
            continue;
        bool is_right = same_kind(c->output.value->dtype, chunk->got[i], want[i]);
        chunk->off[i] = 0;
        chunk->over[i] = is_right ? 0 : (double)INFINITY;
        trial->nonfinite += !is_right;
    }
}

/*
 * Whether all are finite.  Where nothing is expected but zeros the tolerance
 * is none: DBL_MIN keeps 0 / 0 out.
 */
WIDE static bool compute_errors(const struct comparing *c, struct chunk *chunk)
{
    const double *want = chunk->want;
    double atol = c->atol, rtol = c->rtol;
    size_t count = chunk->count, finite = 0;

#pragma omp simd reduction(+ : finite)
    for (size_t i = 0; i < count; i++) {
        chunk->off[i] = fabs(chunk->got[i] - want[i]);
        chunk->over[i] = chunk->off[i] / (atol + rtol * fabs(want[i]) + DBL_MIN);
        finite += chunk->off[i] <= DBL_MAX;
    }
    return finite == count;
}

WIDE static void add_errors(const struct chunk *chunk, struct findings *found)
{
    const double *want = chunk->want;
    double max_abs = found->trial.max_abs, max_rel = found->trial.max_rel;
    double worst = found->trial.worst_over_tolerance, squares = 0;
    size_t count = chunk->count, mismatched = 0;

#pragma omp simd reduction(max : max_abs, max_rel, worst) reduction(+ : squares, mismatched)
    for (size_t i = 0; i < count; i++) {
        double off = chunk->off[i], over = chunk->over[i];
        double rel = want[i] != 0 ? off / fabs(want[i]) : 0;

        squares += off * off;
        max_abs = off > max_abs ? off : max_abs;
        max_rel = rel > max_rel ? rel : max_rel;
        worst = over > worst ? over : worst;
        mismatched += over > 1;
    }
    found->off_squares += squares;
    found->trial.max_abs = max_abs;
    found->trial.max_rel = max_rel;
    found->trial.worst_over_tolerance = worst;
    found->trial.mismatched += (int64_t)mismatched;
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
static void insert_worst(struct findings *found, const struct mismatch *mismatch, double over)
{
    struct trial *trial = &found->trial;
    bool is_full = trial->worst_count == TRIAL_MAX_WORST;
    size_t place = is_full ? TRIAL_MAX_WORST - 1 : trial->worst_count;

    if (is_full && over <= found->worst[place])
        return;
    trial->worst_count = place + 1;
    for (; place > 0 && found->worst[place - 1] < over; place--) {
        found->worst[place] = found->worst[place - 1];
        trial->worst[place] = trial->worst[place - 1];
    }
    found->worst[place] = over;
    trial->worst[place] = *mismatch;
}

static void collect_worst(const struct comparing *c, const struct chunk *chunk,
                          struct findings *found)
{
    for (size_t i = 0; i < chunk->count; i++) {
        struct mismatch mismatch = {.got = chunk->got[i], .want = chunk->want[i]};

        if (chunk->over[i] <= 1)
            continue;
        locate(&c->output.value->shape, chunk->first + i, &mismatch);
        insert_worst(found, &mismatch, chunk->over[i]);
    }
}

/* Cut `size` elements into at most `max` cells, and return how many. */
static size_t cut_axis(size_t size, size_t max, size_t *edges)
{
    size_t cells = size < max ? size : max;

    for (size_t i = 0; i <= cells; i++)
        edges[i] = i * size / cells;
    return cells;
}

static size_t find_cell(const size_t *edges, size_t place)
{
    size_t cell = 0;

    while (edges[cell + 1] <= place)
        cell++;
    return cell;
}

/* A map without errors, and the place of element `first` in it. */
static void start_map(struct cursor *cursor, const struct shape *shape, size_t first)
{
    size_t cols = shape->rank ? (size_t)shape->dims[shape->rank - 1] : 1;
    size_t rows = (size_t)shape_elements(shape) / cols;
    struct error_map *map = &cursor->map;

    map->rows = cut_axis(rows, MAP_MAX_ROWS, cursor->row_edges);
    map->cols = cut_axis(cols, MAP_MAX_COLS, cursor->col_edges);
    map->cells = mem_alloc_zeroed(map->rows * map->cols, sizeof(*map->cells));
    cursor->row = first / cols;
    cursor->col = first % cols;
    cursor->cell_row = find_cell(cursor->row_edges, cursor->row);
    cursor->cell_col = find_cell(cursor->col_edges, cursor->col);
}

static void advance(struct cursor *cursor, size_t cols)
{
    cursor->col += cols;
    if (cursor->col == cursor->col_edges[cursor->cell_col + 1])
        cursor->cell_col++;
    if (cursor->cell_col < cursor->map.cols)
        return;
    cursor->cell_col = cursor->col = 0;
    cursor->row++;
    if (cursor->row == cursor->row_edges[cursor->cell_row + 1])
        cursor->cell_row++;
}

WIDE static double worst_of(const double *over, size_t count, double worst)
{
#pragma omp simd reduction(max : worst)
    for (size_t i = 0; i < count; i++)
        worst = over[i] > worst ? over[i] : worst;
    return worst;
}

/* Run by run of elements that share a cell. */
static void add_to_map(struct cursor *cursor, const struct chunk *chunk)
{
    struct error_map *map = &cursor->map;

    for (size_t i = 0, run; i < chunk->count; i += run) {
        size_t left = chunk->count - i;
        double *cell = &map->cells[cursor->cell_row * map->cols + cursor->cell_col];

        run = cursor->col_edges[cursor->cell_col + 1] - cursor->col;
        run = run < left ? run : left;
        *cell = worst_of(chunk->over + i, run, *cell);
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

static void compare_chunk(struct part *part, struct chunk *chunk)
{
    const struct comparing *c = part->comparing;
    struct findings *found = &part->findings;
    int64_t before = found->trial.mismatched;

    if (!compute_errors(c, chunk))
        settle_nonfinite(c, chunk, &found->trial);
    add_errors(chunk, found);
    if (found->trial.mismatched > before)
        collect_worst(c, chunk, found);
    if (part->cursor.map.cells)
        add_to_map(&part->cursor, chunk);
}

/* The chunk's elements among all. */
static void widen(enum dtype dtype, const void *elements, const struct chunk *chunk, double *wide)
{
    dtype_to_double(dtype, (const char *)elements + chunk->first * dtype_bytes(dtype), wide,
                    chunk->count);
}

/* Take the next step of the part, and load what is expected; false at its end. */
static bool next_chunk(const struct part *part, struct chunk *chunk)
{
    const struct wanted *want = &part->comparing->output.want;
    size_t left;

    chunk->first += chunk->count;
    left = part->last - chunk->first;
    chunk->count = left < CHUNK ? left : CHUNK;
    widen(want->dtype, want->elements, chunk, chunk->want);
    return left > 0;
}

static void measure_part(struct part *part)
{
    struct chunk chunk;

    chunk.first = part->first;
    chunk.count = 0;
    while (next_chunk(part, &chunk))
        add_expected(chunk.want, chunk.count, &part->squares, &part->finite);
}

/* Work on parts [first, last): what is expected at all. */
static void measure_parts(void *data, size_t first, size_t last)
{
    struct part *parts = data;

    for (size_t p = first; p < last; p++)
        measure_part(&parts[p]);
}

static void compare_part(struct part *part)
{
    const struct comparing *c = part->comparing;
    struct chunk chunk;

    chunk.first = part->first;
    chunk.count = 0;
    while (next_chunk(part, &chunk)) {
        widen(c->output.value->dtype, c->output.got, &chunk, chunk.got);
        compare_chunk(part, &chunk);
    }
}

static void compare_parts(void *data, size_t first, size_t last)
{
    struct part *parts = data;

    for (size_t p = first; p < last; p++)
        compare_part(&parts[p]);
}

static void merge_findings(struct findings *into, const struct findings *from)
{
    struct trial *all = &into->trial;
    const struct trial *some = &from->trial;

    into->off_squares += from->off_squares;
    all->max_abs = fmax(all->max_abs, some->max_abs);
    all->max_rel = fmax(all->max_rel, some->max_rel);
    all->worst_over_tolerance = fmax(all->worst_over_tolerance, some->worst_over_tolerance);
    all->mismatched += some->mismatched;
    all->nonfinite += some->nonfinite;
    for (size_t i = 0; i < some->worst_count; i++)
        insert_worst(into, &some->worst[i], from->worst[i]);
}

/* Take the map of the first part, with what the others have in theirs. */
static void merge_maps(struct part *parts, size_t count, struct error_map *map)
{
    struct error_map *all = &parts[0].cursor.map;

    for (size_t p = 1; p < count; p++) {
        struct error_map *some = &parts[p].cursor.map;

        for (size_t i = 0; i < all->rows * all->cols; i++)
            all->cells[i] = fmax(all->cells[i], some->cells[i]);
        error_map_release(some);
    }
    for (size_t i = 0; i < all->rows * all->cols; i++)
        all->cells[i] = round_up(all->cells[i]);
    error_map_release(map);
    *map = *all;
}

/* ||got - want|| / ||want||, from their squares. */
static double relative_norm(double off_squares, double want_squares)
{
    if (off_squares == 0)
        return 0;
    return want_squares > 0 ? sqrt(off_squares / want_squares) : (double)INFINITY;
}

static size_t cut_parts(const struct comparing *c, struct part *parts, bool with_map)
{
    size_t elements = (size_t)shape_elements(&c->output.value->shape),
           count = elements / PART_ELEMENTS;

    count = count < 1 ? 1 : count > MAX_PARTS ? MAX_PARTS : count;
    for (size_t p = 0; p < count; p++) {
        parts[p] = (struct part){
            .comparing = c,
            .first = elements * p / count,
            .last = elements * (p + 1) / count,
        };
        if (with_map)
            start_map(&parts[p].cursor, &c->output.value->shape, parts[p].first);
    }
    return count;
}

/* The mean square of what is finite; where squares overflow there is no scale, rtol alone decides.
 */
static double measure_scale(struct part *parts, size_t count, double *squares)
{
    size_t finite = 0;

    *squares = 0;
    parallel_for(count, 1, measure_parts, parts);
    for (size_t p = 0; p < count; p++) {
        *squares += parts[p].squares;
        finite += parts[p].finite;
    }
    return finite && *squares <= DBL_MAX ? sqrt(*squares / (double)finite) : 0;
}

void verify_output(const struct output *output, const struct tolerance *tolerance,
                   struct trial *trial, struct error_map *map)
{
    struct part *parts = mem_alloc_zeroed(MAX_PARTS, sizeof(*parts));
    struct comparing c = {.output = *output, .rtol = tolerance->rtol};
    size_t count = cut_parts(&c, parts, map != NULL);
    struct findings all = {.trial = {.output = trial->output,
                                     .dims = trial->dims,
                                     .seed_id = trial->seed_id,
                                     .elements = shape_elements(&output->value->shape)}};
    double squares, scale = measure_scale(parts, count, &squares);

    c.atol = tolerance->atol * (tolerance->kernelbench ? 1 : scale);
    parallel_for(count, 1, compare_parts, parts);
    for (size_t p = 0; p < count; p++)
        merge_findings(&all, &parts[p].findings);
    *trial = all.trial;
    trial->rel_norm = relative_norm(all.off_squares, squares);
    if (map)
        merge_maps(parts, count, map);
    free(parts);
}

bool verify_passes(const struct trial *trial, const struct tolerance *tolerance)
{
    return trial->elements > 0 && trial->nonfinite == 0 &&
           (double)(trial->elements - trial->mismatched) >=
               tolerance->matched * (double)trial->elements;
}
