#include "core/judge/oracle/rounding/alike.h"

#include <math.h>
#include <stdint.h>

#include "core/base/mem.h"
#include "core/judge/oracle/rounding/rounding.h"
#include "core/system/parallel.h"

/* Numbers are frequent from so many in a sample on. */
enum { LEAST_COUNT = 4 };

/*
 * Terms are as good as equal if they differ by less than the spacing of their sum, but no random
 * numbers are.
 */
static double nearness(double terms)
{
    return fmin(terms * 0x1p-26, 0x1p-12);
}

static size_t count_near(const double *sample, double number, double near)
{
    size_t count = 0;

    for (size_t i = 0; i < ALIKE_SAMPLE; i++)
        count += fabs(sample[i] - number) <= near * fabs(number);
    return count;
}

/* The share, with the standard deviation of the estimate. */
static double share_of(size_t count)
{
    return fmin((double)(count + 4) / ALIKE_SAMPLE, 1);
}

/* Multiples of the golden ratio spread evenly over any row, whatever its period is. */
static size_t place_of(size_t i, size_t n)
{
    return (size_t)((uint64_t)((uint32_t)i * 2654435769u) * n >> 32);
}

struct alike alike_of(const double *x, const struct alike_rows *rows, size_t row, double terms)
{
    double sample[ALIKE_SAMPLE], near = nearness(terms);
    struct alike alike = {0};
    size_t most = LEAST_COUNT - 1;

    if (terms < ALIKE_LEAST_TERMS || rows->n < ALIKE_LEAST_TERMS)
        return alike;
    for (size_t i = 0; i < ALIKE_SAMPLE; i++)
        sample[i] = x[row * rows->row_step + place_of(i, rows->n) * rows->step];
    for (size_t i = 0; i < ALIKE_SAMPLE; i++) {
        size_t count =
            sample[i] != 0 && isfinite(sample[i]) ? count_near(sample, sample[i], near) : 0;

        if (count > most) {
            most = count;
            alike = (struct alike){share_of(count), fabs(sample[i])};
        }
    }
    return alike;
}

struct job {
    const double *x;
    const struct alike_rows *rows;
    size_t size;
    double terms;
    struct alike *to;
};

static void find_rows(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    size_t rows = job->rows->rows;

    for (size_t i = first; i < last; i++)
        job->to[i] = alike_of(job->x + i / rows * job->size, job->rows, i % rows, job->terms);
}

struct alike *alike_of_all(const double *x, const struct alike_rows *rows, size_t matrices,
                           size_t size, double terms)
{
    size_t count = matrices * rows->rows;
    struct job job = {x, rows, size, terms, mem_alloc_zeroed(count + 1, sizeof(*job.to))};

    parallel_for(count, 1 << 6, find_rows, &job);
    return job.to;
}

/*
 * The sum grows from 0 to its total, or to what the equal terms alone add up to, so its spacing is
 * half as large in the mean. No error is larger than the term.
 */
double alike_variance(struct alike a, struct alike b, double terms, double total, double squares)
{
    double count = fmin(a.share, b.share) * terms, term = a.number * b.number, sum, off;

    if (!(count > 0))
        return 0;
    sum = fmax(fabs(total), fmin(count * term, sqrt(count * squares)));
    off = count * fmin(ROUNDING_UNIT * sum / 2, term) / ROUNDING_DEVIATIONS;
    return isfinite(off) ? off * off : 0;
}
