#include "core/judge/oracle/rounding.h"

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
};

WIDE static void add_variances(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const double *x = job->x;
    double *variance = job->variance;
    double relative = dtype_spacing(job->storage.dtype, 1), smallest = job->storage.smallest;

    for (size_t i = first; i < last; i++) {
        double spacing = power_below(x[i]) * relative;

        spacing = spacing > smallest ? spacing : smallest;
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

static void apply(void *data, size_t first, size_t last)
{
    const struct job *job = data;

    for (size_t i = first; i < last; i++) {
        uint64_t bits = 0;

        dtype_from_double(job->storage.dtype, &job->rounded[i], &bits, 1);
        dtype_to_double(job->storage.dtype, &bits, &job->rounded[i], 1);
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
    double ratios, counted; /* sum of errors squared over variances, and their number */
};

static size_t octave_of(double variance)
{
    uint64_t bits;

    memcpy(&bits, &variance, sizeof(bits));
    return bits >> 53 & (OCTAVES - 1);
}

/* The factor by which the errors of these elements change their variances. */
static double factor_of(struct octave octave, double margin)
{
    double ratio = octave.counted > 0 ? octave.ratios / octave.counted : 1;

    return ratio > 1 ? ratio : fmin(1, ratio * margin);
}

static void add_octave(struct octave *sum, struct octave more)
{
    sum->ratios += more.ratios;
    sum->counted += more.counted;
}

/*
 * The factors of the variances by octave: the larger of the factor of all elements and that of the
 * octave with its two neighbours. 1 if no element has an error.
 */
static void find_factors(const struct octave octaves[OCTAVES], double margin,
                         double factors[OCTAVES])
{
    struct octave all = {0};

    for (size_t o = 0; o < OCTAVES; o++)
        add_octave(&all, octaves[o]);
    for (size_t o = 0; o < OCTAVES; o++) {
        struct octave near = octaves[o];

        add_octave(&near, octaves[(o + 1) % OCTAVES]);
        add_octave(&near, octaves[(o + OCTAVES - 1) % OCTAVES]);
        factors[o] = all.ratios > 0 ? fmax(factor_of(all, margin), factor_of(near, margin)) : 1;
    }
}

void rounding_fit(const double *expected, const double *rounded, size_t count, double margin,
                  double *variance)
{
    struct octave octaves[OCTAVES] = {0};
    double factors[OCTAVES];

    for (size_t i = 0; i < count; i++) {
        double off = rounded[i] - expected[i];

        if (!isfinite(off) || !(variance[i] > 0) || !isfinite(variance[i]))
            continue;
        add_octave(&octaves[octave_of(variance[i])], (struct octave){off * off / variance[i], 1});
    }
    find_factors(octaves, margin, factors);
    for (size_t i = 0; i < count; i++)
        variance[i] *= factors[octave_of(variance[i])];
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
        double off = from[i] > 0 ? ROUNDING_DEVIATIONS * sqrt(from[i]) : 0;

        off += spacing > smallest ? spacing : smallest;
        allowed[i] = off < (double)FLT_MAX ? (float)off : FLT_MAX;
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
