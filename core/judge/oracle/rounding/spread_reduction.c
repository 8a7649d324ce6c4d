#include "core/judge/oracle/rounding/spread_reduction.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/choice/choice.h"
#include "core/judge/oracle/rounding/spread_sum.h"

/*
 * The variance that a sum inherits from its terms. An implementation may sum earlier than the graph
 * does, for example the rows of x instead of those of x w. All terms then share their errors, which
 * no longer cancel. Class f32 allows for this; in class mixed the errors would be too large.
 */
static double inherit(const struct spread_line *line)
{
    double variances = 0, deviations = 0;

    for (size_t i = 0; i < line->values.n; i++) {
        variances += line->variance[i];
        deviations += sqrt(line->variance[i]);
    }
    return line->is_mixed ? variances : deviations * deviations;
}

/* The variance of the error of a float32 sum of `factor` times the elements, divided by it. */
static double sum_scaled(const struct spread_line *line, double factor)
{
    struct spread_sum sum = {0};

    for (size_t i = 0; i < line->values.n; i++)
        spread_sum_add(&sum, line->values.x[i] * factor);
    spread_sum_turn(&sum, line->values.x, line->values.n, factor);
    return line->is_integer ? 0 : spread_sum_variance(&sum) / (factor * factor);
}

void spread_reduction_sum(const struct spread_line *line, double *variance)
{
    *variance = isfinite(*line->y) ? inherit(line) + sum_scaled(line, 1) : 0;
}

/* Kernels divide the sum or each element, and equal ones round in another way then. */
void spread_reduction_mean(const struct spread_line *line, double *variance)
{
    double n = (double)line->values.n, own = 0;

    if (isfinite(*line->y))
        own = inherit(line) + fmax(sum_scaled(line, 1), sum_scaled(line, 1 / n));
    *variance = own / (n * n);
}

/* Element i times a sign, as if it was not left out. */
static double number_of(const struct spread_line *line, size_t i, double sign)
{
    bool has_list = line->names && line->names[i] != 0;

    return sign * (has_list ? choice_kept(choices_list(line->choices, line->names[i]))
                            : line->values.x[i]);
}

/* True if a condition that is uncertain may leave the element out (choice.h). */
static bool may_be_out(const struct spread_line *line, size_t i)
{
    return line->names && line->names[i] != 0;
}

/*
 * A line of which the largest or smallest element is sought. Another element may be it if no rival
 * is larger by more than the error bound of the difference.
 */
struct contest {
    double rivals[2], variances[2]; /* the largest one, and the one with the largest lower bound */
    bool takes_part; /* elements that may be left out: fewer are left out than may be */
};

/* Count a number as a rival. */
static void add_rival(struct contest *contest, double number, double variance)
{
    double least = number - ROUNDING_DEVIATIONS * sqrt(variance);
    double sure = contest->rivals[1] - ROUNDING_DEVIATIONS * sqrt(contest->variances[1]);

    if (number > contest->rivals[0]) {
        contest->rivals[0] = number;
        contest->variances[0] = variance;
    }
    if (least > sure) {
        contest->rivals[1] = number;
        contest->variances[1] = variance;
    }
}

/*
 * Of those that may be left out, as many are left out as in the exact result. At worst these are
 * the largest ones, so that the next one is a rival.
 */
static void add_rival_of_out(const struct spread_line *line, double sign, size_t out,
                             struct contest *contest)
{
    double before = (double)INFINITY;
    size_t best = 0;

    for (size_t rank = 0; rank <= out; rank++) {
        double next = (double)-INFINITY;

        for (size_t i = 0; i < line->values.n; i++) {
            double number = number_of(line, i, sign);

            if (may_be_out(line, i) && number < before && number > next) {
                next = number;
                best = i;
            }
        }
        before = next;
    }
    if (isfinite(before))
        add_rival(contest, before, line->variance[best]);
}

static struct contest contest_of(const struct spread_line *line, double sign)
{
    struct contest contest = {.rivals = {(double)-INFINITY, (double)-INFINITY}};
    size_t may = 0, out = 0;

    for (size_t i = 0; i < line->values.n; i++) {
        if (!may_be_out(line, i))
            add_rival(&contest, sign * line->values.x[i], line->variance[i]);
        else if (++may)
            out += choice_leaves_out(line->values.x[i]);
    }
    contest.takes_part = may > out;
    if (contest.takes_part)
        add_rival_of_out(line, sign, out, &contest);
    return contest;
}

