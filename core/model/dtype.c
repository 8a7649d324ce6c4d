#include "core/model/dtype.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A binary floating-point format of 16 bits, as IEEE 754 lays them out. */
struct half_format {
    int exponent_bits, fraction_bits;
};

static const struct half_format f16 = {5, 10};
static const struct half_format bf16 = {8, 7};

enum { F64_FRACTION_BITS = 52, F64_BIAS = 1023, F64_EXPONENT_MASK = 0x7ff };

static int format_bias(const struct half_format *f)
{
    return (1 << (f->exponent_bits - 1)) - 1;
}

static uint16_t infinity_of(const struct half_format *f)
{
    return (uint16_t)(((1U << f->exponent_bits) - 1) << f->fraction_bits);
}

/* `bits` shifted right by 0 < shift < 64, to nearest, ties to even. */
static uint64_t shift_rounded(uint64_t bits, int shift)
{
    uint64_t quotient = bits >> shift;
    uint64_t rest = bits & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);

    return quotient + (rest > half || (rest == half && (quotient & 1)));
}

/* The magnitude of a finite double with this unbiased exponent; a carry runs up into infinity. */
static uint64_t narrow_magnitude(const struct half_format *f, uint64_t bits, int exponent)
{
    int lowest = 1 - format_bias(f);
    int subnormal_shift = exponent < lowest ? lowest - exponent : 0;
    int shift = F64_FRACTION_BITS - f->fraction_bits + subnormal_shift;
    uint64_t one = UINT64_C(1) << F64_FRACTION_BITS;
    uint64_t significand = (bits & (one - 1)) | one;

    if (shift > F64_FRACTION_BITS + 2)
        return 0;
    return ((uint64_t)(exponent + subnormal_shift - lowest) << f->fraction_bits) +
           shift_rounded(significand, shift);
}

static uint16_t narrow(const struct half_format *f, double value)
{
    uint16_t infinity = infinity_of(f);
    uint64_t bits, magnitude;

    memcpy(&bits, &value, sizeof(bits));
    uint16_t sign = (uint16_t)(bits >> 63 << 15);
    int exponent = (int)(bits >> F64_FRACTION_BITS & F64_EXPONENT_MASK) - F64_BIAS;

    if (isnan(value))
        return (uint16_t)(sign | infinity | 1U << (f->fraction_bits - 1));
    if (exponent > format_bias(f))
        return (uint16_t)(sign | infinity);
    magnitude = narrow_magnitude(f, bits, exponent);
    return (uint16_t)(sign | magnitude);
}

static double widen(const struct half_format *f, uint16_t half)
{
    unsigned fraction = half & ((1U << f->fraction_bits) - 1);
    int exponent = (half & 0x7fff) >> f->fraction_bits;
    double magnitude;

    if ((half & infinity_of(f)) == infinity_of(f))
        magnitude = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        magnitude = ldexp(fraction, 1 - format_bias(f) - f->fraction_bits);
    else
        magnitude =
            ldexp(fraction | 1U << f->fraction_bits, exponent - format_bias(f) - f->fraction_bits);
    return half & 0x8000 ? -magnitude : magnitude;
}

static double load_f32(const void *from, size_t i)
{
    return (double)((const float *)from)[i];
}

static void store_f32(void *to, size_t i, double value)
{
    ((float *)to)[i] = (float)value;
}

static double load_f16(const void *from, size_t i)
{
    return widen(&f16, ((const uint16_t *)from)[i]);
}

static void store_f16(void *to, size_t i, double value)
{
    ((uint16_t *)to)[i] = narrow(&f16, value);
}

static double load_bf16(const void *from, size_t i)
{
    return widen(&bf16, ((const uint16_t *)from)[i]);
}

static void store_bf16(void *to, size_t i, double value)
{
    ((uint16_t *)to)[i] = narrow(&bf16, value);
}

static double load_f64(const void *from, size_t i)
{
    return ((const double *)from)[i];
}

static void store_f64(void *to, size_t i, double value)
{
    ((double *)to)[i] = value;
}

static double load_i32(const void *from, size_t i)
{
    return ((const int32_t *)from)[i];
}

/* To the nearest integer in [-limit, limit), which has `max` as its highest. */
static int64_t round_integer(double value, double limit, int64_t max)
{
    double nearest = nearbyint(value);

    if (isnan(value))
        return 0;
    if (nearest >= limit)
        return max;
    return nearest < -limit ? -max - 1 : (int64_t)nearest;
}

static void store_i32(void *to, size_t i, double value)
{
    ((int32_t *)to)[i] = (int32_t)round_integer(value, 0x1p31, INT32_MAX);
}

static double load_i64(const void *from, size_t i)
{
    return (double)((const int64_t *)from)[i];
}

