#include "core/judge/compare/verify.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/attr.h"
#include "core/base/mem.h"
#include "core/judge/compare/findings.h"
#include "core/judge/compare/heatmap.h"
#include "core/judge/compare/tolerance16.h"
#include "core/system/parallel.h"

enum { CHUNK = 512 };

/* The elements of one step, few enough for the first-level cache. */
struct chunk {
    size_t first, count;
    double got[CHUNK], want[CHUNK];
    double allowed[CHUNK]; /* the tolerance */
    double off[CHUNK];     /* |got - want| */
    double over[CHUNK];    /* the errors as multiples of the tolerance */
};

/* The two sides of a comparison, and its rule. */
struct comparing {
    struct output output;
    double atol, rtol; /* atol is multiplied by the scale */
    bool has_floor;    /* one spacing of the output's type is always allowed */
    bool is_plain;     /* both sides are floats, and float arithmetic may decide */
};

/* A range of elements, compared by one thread. */
struct part {
    const struct comparing *comparing;
    size_t first, last;
    struct magnitude expected;
    struct findings findings;
    struct heatmap heatmap; /* empty if no map is wanted */
};

/* Parts are the same on every machine, so that sums are too. A small output is one part. */
enum { MAX_PARTS = 16, PART_ELEMENTS = 1 << 15 };

WIDE static void add_expected(const double *want, size_t count, struct magnitude *magnitude)
{
    double sum = 0;
    size_t counted = 0;

#pragma omp simd reduction(+ : sum, counted)
    for (size_t i = 0; i < count; i++) {
        bool is_finite = fabs(want[i]) <= DBL_MAX;

        sum += is_finite ? want[i] * want[i] : 0;
        counted += is_finite;
    }
    magnitude->squares += sum;
    magnitude->finite += counted;
}

/*
 * True if neither is finite and both are of the same kind. `want` is first rounded to the element
 * type.
 */
static bool same_kind(enum dtype dtype, double got, double want)
{
    double bits = 0, rounded = want;

    dtype_from_double(dtype, &want, &bits, 1);
    dtype_to_double(dtype, &bits, &rounded, 1);
    return (isnan(got) && isnan(rounded)) || (isinf(got) && got == rounded);
}

static bool allows_nonfinite(const struct comparing *c, size_t element)
{
    const uint16_t *allowed = c->output.want.allowed;

    return allowed && tolerance16_allows_nonfinite(allowed[element]);
}

/*
 * Keep elements that are not finite out of the arithmetic: one of the expected kind is right, and
 * any where the tolerance says so; others are wrong.
 */
static void settle_nonfinite(const struct comparing *c, struct chunk *chunk, struct trial *trial)
{
    const double *want = chunk->want;

    for (size_t i = 0; i < chunk->count; i++) {
        if (isfinite(chunk->off[i]))
            continue;
        bool is_right = same_kind(c->output.value->dtype, chunk->got[i], want[i]) ||
                        (!isfinite(chunk->got[i]) && allows_nonfinite(c, chunk->first + i));
        chunk->off[i] = 0;
        chunk->over[i] = is_right ? 0 : (double)INFINITY;
        trial->nonfinite += !is_right;
    }
}

static void apply_floor(enum dtype dtype, struct chunk *chunk)
{
    for (size_t i = 0; i < chunk->count; i++)
        chunk->allowed[i] = fmax(chunk->allowed[i], dtype_spacing(dtype, chunk->want[i]));
}

WIDE static void set_allowed(const struct comparing *c, struct chunk *chunk)
{
    const uint16_t *allowed = c->output.want.allowed;
    double atol = c->atol, rtol = c->rtol;

    for (size_t i = 0; i < chunk->count; i++)
        chunk->allowed[i] = allowed ? (double)tolerance16_value(allowed[chunk->first + i])
                                    : atol + rtol * fabs(chunk->want[i]);
    if (c->has_floor)
        apply_floor(c->output.value->dtype, chunk);
}

