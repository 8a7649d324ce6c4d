#include "core/judge/oracle/rounding/rounding.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/attr.h"
#include "core/base/mem.h"
#include "core/system/parallel.h"

enum { GRAIN = 1 << 14 };

bool rounding_of(const struct tolerance *tolerance, struct rounding *rounding)
{
    *rounding = (struct rounding){.is_mixed = tolerance->allows_mixed};
    return tolerance->is_derived;
}

bool rounding_changes_given(const struct rounding *rounding, enum dtype dtype)
{
    return rounding->is_mixed && (dtype == DTYPE_F32 || dtype == DTYPE_F64);
}

double rounding_integer_limit(enum dtype dtype)
{
    return dtype == DTYPE_I32 ? 0x1p31 : dtype == DTYPE_I64 ? 0x1p63 : 0;
}

/*
 * bf16 has the widest spacings of the 16-bit types, except for small numbers, where f16 has wider
 * ones.
 */
struct rounding_storage rounding_storage_of(const struct rounding *rounding, enum dtype dtype)
{
    if (rounding->is_mixed)
        return (struct rounding_storage){DTYPE_BF16, dtype_spacing(DTYPE_F16, 0)};
    dtype = dtype == DTYPE_F64 ? DTYPE_F32 : dtype;
    return (struct rounding_storage){dtype, dtype_spacing(dtype, 0)};
}

