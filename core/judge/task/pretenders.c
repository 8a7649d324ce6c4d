#include "core/judge/task/pretenders.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/stats/stats.h"

enum { ZERO, MEAN, MEDIAN };

enum { MEDIAN_SAMPLE = 1023 };

const double pretenders_nearly_all = 0.99;

struct pretenders pretenders_start(void)
{
    return (struct pretenders){{{.name = "zero", .right = 1, .passes = true},
                                {.name = "its mean", .right = 1, .passes = true},
                                {.name = "its median", .right = 1, .passes = true}}};
}

static double mean(const double *elements, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += elements[i];
    return sum / (double)count;
}

/* The median of a sample of the elements, taken at equal distances. */
static double rough_median(const double *elements, size_t count)
{
    size_t taken = count < MEDIAN_SAMPLE ? count : MEDIAN_SAMPLE;
    double some[MEDIAN_SAMPLE];

    for (size_t i = 0; i < taken; i++)
        some[i] = elements[i * count / taken];
    return stats_median(some, taken).median_us;
}

void pretenders_choose(struct pretenders *pretenders, const double *elements, size_t count)
{
    pretenders->items[ZERO].number = 0;
    pretenders->items[MEAN].number = mean(elements, count);
    pretenders->items[MEDIAN].number = rough_median(elements, count);
}

/* Elements are compared in pieces, because the first piece refutes most tensors. */
enum { PIECES = 16, PIECE_LEAST = 4096 };

static size_t first_piece(size_t count)
{
    return count / PIECES < PIECE_LEAST ? count : count / PIECES;
}

/*
 * Compare the first `count` elements of an output. The resulting trial counts all other elements as
 * right.
 */
static struct trial compare(const void *got, size_t count, const struct value *value,
                            const struct wanted *want, const struct tolerance *tolerance)
{
    struct value first = *value;
    struct trial trial = {0};

    first.shape = (struct shape){.rank = 1, .dims = {(int64_t)count}};
    verify_output(&(struct output){&first, got, *want}, tolerance, &trial, NULL);
    trial.elements = shape_elements(&value->shape);
    return trial;
}

/* An array of `count` elements with one number, in the output's element type; the caller frees. */
static void *repeat(const struct value *value, double number, size_t count)
{
    size_t bytes = dtype_bytes(value->dtype);
    char *elements = mem_alloc_zeroed(count, bytes);

    dtype_from_double(value->dtype, &number, elements, 1);
    for (size_t i = 1; i < count; i++)
        memcpy(elements + i * bytes, elements, bytes);
    return elements;
}

static void try_number(struct pretender *pretender, size_t count, const struct value *value,
                       const struct wanted *want, const struct tolerance *tolerance)
{
    void *got = repeat(value, pretender->number, count);
    struct trial trial = compare(got, count, value, want, tolerance);
    double right = 1 - (double)trial.mismatched / (double)trial.elements;

    if (right < pretender->right)
        pretender->right = right;
    pretender->passes = pretender->passes && verify_passes(&trial, tolerance);
    free(got);
}

static bool gets_far(const struct pretender *pretender)
{
    return pretender->passes || pretender->right >= pretenders_nearly_all;
}

void pretenders_try(struct pretenders *pretenders, const struct value *value,
                    const struct wanted *want, const struct tolerance *tolerance)
{
    size_t count = (size_t)shape_elements(&value->shape), first = first_piece(count);

    for (size_t k = 0; k < PRETENDERS; k++) {
        if (gets_far(&pretenders->items[k]))
            try_number(&pretenders->items[k], first, value, want, tolerance);
        if (first < count && gets_far(&pretenders->items[k]))
            try_number(&pretenders->items[k], count, value, want, tolerance);
    }
}

static bool first_pass_as(const double *elements, size_t count, const struct value *value,
                          const struct wanted *want, const struct tolerance *tolerance)
{
    void *got = mem_alloc_zeroed(count, dtype_bytes(value->dtype));
    struct trial trial;

    dtype_from_double(value->dtype, elements, got, count);
    trial = compare(got, count, value, want, tolerance);
    free(got);
    return verify_passes(&trial, tolerance);
}

bool pretenders_pass_as(const double *elements, const struct value *value,
                        const struct wanted *want, const struct tolerance *tolerance)
{
    size_t count = (size_t)shape_elements(&value->shape), first = first_piece(count);

    return first_pass_as(elements, first, value, want, tolerance) &&
           (first == count || first_pass_as(elements, count, value, want, tolerance));
}

const struct pretender *pretenders_best(const struct pretenders *pretenders)
{
    const struct pretender *items = pretenders->items;
    size_t best = 0;

    for (size_t k = 1; k < PRETENDERS; k++)
        if (items[k].passes > items[best].passes ||
            (items[k].passes == items[best].passes && items[k].right > items[best].right))
            best = k;
    return &items[best];
}
