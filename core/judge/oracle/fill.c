#include "core/judge/oracle/fill.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/judge/oracle/variation.h"
#include "core/system/parallel.h"
#include "core/system/random.h"

/* One round is two multiplications and four exclusive ors; the key changes between rounds. */
static void philox_round(uint32_t words[4], const uint32_t key[2])
{
    uint64_t even = UINT64_C(0xD2511F53) * words[0];
    uint64_t odd = UINT64_C(0xCD9E8D57) * words[2];
    uint32_t w1 = words[1], w3 = words[3];

    words[0] = (uint32_t)(odd >> 32) ^ w1 ^ key[0];
    words[1] = (uint32_t)odd;
    words[2] = (uint32_t)(even >> 32) ^ w3 ^ key[1];
    words[3] = (uint32_t)even;
}

enum { ROUNDS = 7 };

void fill_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4])
{
    uint32_t moving[2] = {key[0], key[1]};

    for (int i = 0; i < 4; i++)
        words[i] = counter[i];
    for (int round = 0; round < ROUNDS; round++) {
        philox_round(words, moving);
        moving[0] += 0x9E3779B9;
        moving[1] += 0xBB67AE85;
    }
}

/* The seed and stream of a tensor's words. */
struct source {
    uint32_t key[2];
    uint32_t stream;
};

/* The compiler computes neighbouring blocks in the lanes of its vectors. */
enum { LANES = 64, CHUNK = 4 * LANES };

