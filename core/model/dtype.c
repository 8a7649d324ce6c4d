#include "core/model/dtype.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A binary floating-point format of 16 bits, in the layout of IEEE 754. */
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

/* Shift right by 0 < shift < 64 and round to nearest, ties to even. */
static uint64_t shift_rounded(uint64_t bits, int shift)
{
    uint64_t quotient = bits >> shift;
    uint64_t rest = bits & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);

    return quotient + (rest > half || (rest == half && (quotient & 1)));
}

/*
 * The 16-bit magnitude of a finite double with this unbiased exponent. Rounding up may carry into
 * the exponent, and up to infinity.
 */
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

/* Conversion of arrays, one pair of functions per type. Every 16-bit number is also a float. */
static void f32_to_double(const void *from, double *to, size_t count)
{
    const float *elements = from;

    for (size_t i = 0; i < count; i++)
        to[i] = (double)elements[i];
}

static void f32_from_double(const double *from, void *to, size_t count)
{
    float *elements = to;

    for (size_t i = 0; i < count; i++)
        elements[i] = (float)from[i];
}

/*
 * The exponent and fraction of an f16, placed where a float has them, are a float that is too small
 * by 2^112, the difference of the biases. This holds for subnormal numbers, too.
 */
static float float_of_f16(uint16_t half)
{
    uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
    float magnitude;

    memcpy(&magnitude, &bits, sizeof(magnitude));
    magnitude *= 0x1p112F;
    if (magnitude >= 0x1p16F) /* infinity or NaN */
        bits |= 0x7f800000;
    else
        memcpy(&bits, &magnitude, sizeof(bits));
    bits |= (uint32_t)(half & 0x8000) << 16;
    memcpy(&magnitude, &bits, sizeof(magnitude));
    return magnitude;
}

static void f16_to_double(const void *from, double *to, size_t count)
{
    const uint16_t *elements = from;

    for (size_t i = 0; i < count; i++)
        to[i] = (double)float_of_f16(elements[i]);
}

static void f16_from_double(const double *from, void *to, size_t count)
{
    uint16_t *elements = to;

    for (size_t i = 0; i < count; i++)
        elements[i] = narrow(&f16, from[i]);
}

static float float_of_bf16(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void bf16_to_double(const void *from, double *to, size_t count)
{
    const uint16_t *elements = from;

    for (size_t i = 0; i < count; i++)
        to[i] = (double)float_of_bf16(elements[i]);
}

static void bf16_from_double(const double *from, void *to, size_t count)
{
    uint16_t *elements = to;

    for (size_t i = 0; i < count; i++)
        elements[i] = narrow(&bf16, from[i]);
}

static void f64_to_double(const void *from, double *to, size_t count)
{
    memcpy(to, from, count * sizeof(*to));
}

static void f64_from_double(const double *from, void *to, size_t count)
{
    memcpy(to, from, count * sizeof(*from));
}

/* Round to the nearest integer and clamp to [-limit, limit), whose largest integer is `max`. */
static int64_t round_integer(double value, double limit, int64_t max)
{
    double nearest = nearbyint(value);

    if (isnan(value))
        return 0;
    if (nearest >= limit)
        return max;
    return nearest < -limit ? -max - 1 : (int64_t)nearest;
}

static void i32_to_double(const void *from, double *to, size_t count)
{
    const int32_t *elements = from;

    for (size_t i = 0; i < count; i++)
        to[i] = elements[i];
}

static void i32_from_double(const double *from, void *to, size_t count)
{
    int32_t *elements = to;

    for (size_t i = 0; i < count; i++)
        elements[i] = (int32_t)round_integer(from[i], 0x1p31, INT32_MAX);
}

static void i64_to_double(const void *from, double *to, size_t count)
{
    const int64_t *elements = from;

    for (size_t i = 0; i < count; i++)
        to[i] = (double)elements[i];
}

static void i64_from_double(const double *from, void *to, size_t count)
{
    int64_t *elements = to;

    for (size_t i = 0; i < count; i++)
        elements[i] = round_integer(from[i], 0x1p63, INT64_MAX);
}

static void bool_to_double(const void *from, double *to, size_t count)
{
    const uint8_t *elements = from;

    for (size_t i = 0; i < count; i++)
        to[i] = elements[i] != 0;
}

static void bool_from_double(const double *from, void *to, size_t count)
{
    uint8_t *elements = to;

    for (size_t i = 0; i < count; i++)
        elements[i] = from[i] != 0;
}

static const struct {
    size_t bytes;
    int rank; /* the higher rank wins in dtype_promote() */
    bool is_float;
    void (*to_double)(const void *from, double *to, size_t count);
    void (*from_double)(const double *from, void *to, size_t count);
} dtypes[] = {
    [DTYPE_F32] = {4, 4, true, f32_to_double, f32_from_double},
    [DTYPE_F16] = {2, 3, true, f16_to_double, f16_from_double},
    [DTYPE_BF16] = {2, 3, true, bf16_to_double, bf16_from_double},
    [DTYPE_F64] = {8, 5, true, f64_to_double, f64_from_double},
    [DTYPE_I32] = {4, 1, false, i32_to_double, i32_from_double},
    [DTYPE_I64] = {8, 2, false, i64_to_double, i64_from_double},
    [DTYPE_BOOL] = {1, 0, false, bool_to_double, bool_from_double},
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

void dtype_to_double(enum dtype dtype, const void *from, double *to, size_t count)
{
    dtypes[dtype].to_double(from, to, count);
}

void dtype_from_double(enum dtype dtype, const double *from, void *to, size_t count)
{
    dtypes[dtype].from_double(from, to, count);
}

double dtype_spacing(enum dtype dtype, double number)
{
    static const struct {
        double relative, smallest;
    } spacings[DTYPE_COUNT] = {
        [DTYPE_F32] = {0x1p-23, 0x1p-149},
        [DTYPE_F16] = {0x1p-10, 0x1p-24},
        [DTYPE_BF16] = {0x1p-7, 0x1p-133},
        [DTYPE_F64] = {0x1p-52, 0x1p-1074},
    };
    uint64_t bits;
    double power; /* the largest power of 2 that is not above |number| */

    memcpy(&bits, &number, sizeof(bits));
    bits &= (uint64_t)F64_EXPONENT_MASK << F64_FRACTION_BITS;
    memcpy(&power, &bits, sizeof(power));
    return fmax(power * spacings[dtype].relative, spacings[dtype].smallest);
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
