#include "data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

void *allocate(size_t bytes)
{
    void *memory = calloc(bytes + 1, 1);

    if (!memory)
        fail("memory", "not enough");
    return memory;
}

char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    char *text;

    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size < 0)
        fail(path, "cannot be read");
    rewind(file);
    text = allocate((size_t)size);
    if (fread(text, 1, (size_t)size, file) != (size_t)size)
        fail(path, "cannot be read");
    fclose(file);
    return text;
}

size_t dtype_bytes(enum dtype dtype)
{
    static const size_t bytes[] = {
        [F32] = 4, [F16] = 2, [BF16] = 2, [F64] = 8, [I32] = 4, [I64] = 8, [BOOL] = 1};

    return bytes[dtype];
}

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators"). */
static uint64_t next_bits(void)
{
    static uint64_t state = 0x9E3779B97F4A7C15u;

    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1Du;
}

static double next_uniform(void)
{
    return (double)(next_bits() >> 11) / 9007199254740992.0;
}

/* Nearly normal: the sum of twelve uniform numbers, each of variance 1/12. */
static double next_normal(void)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += next_uniform();
    return sum;
}

/* Rounds to nearest, ties to even; a number too small for a normal half becomes 0. */
static uint16_t to_half(float x)
{
    uint32_t bits, sign, rounded;

    memcpy(&bits, &x, sizeof(bits));
    sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits < 0x38800000)
        return (uint16_t)sign;
    rounded = bits - 0x38000000 + 0xfff + (bits >> 13 & 1);
    return (uint16_t)(sign | (rounded >> 13 > 0x7c00 ? 0x7c00 : rounded >> 13));
}

static uint16_t to_bfloat(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static double from_half(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double size = exponent == 0    ? ldexp(fraction, -24)
                  : exponent == 31 ? (fraction ? nan("") : HUGE_VAL)
                                   : ldexp(fraction + 1024, exponent - 25);

    return half & 0x8000 ? -size : size;
}

static double from_bfloat(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float x;

    memcpy(&x, &bits, sizeof(x));
    return (double)x;
}

static void put(enum dtype dtype, void *contents, size_t i, double x)
{
    switch (dtype) {
    case F32:
        ((float *)contents)[i] = (float)x;
        break;
    case F16:
        ((uint16_t *)contents)[i] = to_half((float)x);
        break;
    case BF16:
        ((uint16_t *)contents)[i] = to_bfloat((float)x);
        break;
    case F64:
        ((double *)contents)[i] = x;
        break;
    case I32:
        ((int32_t *)contents)[i] = (int32_t)x;
        break;
    case I64:
        ((int64_t *)contents)[i] = (int64_t)x;
        break;
    case BOOL:
        ((uint8_t *)contents)[i] = x != 0;
        break;
    }
}

static double get(enum dtype dtype, const void *contents, size_t i)
{
    switch (dtype) {
    case F32:
        return (double)((const float *)contents)[i];
    case F16:
        return from_half(((const uint16_t *)contents)[i]);
    case BF16:
        return from_bfloat(((const uint16_t *)contents)[i]);
    case F64:
        return ((const double *)contents)[i];
    case I32:
        return ((const int32_t *)contents)[i];
    case I64:
        return (double)((const int64_t *)contents)[i];
    case BOOL:
    default:
        return ((const uint8_t *)contents)[i];
    }
}

static double next_value(const struct tensor *tensor, size_t i)
{
    switch (tensor->fill) {
    case UNIFORM:
        return tensor->a + (tensor->b - tensor->a) * next_uniform();
    case NORMAL:
        return tensor->a + tensor->b * next_normal();
    case INTEGERS:
        return tensor->a + floor((tensor->b - tensor->a + 1) * next_uniform());
    case PERMUTATION:
        return (double)(i % tensor->row);
    case MASK:
        return next_uniform() < tensor->a;
    case CONSTANT:
    default:
        return tensor->a;
    }
}

/* The shuffle of Fisher and Yates, for each row. */
static void shuffle(const struct tensor *tensor, void *contents)
{
    for (size_t i = tensor->elements; i-- > 0;) {
        size_t start = i / tensor->row * tensor->row;
        size_t other = start + next_bits() % (i - start + 1);
        double x = get(tensor->dtype, contents, i);

        put(tensor->dtype, contents, i, get(tensor->dtype, contents, other));
        put(tensor->dtype, contents, other, x);
    }
}

void *make_contents(const struct tensor *tensor)
{
    void *contents = allocate(tensor->elements * dtype_bytes(tensor->dtype));

    for (size_t i = 0; i < tensor->elements; i++)
        put(tensor->dtype, contents, i, next_value(tensor, i));
    if (tensor->fill == PERMUTATION)
        shuffle(tensor, contents);
    return contents;
}

static double root_mean_square(const struct tensor *tensor, const void *contents)
{
    double sum = 0;

    for (size_t i = 0; i < tensor->elements; i++)
        sum += pow(get(tensor->dtype, contents, i), 2);
    return sqrt(sum / (double)tensor->elements);
}

/* Both sides may be inexact, so the limit is twice the tolerance. */
bool compare(const struct tensor *tensor, const void *got, const void *want)
{
    double scale = tolerance.is_scaled ? root_mean_square(tensor, want) : 1;
    double worst = 0;

    for (size_t i = 0; i < tensor->elements; i++) {
        double x = get(tensor->dtype, got, i), y = get(tensor->dtype, want, i);
        double allowed = 2 * (tolerance.atol * scale + tolerance.rtol * fabs(y));
        double error = x == y || (isnan(x) && isnan(y)) ? 0 : fabs(x - y) / allowed;

        if (!(error <= worst))
            worst = isnan(error) ? HUGE_VAL : error;
    }
    printf("%s: %s, the worst error is %.3g of the tolerance\n", tensor->name,
           worst <= 1 ? "right" : "WRONG", worst);
    return worst <= 1;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

double median(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof(*numbers), ascending);
    return numbers[count / 2];
}