/* The largest power of 2 that is not above |x|; 0 for subnormal numbers. */
static inline double power_below(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    bits &= UINT64_C(0x7ff) << 52;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

struct job {
    struct rounding_storage storage;
    double *rounded;
    enum dtype dtype;
    const double *x, *from;
    double *variance;
    float *allowed;
    bool keeps_zeros;
};

WIDE static void add_variances(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const double *x = job->x;
    double *variance = job->variance;
    double relative = dtype_spacing(job->storage.dtype, 1), smallest = job->storage.smallest;
    double of_zero = job->keeps_zeros ? 0 : smallest;

    for (size_t i = first; i < last; i++) {
        double spacing = power_below(x[i]) * relative;

        spacing = spacing > smallest ? spacing : smallest;
        spacing = x[i] == 0 ? of_zero : spacing;
        variance[i] += fabs(x[i]) <= DBL_MAX ? spacing * spacing / 12 : 0;
    }
}

void rounding_add(const struct rounding *rounding, enum dtype dtype, const double *x, size_t count,
                  double *variance)
{
    struct job job = {.storage = rounding_storage_of(rounding, dtype), .x = x};

    job.variance = variance;
    if (dtype_is_float(dtype))
        parallel_for(count, GRAIN, add_variances, &job);
}

void rounding_add_but_zeros(const struct rounding *rounding, enum dtype dtype, const double *x,
                            size_t count, double *variance)
{
    struct job job = {.storage = rounding_storage_of(rounding, dtype), .x = x};

    job.variance = variance;
    job.keeps_zeros = true;
    if (dtype_is_float(dtype))
        parallel_for(count, GRAIN, add_variances, &job);
}

/* bf16 has eight binary digits; f16 holds numbers of eight digits from 2^-17 to its largest one. */
bool rounding_is_short(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return x == 0 || (bits << 19 == 0 && fabs(x) >= 0x1p-17 && fabs(x) <= 65504);
}

void rounding_add_given(const struct rounding *rounding, enum dtype dtype, const double *x,
                        size_t count, double *variance)
{
    rounding_add(rounding, dtype, x, count, variance);
    for (size_t i = 0; i < count; i++)
        variance[i] = rounding_is_short(x[i]) ? 0 : variance[i];
}

double rounding_constant_variance(enum dtype dtype, double constant)
{
    double deviation;

    if (!dtype_is_float(dtype) || !(fabs(constant) <= (double)FLT_MAX))
        return 0;
    deviation = 2 * (constant - (double)(float)constant) / ROUNDING_DEVIATIONS;
    return deviation * deviation;
}

enum { BLOCK = 128 };

/*
 * Round a block of doubles to bf16: to the nearest, ties to even, by adding half a spacing to their
 * bits. Returns how many elements this does not hold for, because they are not finite, overflow, or
 * are subnormal numbers of bf16; then `out` is of no use.
 */
WIDE static double round_normal(const double *restrict x, double *restrict out)
{
    const int dropped = 52 - 7;
    double others = 0;

    for (size_t i = 0; i < BLOCK; i++) {
        double size = fabs(x[i]);
        uint64_t bits;

        memcpy(&bits, &x[i], sizeof(bits));
        bits += (UINT64_C(1) << (dropped - 1)) - 1 + (bits >> dropped & 1);
        bits &= ~((UINT64_C(1) << dropped) - 1);
        memcpy(&out[i], &bits, sizeof(bits));
        others += !(size == 0 || (size >= (double)FLT_MIN && size < 0x1p127));
    }
    return others;
}

static void round_elements(enum dtype dtype, size_t count, double *x)
{
    double stored[BLOCK];

    dtype_from_double(dtype, x, stored, count);
    dtype_to_double(dtype, stored, x, count);
}

static void apply(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    enum dtype dtype = job->storage.dtype;
    double out[BLOCK], smallest = job->storage.smallest, tiny = smallest / dtype_spacing(dtype, 1);

    for (size_t i = first, n; i < last; i += n) {
        double *x = job->rounded + i;

        n = last - i < BLOCK ? last - i : BLOCK;
        if (dtype == DTYPE_BF16 && n == BLOCK && round_normal(x, out) == 0)
            memcpy(x, out, sizeof(out));
        else
            round_elements(dtype, n, x);
        for (size_t k = 0; k < n; k++)
            x[k] = fabs(x[k]) < tiny ? rint(x[k] / smallest) * smallest : x[k];
    }
}

void rounding_apply(const struct rounding *rounding, enum dtype dtype, double *x, size_t count)
{
    struct job job = {.storage = rounding_storage_of(rounding, dtype)};

    job.rounded = x;
    if (dtype_is_float(dtype))
        parallel_for(count, GRAIN, apply, &job);
}

/* The elements whose standard deviations are in an octave, which repeats after 32. */
enum { OCTAVES = 32 };

struct octave {
    double squares, ratios; /* sums of errors squared, and of these over variances */
    double counted;         /* number of elements */
};

/* How the variances of an octave change: multiplied, then at most so large. */
struct fit {
    double factor, most;
};

/* Fewer elements do not tell how large the errors of an octave are. */
static const double fewest = 256;

/* How much larger the mean square of an element's error may be than that of its neighbourhood. */
static const double likeness = 16;

static size_t octave_of(double variance)
{
    uint64_t bits;

    memcpy(&bits, &variance, sizeof(bits));
    return bits >> 53 & (OCTAVES - 1);
}

static void add_octave(struct octave *sum, struct octave more)
{
    sum->squares += more.squares;
    sum->ratios += more.ratios;
    sum->counted += more.counted;
}

/* An octave with its two neighbours, and with further ones until they have `least` elements. */
static struct octave gather(const struct octave octaves[OCTAVES], size_t o, double least)
{
    struct octave near = octaves[o];

    for (size_t reach = 1; reach < OCTAVES / 2 && (reach == 1 || near.counted < least); reach++) {
        add_octave(&near, octaves[(o + reach) % OCTAVES]);
        add_octave(&near, octaves[(o + OCTAVES - reach) % OCTAVES]);
    }
    return near;
}

static double ratio_of(struct octave octave)
{
    return octave.counted > 0 ? octave.ratios / octave.counted : 0;
}

/* Few elements may increase variances, and only `enough` decrease them. */
static struct fit find_fit(struct octave all, struct octave near, struct octave enough,
                           double margin)
{
    double largest = fmax(ratio_of(all), ratio_of(near));
    double ratio = fmax(ratio_of(near), ratio_of(enough));

    if (largest > 1)
        return (struct fit){largest, (double)INFINITY};
    if (!(ratio > 0))
        return (struct fit){1, (double)INFINITY};
    return (struct fit){fmin(1, ratio * margin),
                        margin * likeness * enough.squares / enough.counted};
}

/* Add up the elements of each octave. */
static void count_octaves(const double *expected, const double *rounded, size_t count,
                          const double *variance, struct octave octaves[OCTAVES])
{
    for (size_t i = 0; i < count; i++) {
        double off = rounded[i] - expected[i], square = off * off;

        if (!isfinite(off) || !(variance[i] > 0) || !isfinite(variance[i]))
            continue;
        add_octave(&octaves[octave_of(variance[i])],
                   (struct octave){square, square / variance[i], 1});
    }
}

void rounding_fit(const double *expected, const double *rounded, size_t count, double margin,
                  double *variance)
{
    struct octave octaves[OCTAVES] = {0}, all = {0};
    struct fit fits[OCTAVES];

    count_octaves(expected, rounded, count, variance, octaves);
    for (size_t o = 0; o < OCTAVES; o++)
        add_octave(&all, octaves[o]);
    for (size_t o = 0; o < OCTAVES; o++)
        fits[o] = find_fit(all, gather(octaves, o, 0), gather(octaves, o, fewest), margin);
    for (size_t i = 0; i < count; i++) {
        const struct fit *fit = &fits[octave_of(variance[i])];

        variance[i] = fmin(variance[i] * fit->factor, fit->most);
    }
}

/* Devices may flush subnormal numbers of these types to zero. */
static double flushed(enum dtype dtype)
{
    return dtype == DTYPE_F32 || dtype == DTYPE_BF16 ? (double)FLT_MIN : 0;
}

double rounding_least(enum dtype dtype)
{
    return fmax(dtype_spacing(dtype, 0), flushed(dtype));
}

/*
 * Tolerances of integers are whole numbers. The addend prevents rounding errors from reducing them
 * by one.
 */
static void allow_integers(void *data, size_t first, size_t last)
{
    const struct job *job = data;

    for (size_t i = first; i < last; i++)
        job->allowed[i] =
            job->from[i] > 0 ? (float)floor(ROUNDING_DEVIATIONS * sqrt(job->from[i]) + 1e-6) : 0;
}

WIDE static void allow_floats(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const double *x = job->x, *from = job->from;
    float *allowed = job->allowed;
    double relative = dtype_spacing(job->dtype, 1);
    double smallest = rounding_least(job->dtype);

    for (size_t i = first; i < last; i++) {
        double spacing = power_below(x[i]) * relative;
        double off = ROUNDING_DEVIATIONS * sqrt(fabs(from[i]));

        off += spacing > smallest ? spacing : smallest;
        off = off < (double)FLT_MAX ? off : (double)FLT_MAX;
        allowed[i] = (float)copysign(off, from[i]);
    }
}

void rounding_allow(enum dtype dtype, const double *expected, const double *variance, size_t count,
                    float *allowed)
{
    struct job job = {.dtype = dtype, .x = expected, .from = variance};

    job.allowed = allowed;
    parallel_for(count, GRAIN, dtype_is_float(dtype) ? allow_floats : allow_integers, &job);
}

float *rounding_allowed(const struct value *output, const double *expected, const double *variance)
{
    size_t count = (size_t)shape_elements(&output->shape);
    float *allowed = mem_alloc_zeroed(count, sizeof(*allowed));

    rounding_allow(output->dtype, expected, variance, count, allowed);
    return allowed;
}