/* Returns whether all elements are finite. DBL_MIN avoids 0 / 0 if the tolerance is 0. */
WIDE static bool compute_errors(struct chunk *chunk)
{
    size_t count = chunk->count, finite = 0;

#pragma omp simd reduction(+ : finite)
    for (size_t i = 0; i < count; i++) {
        chunk->off[i] = fabs(chunk->got[i] - chunk->want[i]);
        chunk->over[i] = chunk->off[i] / (chunk->allowed[i] + DBL_MIN);
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
        double rel = off / (want[i] != 0 ? fabs(want[i]) : (double)INFINITY);

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

static void collect_worst(const struct comparing *c, const struct chunk *chunk,
                          struct findings *found)
{
    for (size_t i = 0; i < chunk->count; i++) {
        const struct wrong_element wrong = {chunk->first + i, chunk->got[i], chunk->want[i],
                                            chunk->over[i]};

        if (wrong.over > 1 && findings_take(found, wrong.over))
            findings_add(found, &c->output.value->shape, &wrong);
    }
}

static void compare_chunk(struct part *part, struct chunk *chunk)
{
    const struct comparing *c = part->comparing;
    struct findings *found = &part->findings;
    int64_t before = found->trial.mismatched;

    set_allowed(c, chunk);
    if (!compute_errors(chunk))
        settle_nonfinite(c, chunk, &found->trial);
    add_errors(chunk, found);
    if (found->trial.mismatched > before)
        collect_worst(c, chunk, found);
    heatmap_add(&part->heatmap, chunk->over, chunk->count);
}

/* The bytes of the chunk's bools, so that only 0 and 1 are bools. */
static void widen_bytes(const void *elements, const struct chunk *chunk, double *wide)
{
    for (size_t i = 0; i < chunk->count; i++)
        wide[i] = ((const unsigned char *)elements)[chunk->first + i];
}

/* Convert the chunk's elements to double. */
static void widen(enum dtype dtype, const void *elements, const struct chunk *chunk, double *wide)
{
    dtype_to_double(dtype, (const char *)elements + chunk->first * dtype_bytes(dtype), wide,
                    chunk->count);
}

/* Move to the next chunk of the part; false at its end. */
static bool next_chunk(const struct part *part, struct chunk *chunk)
{
    size_t left;

    chunk->first += chunk->count;
    left = part->last - chunk->first;
    chunk->count = left < CHUNK ? left : CHUNK;
    return left > 0;
}

static void measure_part(struct part *part)
{
    const struct wanted *want = &part->comparing->output.want;
    struct chunk chunk;

    chunk.first = part->first;
    chunk.count = 0;
    while (next_chunk(part, &chunk)) {
        widen(want->dtype, want->elements, &chunk, chunk.want);
        add_expected(chunk.want, chunk.count, &part->expected);
    }
}

/* Measure the expected elements of parts [first, last). */
static void measure_parts(void *data, size_t first, size_t last)
{
    struct part *parts = data;

    for (size_t p = first; p < last; p++)
        measure_part(&parts[p]);
}

/* Results in float arithmetic. */
struct glance {
    float over, max_abs, max_rel;
    double squares;
    size_t finite;
};

/* The operands of glance_at(), at most CHUNK elements. `codes` may be NULL: the rule by scale. */
struct plain {
    const float *got, *want;
    const uint16_t *codes; /* the codes of the tolerances */
    size_t count;
    float atol, rtol;
};

WIDE static void set_plain_allowed(const struct plain *plain, float *allowed)
{
    const float *want = plain->want;
    const uint16_t *codes = plain->codes;
    float atol = plain->atol, rtol = plain->rtol;
    size_t count = plain->count;

    if (codes) {
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            allowed[i] = tolerance16_value(codes[i]);
    } else {
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            allowed[i] = atol + rtol * fabsf(want[i]);
    }
}

/* The loop has no branches, so that compilers vectorize it. */
WIDE static struct glance glance_at(const struct plain *plain)
{
    const float *got = plain->got, *want = plain->want;
    float allowed[CHUNK], over = 0, max_abs = 0, max_rel = 0;
    size_t count = plain->count;
    double squares = 0;
    unsigned finite = 0;

    set_plain_allowed(plain, allowed);
#pragma omp simd reduction(max : over, max_abs, max_rel) reduction(+ : squares, finite)
    for (size_t i = 0; i < count; i++) {
        float size = fabsf(want[i]), off = fabsf(got[i] - want[i]);
        float own_over = off / allowed[i];
        float rel = off / (size > 0 ? size : INFINITY);

        over = own_over > over ? own_over : over;
        max_abs = off > max_abs ? off : max_abs;
        max_rel = rel > max_rel ? rel : max_rel;
        squares += (double)off * (double)off;
        finite += off <= FLT_MAX;
    }
    return (struct glance){over, max_abs, max_rel, squares, finite};
}

/*
 * The six roundings behind `over` are less than this share of it, as long as no relevant product
 * underflows. So an element that is this far within the tolerance is certainly within it. All other
 * elements are compared in double precision.
 */
static const float rounding = 0x1p-20F;

static bool compare_plain(struct part *part, const struct chunk *chunk)
{
    const struct output *output = &part->comparing->output;
    const struct plain plain = {
        .got = (const float *)output->got + chunk->first,
        .want = (const float *)output->want.elements + chunk->first,
        .codes = output->want.allowed ? output->want.allowed + chunk->first : NULL,
        .count = chunk->count,
        .atol = (float)part->comparing->atol,
        .rtol = (float)part->comparing->rtol,
    };
    struct glance glance = glance_at(&plain);
    struct findings *found = &part->findings;

    if (glance.finite < chunk->count || !(glance.over < 1 - rounding))
        return false;
    found->off_squares += glance.squares;
    found->trial.max_abs = fmax(found->trial.max_abs, (double)glance.max_abs);
    found->trial.max_rel = fmax(found->trial.max_rel, (double)glance.max_rel);
    found->trial.worst_over_tolerance =
        fmax(found->trial.worst_over_tolerance, (double)glance.over);
    return true;
}

static void compare_part(struct part *part)
{
    const struct comparing *c = part->comparing;
    const struct wanted *want = &c->output.want;
    struct chunk chunk;

    chunk.first = part->first;
    chunk.count = 0;
    while (next_chunk(part, &chunk)) {
        if (c->is_plain && compare_plain(part, &chunk))
            continue;
        widen(want->dtype, want->elements, &chunk, chunk.want);
        if (c->output.value->dtype == DTYPE_BOOL)
            widen_bytes(c->output.got, &chunk, chunk.got);
        else
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

/* Merge the maps of all parts, and replace `map`. */
static void merge_maps(struct part *parts, size_t count, struct error_map *map)
{
    for (size_t p = 1; p < count; p++)
        heatmap_merge(&parts[0].heatmap, &parts[p].heatmap);
    error_map_release(map);
    *map = heatmap_take(&parts[0].heatmap);
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
            heatmap_start(&parts[p].heatmap, &c->output.value->shape, parts[p].first);
    }
    return count;
}

static struct magnitude measure(struct part *parts, size_t count)
{
    struct magnitude all = {0};

    parallel_for(count, 1, measure_parts, parts);
    for (size_t p = 0; p < count; p++) {
        all.squares += parts[p].expected.squares;
        all.finite += parts[p].expected.finite;
    }
    return all;
}

struct magnitude verify_measure(const struct value *value, const struct wanted *want)
{
    struct part *parts = mem_alloc_zeroed(MAX_PARTS, sizeof(*parts));
    const struct comparing c = {.output = {.value = value, .want = *want}};
    struct magnitude all = measure(parts, cut_parts(&c, parts, false));

    free(parts);
    return all;
}

/* The root mean square. If the squares overflow the scale is 0, and rtol alone decides. */
static double scale_of(const struct magnitude *expected)
{
    bool has_scale = expected->finite && expected->squares <= DBL_MAX;

    return has_scale ? sqrt(expected->squares / (double)expected->finite) : 0;
}

/*
 * True if both sides are floats and the bounds on rounding hold. A map needs every error, so it
 * excludes this.
 */
static bool is_plain(const struct comparing *c, bool with_map)
{
    return !with_map && c->output.value->dtype == DTYPE_F32 && c->output.want.dtype == DTYPE_F32 &&
           (c->output.want.allowed || (c->atol > 1e-30 && c->atol < 1e30 && c->rtol <= 1));
}

/* The rule of the tolerance for this output. `scale` is that of the expected elements. */
static void set_rule(struct comparing *c, const struct tolerance *tolerance, double scale)
{
    bool is_float = dtype_is_float(c->output.value->dtype);

    c->has_floor = tolerance->is_derived && is_float;
    if (tolerance->is_derived && !is_float)
        return;
    c->atol = tolerance->atol * (tolerance->kernelbench ? 1 : scale);
    c->rtol = tolerance->rtol;
}

void verify_output(const struct output *output, const struct tolerance *tolerance,
                   struct trial *trial, struct error_map *map)
{
    struct part *parts = mem_alloc_zeroed(MAX_PARTS, sizeof(*parts));
    struct comparing c = {.output = *output};
    size_t count = cut_parts(&c, parts, map != NULL);
    struct findings all = {.trial = {.output = trial->output,
                                     .dims = trial->dims,
                                     .seed_id = trial->seed_id,
                                     .elements = shape_elements(&output->value->shape)}};
    struct magnitude expected = output->want.magnitude;

    if (!expected.finite)
        expected = measure(parts, count);
    set_rule(&c, tolerance, scale_of(&expected));
    c.is_plain = is_plain(&c, map != NULL);
    parallel_for(count, 1, compare_parts, parts);
    for (size_t p = 0; p < count; p++)
        findings_merge(&all, &parts[p].findings);
    *trial = all.trial;
    trial->rel_norm = findings_relative_norm(all.off_squares, expected.squares);
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
