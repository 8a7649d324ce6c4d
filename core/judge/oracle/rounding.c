#include "core/judge/oracle/rounding.h"

#include <float.h>
#include <math.h>

#include "core/base/mem.h"
#include "core/system/parallel.h"

enum { GRAIN = 1 << 14 };

bool rounding_of(const struct tolerance *tolerance, struct rounding *rounding)
{
    rounding->is_mixed = tolerance->allows_mixed;
    return tolerance->is_derived;
}

bool rounding_changes_given(const struct rounding *rounding, enum dtype dtype)
{
    return rounding->is_mixed && (dtype == DTYPE_F32 || dtype == DTYPE_F64);
}

/* Spacings of the type that a value may be stored in. */
struct storage {
    enum dtype dtype;
    double smallest;
};

/* bf16 has the widest spacings of the 16-bit types, but for small numbers, where f16 has. */
static struct storage storage_of(const struct rounding *rounding, enum dtype dtype)
{
    if (rounding->is_mixed)
        return (struct storage){DTYPE_BF16, dtype_spacing(DTYPE_F16, 0)};
    return (struct storage){dtype == DTYPE_F64 ? DTYPE_F32 : dtype, 0};
}

struct job {
    struct storage storage;
    double *rounded;
    enum dtype dtype;
    const double *x, *from;
    double *variance;
    float *allowed;
};

static void add_variances(void *data, size_t first, size_t last)
{
    const struct job *job = data;

    for (size_t i = first; i < last; i++) {
        double half = fmax(dtype_spacing(job->storage.dtype, job->x[i]), job->storage.smallest) / 2;

        job->variance[i] += isfinite(job->x[i]) ? half * half / 3 : 0;
    }
}

void rounding_add(const struct rounding *rounding, enum dtype dtype, const double *x, size_t count,
                  double *variance)
{
    struct job job = {.storage = storage_of(rounding, dtype), .x = x, .variance = variance};

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
    struct job job = {.storage = storage_of(rounding, dtype), .rounded = x};

    if (dtype_is_float(dtype))
        parallel_for(count, GRAIN, apply, &job);
}

void rounding_widen(const double *expected, const double *rounded, size_t count, double *variance)
{
    double ratios = 0;
    size_t counted = 0;

    for (size_t i = 0; i < count; i++) {
        double off = rounded[i] - expected[i];

        if (!isfinite(off) || !(variance[i] > 0) || !isfinite(variance[i]))
            continue;
        ratios += off * off / variance[i];
        counted++;
    }
    if (counted == 0 || !(ratios > (double)counted))
        return;
    for (size_t i = 0; i < count; i++)
        variance[i] *= ratios / (double)counted;
}

/* Devices may flush subnormal numbers of these types to zero. */
static double flushed(enum dtype dtype)
{
    return dtype == DTYPE_F32 || dtype == DTYPE_BF16 ? (double)FLT_MIN : 0;
}

/* An integer is off by whole numbers; the addend keeps those that rounding made a little less. */
static double allow(enum dtype dtype, double expected, double variance)
{
    double off = variance > 0 ? ROUNDING_DEVIATIONS * sqrt(variance) : 0;

    if (!dtype_is_float(dtype))
        return floor(off + 1e-6);
    return off + fmax(dtype_spacing(dtype, expected), flushed(dtype));
}

static void allow_elements(void *data, size_t first, size_t last)
{
    const struct job *job = data;

    for (size_t i = first; i < last; i++)
        job->allowed[i] = (float)fmin(allow(job->dtype, job->x[i], job->from ? job->from[i] : 0),
                                      (double)FLT_MAX);
}

float *rounding_allowed(const struct value *output, const double *expected, const double *variance)
{
    size_t count = (size_t)shape_elements(&output->shape);
    float *allowed = mem_alloc_zeroed(count, sizeof(*allowed));
    struct job job = {.dtype = output->dtype, .x = expected, .from = variance, .allowed = allowed};

    parallel_for(count, GRAIN, allow_elements, &job);
    return allowed;
}
