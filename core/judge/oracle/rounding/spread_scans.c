#include <math.h>

#include "core/judge/oracle/rounding/row_order.h"
#include "core/judge/oracle/rounding/spread_rowwise.h"

/*
 * Any element so far may be the largest one if it reaches what the largest one surely is. An
 * element that surely exceeds them all leaves no other.
 */
void spread_rowwise_cummax(const struct spread_line *line, double *variance)
{
    double sure = (double)-INFINITY, reach = (double)-INFINITY, widest = 0;

    for (size_t i = 0; i < line->values.n; i++) {
        double x = line->values.x[i], off = ROUNDING_DEVIATIONS * sqrt(line->variance[i]);

        if (x - off > reach) {
            reach = x + off;
            widest = line->variance[i];
        } else if (x + off >= sure) {
            reach = fmax(reach, x + off);
            widest = fmax(widest, line->variance[i]);
        }
        sure = fmax(sure, x - off);
        variance[i] = widest;
    }
}

/* The sums of a running logarithm of exponentials, relative to that of the largest element. */
struct running {
    double most, total;           /* the largest element; the sum */
    double variances, deviations; /* of the terms, by the elements' variances */
    double own;                   /* the variance of the result so far */
    double result, farthest;
    float loop; /* the result of a plain float loop, and its largest error */
    double drift;
};

static void rise(struct running *r, double x)
{
    double less = isfinite(r->most) ? exp(r->most - x) : 0;

    r->total *= less;
    r->variances *= less * less;
    r->deviations *= less;
    r->most = x;
}

/* A step of the loop that libraries write: the logarithm of the sum of two exponentials. */
static float log_add(float a, float b)
{
    float most = fmaxf(a, b);

    float share = (float)exp(-(double)fabsf(a - b));

    return a == b && isinf(a) ? most : most + (float)log1p((double)share);
}

/* The result so far is rounded at each step, and its error shrinks as its share in the sum does. */
static void add(struct running *r, double x, double variance, double y)
{
    double term = exp(x - r->most), kept = isfinite(r->result) ? exp(r->result - y) : 0, off;

    r->total += term;
    r->variances += term * term * (variance + ROUNDING_VARIANCE * x * x);
    r->deviations += term * sqrt(variance);
    r->farthest = fmax(r->farthest, fabs(x));
    off = ROUNDING_UNIT * (4 * r->farthest + 6 * fabs(y) + 6) / ROUNDING_DEVIATIONS;
    r->own = fmax(kept * kept * r->own + ROUNDING_VARIANCE * (1 + y * y), off * off);
    r->result = y;
    r->loop = log_add(r->loop, (float)x);
    r->drift = fmax(r->drift * kept, fabs((double)r->loop - y));
}

/*
 * The errors of x are weighted by the shares in the sum, as in spread_reduction_logsumexp(). An
 * element that is -inf adds nothing, and the result keeps its error.
 */
void spread_rowwise_logcumsumexp(const struct spread_line *line, double *variance)
{
    struct running r = {.most = (double)-INFINITY, .result = (double)-INFINITY, .loop = -INFINITY};

    for (size_t i = 0; i < line->values.n; i++) {
        double x = line->values.x[i], given = line->variance[i], y = line->y[i], inherited, drift;

        variance[i] = 0;
        if (!isfinite(y))
            continue;
        if (x > r.most)
            rise(&r, x);
        if (isfinite(x))
            add(&r, x, given, y);
        inherited = (line->is_mixed ? r.variances : r.variances + r.deviations * r.deviations) /
                    (r.total * r.total);
        drift = isfinite(r.drift) ? 2 * r.drift / ROUNDING_DEVIATIONS : 0;
        variance[i] = inherited + r.own + drift * drift;
    }
}

/* The variances of places while they are found. */
struct places {
    const double *order;
    double *variance;
};

static void spread_place(void *data, size_t place, const double *elements, size_t count)
{
    const struct places *places = data;
    double far = 0;

    for (size_t i = 0; i < count; i++)
        far = fmax(far, fabs(elements[i] - places->order[place]));
    places->variance[place] = far * far / (ROUNDING_DEVIATIONS * ROUNDING_DEVIATIONS);
}

void spread_rowwise_argsort(const struct spread_line *line, double *variance)
{
    struct places places = {line->y, variance};

    for (size_t i = 0; i < line->values.n; i++)
        variance[i] = 0;
    row_order_choices(line, line->y, spread_place, &places);
}