/* Make the words of the blocks from `first` on. */
WIDE static void make_words(const struct source *source, uint64_t first, uint32_t words[CHUNK])
{
    uint32_t a[LANES], b[LANES], c[LANES], d[LANES];
    uint32_t key[2] = {source->key[0], source->key[1]};

    for (size_t i = 0; i < LANES; i++) {
        a[i] = (uint32_t)(first + i);
        b[i] = (uint32_t)((first + i) >> 32);
        c[i] = source->stream;
        d[i] = 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp simd
        for (size_t i = 0; i < LANES; i++) {
            uint64_t even = UINT64_C(0xD2511F53) * a[i], odd = UINT64_C(0xCD9E8D57) * c[i];
            uint32_t w1 = b[i], w3 = d[i];

            a[i] = (uint32_t)(odd >> 32) ^ w1 ^ key[0];
            b[i] = (uint32_t)odd;
            c[i] = (uint32_t)(even >> 32) ^ w3 ^ key[1];
            d[i] = (uint32_t)even;
        }
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
#pragma omp simd
    for (size_t i = 0; i < LANES; i++) {
        words[4 * i] = a[i];
        words[4 * i + 1] = b[i];
        words[4 * i + 2] = c[i];
        words[4 * i + 3] = d[i];
    }
}

static double step_of(const struct fill *fill)
{
    return fill->kind == FILL_NORMAL ? fill->b / sqrt(8 * 0x1p32 + (0x1p32 - 1) / 6)
                                     : (fill->b - fill->a) * 0x1p-24;
}

struct fill_factors fill_factors(const struct fill *fill)
{
    struct fill_factors factors = {.step = (float)step_of(fill), .base = (float)fill->a};

    if (fill->kind == FILL_MASK || fill->kind == FILL_SIGNS) {
        factors.range = (uint64_t)ceil(fill->a * 0x1p32);
    } else if (fill->kind == FILL_INTEGERS) {
        factors.range = (uint64_t)(fill->b - fill->a) + 1;
        factors.lowest = (int64_t)fill->a;
    }
    return factors;
}

WIDE static void draw_uniform(const struct fill *fill, const uint32_t *words, double *elements)
{
    struct fill_factors factors = fill_factors(fill);
    float step = factors.step, base = factors.base;

#pragma omp simd
    for (size_t i = 0; i < CHUNK; i++)
        elements[i] = (double)fmaf((float)(words[i] >> 8), step, base);
}

/*
 * Count the bits that are set, by sums of growing groups of neighbours. With one multiplication for
 * the last sums, compilers would recognise the whole as an instruction that vectors do not have.
 */
static uint32_t count_ones(uint32_t word)
{
    word -= word >> 1 & 0x55555555;
    word = (word & 0x33333333) + (word >> 2 & 0x33333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f;
    word += word >> 8;
    return (word + (word >> 16)) & 0x3f;
}

WIDE static void draw_normal(const struct fill *fill, const uint32_t *words, double *elements)
{
    struct fill_factors factors = fill_factors(fill);
    float step = factors.step, base = factors.base;
    uint32_t others[CHUNK];

    for (size_t i = 0; i < CHUNK; i += 2) {
        others[i] = words[i + 1];
        others[i + 1] = words[i];
    }
#pragma omp simd
    for (size_t i = 0; i < CHUNK; i++) {
        int32_t ones = (int32_t)count_ones(words[i]) - 16;
        int32_t rest = (int32_t)(others[i] & 0xffff) - (int32_t)(others[i] >> 16);

        elements[i] = (double)fmaf((float)(ones * 0x10000 + rest), step, base);
    }
}

WIDE static void draw_integers(const struct fill *fill, const uint32_t *words, double *elements)
{
    struct fill_factors factors = fill_factors(fill);
    uint64_t range = factors.range;
    double lowest = (double)factors.lowest;

#pragma omp simd
    for (size_t i = 0; i < CHUNK; i++)
        elements[i] = lowest + (double)(uint32_t)(words[i] * range >> 32);
}

static void draw_mask(const struct fill *fill, const uint32_t *words, double *elements)
{
    uint64_t range = fill_factors(fill).range;

    for (size_t i = 0; i < CHUNK; i++)
        elements[i] = words[i] < range;
}

static void draw_signs(const struct fill *fill, const uint32_t *words, double *elements)
{
    uint64_t range = fill_factors(fill).range;

    for (size_t i = 0; i < CHUNK; i++)
        elements[i] = words[i] < range ? 1 : -1;
}

static void draw_constant(const struct fill *fill, const uint32_t *words, double *elements)
{
    (void)words;
    for (size_t i = 0; i < CHUNK; i++)
        elements[i] = fill->a;
}

/* Make the elements of a chunk from its words. */
typedef void draw_fn(const struct fill *fill, const uint32_t *words, double *elements);
static draw_fn *const draw[] = {
    [FILL_UNIFORM] = draw_uniform,   [FILL_NORMAL] = draw_normal, [FILL_INTEGERS] = draw_integers,
    [FILL_CONSTANT] = draw_constant, [FILL_MASK] = draw_mask,     [FILL_SIGNS] = draw_signs,
};

/* The numbers of elements to make, and of bytes to compare, that are worth a thread of their own */
enum { GRAIN = 1 << 14 };

/*
 * Make elements from `first` on, at most `most` and at most to the end of a chunk. Returns how
 * many.
 */
static size_t draw_chunk(const struct value *value, const struct source *source, size_t first,
                         size_t most, void *elements)
{
    size_t skipped = first % 4, count = CHUNK - skipped;
    uint32_t words[CHUNK];
    double drawn[CHUNK];

    if (value->fill.kind != FILL_CONSTANT)
        make_words(source, first / 4, words);
    draw[value->fill.kind](&value->fill, words, drawn);
    count = count < most ? count : most;
    dtype_from_double(value->dtype, drawn + skipped, elements, count);
    return count;
}

struct job {
    const struct value *value;
    struct source source;
    size_t begin; /* place in the tensor of the first of `elements` */
    unsigned char *elements;
};

static void draw_elements(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    size_t bytes = dtype_bytes(job->value->dtype);

    while (first < last)
        first += draw_chunk(job->value, &job->source, job->begin + first, last - first,
                            job->elements + first * bytes);
}

/*
 * Make the keys whose sorting is the permutation: a word in the upper half, and the place that it
 * was drawn for below.
 */
static void draw_keys(const struct source *source, size_t first, size_t count, uint64_t *keys)
{
    uint32_t words[CHUNK];

    for (size_t place = 0; place < count;) {
        size_t skipped = (first + place) % 4;

        make_words(source, (first + place) / 4, words);
        for (size_t i = skipped; i < CHUNK && place < count; i++, place++)
            keys[place] = (uint64_t)words[i] << 32 | place;
    }
}

enum { DIGITS = 256 };

/* One pass of a radix sort, by the eight bits from `shift` on; it is stable. */
static void sort_digit(const uint64_t *keys, size_t count, unsigned shift, uint64_t *sorted)
{
    size_t starts[DIGITS + 1] = {0};

    for (size_t i = 0; i < count; i++)
        starts[(keys[i] >> shift) % DIGITS + 1]++;
    for (size_t digit = 1; digit < DIGITS; digit++)
        starts[digit] += starts[digit - 1];
    for (size_t i = 0; i < count; i++)
        sorted[starts[(keys[i] >> shift) % DIGITS]++] = keys[i];
}

/* Sort by the words, which are the upper halves. Equal words stay in the order of their places. */
static void sort_keys(uint64_t *keys, uint64_t *spare, size_t count)
{
    for (unsigned shift = 32; shift < 64; shift += 16) {
        sort_digit(keys, count, shift, spare);
        sort_digit(spare, count, shift + 8, keys);
    }
}

/* Make rows [first, last): each has the places within a row, sorted by their words. */
static void permute_rows(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct shape *shape = &job->value->shape;
    size_t n = (size_t)shape->dims[shape->rank - 1], bytes = dtype_bytes(job->value->dtype);
    uint64_t *keys = mem_alloc_zeroed(2 * n, sizeof(*keys));
    double *places = mem_alloc_zeroed(n, sizeof(*places));

    for (size_t row = first; row < last; row++) {
        draw_keys(&job->source, row * n, n, keys);
        sort_keys(keys, keys + n, n);
        for (size_t i = 0; i < n; i++)
            places[i] = (double)(uint32_t)keys[i];
        dtype_from_double(job->value->dtype, places, job->elements + row * n * bytes, n);
    }
    free(keys);
    free(places);
}

static struct job make_job(const struct value *value, uint64_t seed, uint32_t stream,
                           void *elements)
{
    return (struct job){
        .value = value,
        .source = {.key = {(uint32_t)seed, (uint32_t)(seed >> 32)}, .stream = stream},
        .elements = elements,
    };
}

/* Choose the set made in advance that belongs to the seed; NULL if there are none. */
static const unsigned char *find_given(const struct value *value, uint64_t seed)
{
    const struct given *given = &value->given;

    return given->count ? given->bytes + seed % given->count * given->stride : NULL;
}

static void copy_given(const struct value *value, uint64_t seed, void *elements)
{
    size_t bytes = (size_t)shape_elements(&value->shape) * dtype_bytes(value->dtype);
    const unsigned char *given = find_given(value, seed);

    if (given)
        parallel_copy(elements, given, bytes);
    else
        memset(elements, 0, bytes);
}

const void *fill_given(const struct value *value, uint64_t seed)
{
    return value->fill.kind == FILL_MODEL ? find_given(value, seed) : NULL;
}

void fill_make(const struct value *value, uint64_t seed, uint32_t stream, void *elements)
{
    struct job job = make_job(value, seed, stream, elements);
    size_t count = (size_t)shape_elements(&value->shape);

    if (value->fill.kind == FILL_MODEL)
        copy_given(value, seed, elements);
    else if (value->fill.kind == FILL_PERMUTATION)
        parallel_for(count / (size_t)value->shape.dims[value->shape.rank - 1], 1, permute_rows,
                     &job);
    else
        parallel_for(count, GRAIN, draw_elements, &job);
    variation_apply(value, seed, elements);
}

bool fill_has_parts(const struct value *value, uint64_t seed)
{
    return value->fill.kind != FILL_PERMUTATION && value->fill.kind != FILL_MODEL &&
           !variation_changes(seed, value);
}

void fill_make_part(const struct value *value, uint64_t seed, uint32_t stream, size_t first,
                    void *elements)
{
    struct job job = make_job(value, seed, stream, elements);

    job.begin = first;
    parallel_for((size_t)shape_elements(&value->shape), GRAIN, draw_elements, &job);
}

/* Elements that are compared with what they should be. */
struct comparison_job {
    struct job made; /* its elements are those to check */
    atomic_bool differs;
};

static void compare_elements(void *data, size_t first, size_t last)
{
    struct comparison_job *job = data;
    const struct value *value = job->made.value;
    size_t bytes = dtype_bytes(value->dtype), count;
    double want[CHUNK];

    for (; first < last && !job->differs; first += count) {
        count = draw_chunk(value, &job->made.source, first, last - first, want);
        if (memcmp(want, job->made.elements + first * bytes, count * bytes) != 0)
            job->differs = true;
    }
}

/* fill_is_made() for a kind of fill that cannot be made in pieces. */
static bool is_whole_made(const struct value *value, uint64_t seed, uint32_t stream,
                          const void *elements)
{
    size_t bytes = (size_t)shape_elements(&value->shape) * dtype_bytes(value->dtype);
    const void *given = fill_given(value, seed);
    void *made = given ? NULL : mem_alloc_zeroed(bytes, 1);
    bool same;

    if (made)
        fill_make(value, seed, stream, made);
    same = parallel_same(given ? given : made, elements, bytes);
    free(made);
    return same;
}

bool fill_is_made(const struct value *value, uint64_t seed, uint32_t stream, const void *elements)
{
    struct comparison_job job = {
        .made = make_job(value, seed, stream, (void *)(uintptr_t)elements),
    };

    if (!fill_has_parts(value, seed))
        return is_whole_made(value, seed, stream, elements);
    parallel_for((size_t)shape_elements(&value->shape), GRAIN, compare_elements, &job);
    return !job.differs;
}

uint64_t fill_secret_seed(void)
{
    return random_bits() >> 22;
}

/* Variations change rows in turns of up to 32. */
enum { DIGEST_ROWS = 32, DIGEST_COLUMNS = 40, DIGEST_SEED = 17 };

static void add_elements(struct strbuf *drawn, const struct value *value)
{
    for (int v = VARIATION_NONE; v < VARIATION_COUNT; v++) {
        double elements[DIGEST_ROWS * DIGEST_COLUMNS] = {0}; /* room for any type */

        fill_make(value, variation_seed((enum variation)v, DIGEST_SEED), 1, elements);
        strbuf_add(drawn, elements,
                   (size_t)DIGEST_ROWS * DIGEST_COLUMNS * dtype_bytes(value->dtype));
    }
}

static const struct {
    enum dtype dtype;
    struct fill fill;
} digest_kinds[] = {
    {DTYPE_F32, {FILL_UNIFORM, -1, 1}},    {DTYPE_F32, {FILL_NORMAL, 0, 2}},
    {DTYPE_F16, {FILL_NORMAL, 0, 2}},      {DTYPE_I32, {FILL_INTEGERS, -5, DIGEST_COLUMNS - 1}},
    {DTYPE_I32, {FILL_PERMUTATION, 0, 0}}, {DTYPE_F32, {FILL_MASK, 0.5, 0}},
    {DTYPE_F32, {FILL_SIGNS, 0.25, 0}},
};

static void add_kind(struct strbuf *drawn, enum dtype dtype, const struct fill *fill)
{
    const struct value value = {.name = "",
                                .role = TENSOR_INPUT,
                                .dtype = dtype,
                                .shape = {.rank = 2, .dims = {DIGEST_ROWS, DIGEST_COLUMNS}},
                                .fill = *fill};

    add_elements(drawn, &value);
}

void fill_digest(char hex[DIGEST_HEX_SIZE])
{
    struct strbuf drawn = {0};

    strbuf_adds(&drawn, KFORGE_VERSION);
    for (size_t i = 0; i < COUNT(digest_kinds); i++)
        add_kind(&drawn, digest_kinds[i].dtype, &digest_kinds[i].fill);
    digest_sha256(strbuf_cstr(&drawn), drawn.len, hex);
    strbuf_release(&drawn);
}