/* True if the element may be the largest one. */
static bool may_win(const struct spread_line *line, const struct contest *contest, size_t i,
                    double sign)
{
    double number = number_of(line, i, sign);
    bool wins = contest->takes_part || !may_be_out(line, i);

    for (size_t k = 0; k < 2; k++)
        wins &= !(contest->rivals[k] - number >
                  ROUNDING_DEVIATIONS * sqrt(contest->variances[k] + line->variance[i]));
    return wins;
}

static void spread_extreme(const struct spread_line *line, double sign, double *variance)
{
    struct contest contest = contest_of(line, sign);
    double most = 0;

    for (size_t i = 0; i < line->values.n; i++) {
        double off = may_be_out(line, i) ? number_of(line, i, sign) - sign * *line->y : 0;
        double far = off * ROUNDING_FLIP / ROUNDING_DEVIATIONS;
        double wide = line->variance[i] + far * far;

        if (wide > most && may_win(line, &contest, i, sign))
            most = wide;
    }
    *variance = most;
}

void spread_reduction_max(const struct spread_line *line, double *variance)
{
    spread_extreme(line, 1, variance);
}

void spread_reduction_min(const struct spread_line *line, double *variance)
{
    spread_extreme(line, -1, variance);
}

size_t spread_reduction_places(const struct spread_line *line, double sign, double *places)
{
    struct contest contest = contest_of(line, sign);
    double best = *line->y;
    bool is_sure = line->variance[(size_t)best] == 0;
    size_t count = 0;

    for (size_t i = 0; i < line->values.n; i++) {
        bool changes = line->variance[i] > 0 || may_be_out(line, i) || !is_sure;

        if ((double)i == best || (changes && may_win(line, &contest, i, sign)))
            places[count++] = (double)i;
    }
    return count;
}

/* The variance of an index. Exact elements cannot change places: of equal ones the first counts. */
static void spread_place(const struct spread_line *line, double sign, double *variance)
{
    double *places = mem_alloc_zeroed(line->values.n + 1, sizeof(*places)), far = 0;
    size_t count = spread_reduction_places(line, sign, places);

    for (size_t i = 0; i < count; i++)
        far = fmax(far, fabs(places[i] - *line->y));
    *variance = far * far / (ROUNDING_DEVIATIONS * ROUNDING_DEVIATIONS);
    free(places);
}

void spread_reduction_argmax(const struct spread_line *line, double *variance)
{
    spread_place(line, 1, variance);
}

void spread_reduction_argmin(const struct spread_line *line, double *variance)
{
    spread_place(line, -1, variance);
}

void spread_reduction_prod(const struct spread_line *line, double *variance)
{
    struct spread_product p = {.product = 1};

    for (size_t i = 0; i < line->values.n; i++)
        spread_product_multiply(&p, line->values.x[i], line->variance[i], line->is_integer);
    *variance = isfinite(p.product) ? spread_product_variance(&p) : 0;
}

void spread_reduction_var(const struct spread_line *line, double *variance)
{
    double n = (double)line->values.n;
    double freedom = n - (double)line->values.attributes[2].integers[0];
    struct spread_moments m =
        spread_moments_of(line->values.x, line->variance, line->values.n, true);
    double factor = n / freedom;

    *variance = isfinite(*line->y) ? m.square_variance * factor * factor : 0;
}

/*
 * Errors of x are weighted by the softmax; those of the sum and the logarithm are added as they
 * are. The errors of x may be one error that all of them share, that of a mean that was subtracted,
 * so in class f32 they are added like those of a sum.
 */
void spread_reduction_logsumexp(const struct spread_line *line, double *variance)
{
    double y = *line->y, off = 0, most = 0, variances = 0, deviations = 0;

    for (size_t i = 0; i < line->values.n && isfinite(y); i++) {
        double x = line->values.x[i], share = exp(x - y);

        if (share == 0)
            continue;
        off += share * share * ROUNDING_VARIANCE * x * x;
        variances += share * share * line->variance[i];
        deviations += share * sqrt(line->variance[i]);
        most = fmax(most, fabs(x));
    }
    most = ROUNDING_UNIT * (4 * most + 6 * fabs(y) + 6) / ROUNDING_DEVIATIONS;
    if (isfinite(y))
        off += (line->is_mixed ? variances : deviations * deviations) +
               spread_shares_variance_of(line->values.x, line->values.n, y) + most * most;
    *variance = isfinite(y) ? off : 0;
}
