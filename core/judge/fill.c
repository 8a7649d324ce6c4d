#include "core/judge/fill.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/parallel.h"

/* One round is two multiplications and four exclusive ors; the key moves on between rounds. */
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

void fill_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4])
{
    uint32_t moving[2] = {key[0], key[1]};

    for (int i = 0; i < 4; i++)
        words[i] = counter[i];
    for (int round = 0; round < 10; round++) {
        philox_round(words, moving);
        moving[0] += 0x9E3779B9;
        moving[1] += 0xBB67AE85;
    }
}

/* The words of one tensor; the current block is kept. */
struct source {
    uint32_t key[2];
    uint32_t stream;
    bool has_block;
    uint64_t block;
    uint32_t words[4];
};

static const uint32_t *source_block(struct source *source, uint64_t block)
{
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), source->stream, 0};

    if (!source->has_block || source->block != block)
        fill_philox(counter, source->key, source->words);
    source->has_block = true;
    source->block = block;
    return source->words;
}

static uint32_t source_word(struct source *source, uint64_t i)
{
    return source_block(source, i / 4)[i % 4];
}

static double draw_uniform(struct source *source, const struct fill *fill, uint64_t i)
{
    float step = (float)((fill->b - fill->a) * 0x1p-24);

    return (double)fmaf((float)(source_word(source, i) >> 8), step, (float)fill->a);
}

static double draw_normal(struct source *source, const struct fill *fill, uint64_t i)
{
    const uint32_t *words = source_block(source, i);
    float step = (float)(fill->b / (2 * sqrt(8 * (0x1p32 - 1) / 12)));
    int64_t sum = 0;

    for (int w = 0; w < 4; w++)
        sum += (words[w] & 0xffff) + (words[w] >> 16);
    return (double)fmaf((float)(2 * sum - INT64_C(8) * 0xffff), step, (float)fill->a);
}

static double draw_integer(struct source *source, const struct fill *fill, uint64_t i)
{
    uint64_t range = (uint64_t)(fill->b - fill->a) + 1;

    return fill->a + (double)(source_word(source, i) * range >> 32);
}

static double draw_constant(struct source *source, const struct fill *fill, uint64_t i)
{
    (void)source;
    (void)i;
    return fill->a;
}

static double draw_mask(struct source *source, const struct fill *fill, uint64_t i)
{
    return source_word(source, i) < fill->a * 0x1p32;
}

/* Element i, from i alone. */
static double (*const draws[])(struct source *source, const struct fill *fill, uint64_t i) = {
    [FILL_UNIFORM] = draw_uniform,   [FILL_NORMAL] = draw_normal, [FILL_INTEGERS] = draw_integer,
    [FILL_CONSTANT] = draw_constant, [FILL_MASK] = draw_mask,
};

struct job {
    const struct value *value;
    struct source source;
    unsigned char *elements;
};

static void draw_elements(void *data, size_t first, size_t last)
{
    enum { CHUNK = 256 };
    const struct job *job = data;
    const struct fill *fill = &job->value->fill;
    size_t bytes = dtype_bytes(job->value->dtype);
    struct source source = job->source;
    double chunk[CHUNK];

    for (size_t done = 0; first < last; first += done) {
        for (done = 0; done < CHUNK && first + done < last; done++)
            chunk[done] = draws[fill->kind](&source, fill, first + done);
        dtype_from_double(job->value->dtype, chunk, job->elements + first * bytes, done);
    }
}

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Rows [first, last): the places within a row, sorted by their words. */
static void permute_rows(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct shape *shape = &job->value->shape;
    size_t n = (size_t)shape->dims[shape->rank - 1], bytes = dtype_bytes(job->value->dtype);
    uint64_t *keys = mem_alloc_zeroed(n, sizeof(*keys));
    struct source source = job->source;

    for (size_t row = first; row < last; row++) {
        for (size_t i = 0; i < n; i++)
            keys[i] = (uint64_t)source_word(&source, row * n + i) << 32 | i;
        qsort(keys, n, sizeof(*keys), compare_keys);
        for (size_t i = 0; i < n; i++) {
            double place = (double)(uint32_t)keys[i];

            dtype_from_double(job->value->dtype, &place, job->elements + (row * n + i) * bytes, 1);
        }
    }
    free(keys);
}

void fill_make(const struct value *value, uint64_t seed, uint32_t stream, void *elements)
{
    struct job job = {
        .value = value,
        .source = {.key = {(uint32_t)seed, (uint32_t)(seed >> 32)}, .stream = stream},
        .elements = elements,
    };
    size_t count = (size_t)shape_elements(&value->shape);

    if (value->fill.kind == FILL_PERMUTATION)
        parallel_for(count / (size_t)value->shape.dims[value->shape.rank - 1], 1, permute_rows,
                     &job);
    else
        parallel_for(count, 1 << 14, draw_elements, &job);
}