static void store_i64(void *to, size_t i, double value)
{
    ((int64_t *)to)[i] = round_integer(value, 0x1p63, INT64_MAX);
}

static double load_bool(const void *from, size_t i)
{
    return ((const uint8_t *)from)[i] != 0;
}

static void store_bool(void *to, size_t i, double value)
{
    ((uint8_t *)to)[i] = value != 0;
}

static const struct {
    size_t bytes;
    int rank; /* in promotion */
    bool is_float;
    double (*load)(const void *from, size_t i);
    void (*store)(void *to, size_t i, double value);
} dtypes[] = {
    [DTYPE_F32] = {4, 4, true, load_f32, store_f32},
    [DTYPE_F16] = {2, 3, true, load_f16, store_f16},
    [DTYPE_BF16] = {2, 3, true, load_bf16, store_bf16},
    [DTYPE_F64] = {8, 5, true, load_f64, store_f64},
    [DTYPE_I32] = {4, 1, false, load_i32, store_i32},
    [DTYPE_I64] = {8, 2, false, load_i64, store_i64},
    [DTYPE_BOOL] = {1, 0, false, load_bool, store_bool},
};

const char *const dtype_names[] = {
    [DTYPE_F32] = "f32", [DTYPE_F16] = "f16", [DTYPE_BF16] = "bf16", [DTYPE_F64] = "f64",
    [DTYPE_I32] = "i32", [DTYPE_I64] = "i64", [DTYPE_BOOL] = "bool", NULL,
};

const char *dtype_name(enum dtype dtype)
{
    return dtype_names[dtype];
}

size_t dtype_bytes(enum dtype dtype)
{
    return dtypes[dtype].bytes;
}

bool dtype_is_float(enum dtype dtype)
{
    return dtypes[dtype].is_float;
}

enum status dtype_read(const struct json_ref *at, enum dtype *dtype, struct error *err)
{
    size_t choice = 0;
    enum status st = json_read_choice(at, dtype_names, &choice, err);

    if (!st)
        *dtype = (enum dtype)choice;
    return st;
}

enum dtype dtype_promote(enum dtype a, enum dtype b)
{
    if (a != b && dtypes[a].rank == dtypes[b].rank)
        return DTYPE_F32;
    return dtypes[a].rank >= dtypes[b].rank ? a : b;
}

/* Most tensors are f32: not a call for each element. */
void dtype_to_double(enum dtype dtype, const void *from, double *to, size_t count)
{
    if (dtype == DTYPE_F64) {
        memcpy(to, from, count * sizeof(*to));
        return;
    }
    if (dtype == DTYPE_F32) {
        for (size_t i = 0; i < count; i++)
            to[i] = load_f32(from, i);
        return;
    }
    for (size_t i = 0; i < count; i++)
        to[i] = dtypes[dtype].load(from, i);
}

void dtype_from_double(enum dtype dtype, const double *from, void *to, size_t count)
{
    if (dtype == DTYPE_F32) {
        for (size_t i = 0; i < count; i++)
            store_f32(to, i, from[i]);
        return;
    }
    for (size_t i = 0; i < count; i++)
        dtypes[dtype].store(to, i, from[i]);
}

bool dtype_holds(enum dtype dtype, double number)
{
    double storage = 0, stored = 0;

    dtype_from_double(dtype, &number, &storage, 1);
    dtype_to_double(dtype, &storage, &stored, 1);
    return dtype_is_float(dtype) ? isfinite(stored) : stored == number;
}

bool shape_is_valid(const struct shape *shape)
{
    int64_t elements = 1;

    for (size_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 1 || shape->dims[i] > SHAPE_MAX_ELEMENTS / elements)
            return false;
        elements *= shape->dims[i];
    }
    return true;
}

int64_t shape_elements(const struct shape *shape)
{
    int64_t elements = 1;

    for (size_t i = 0; i < shape->rank; i++)
        elements *= shape->dims[i];
    return elements;
}

void shape_strides(const struct shape *shape, ptrdiff_t strides[SHAPE_MAX_RANK])
{
    ptrdiff_t stride = 1;

    for (size_t i = shape->rank; i-- > 0;) {
        strides[i] = stride;
        stride *= (ptrdiff_t)shape->dims[i];
    }
}

bool shape_equals(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims)) == 0;
}

const char *shape_text(const struct shape *shape, char text[SHAPE_TEXT_SIZE])
{
    size_t len = 0;

    for (size_t i = 0; i < shape->rank && len < SHAPE_TEXT_SIZE; i++)
        len += (size_t)snprintf(text + len, SHAPE_TEXT_SIZE - len, "%s%lld", i ? ", " : "[",
                                (long long)shape->dims[i]);
    if (len < SHAPE_TEXT_SIZE)
        snprintf(text + len, SHAPE_TEXT_SIZE - len, shape->rank ? "]" : "[]");
    return text;
}
