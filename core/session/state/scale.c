#include "core/session/state/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/steadiness.h"
#include "core/model/baseline_label.h"
#include "core/session/state/changes.h"

/* Half of the width of an interval of 95 %, in standard deviations. */
static const double half_width = 1.96;

/* The least variance of a logarithm: no ratio is known better than to 0.01 %. */
static const double least_variance = 1e-8;

/*
 * An estimate of the logarithm of a ratio, with the variances of the parts below and above it.
 * Variances below 0 are unknown.
 */
struct log_ratio {
    double log, below, above;
};

static bool is_known(struct log_ratio r)
{
    return r.below >= 0;
}

/* The variance for weights, by the whole width of the interval. */
static double variance_of(struct log_ratio r)
{
    double deviation = (sqrt(r.below) + sqrt(r.above)) / 2;

    return deviation * deviation;
}

/* The variance of an interval's part that ends at this factor of the value. */
static double variance_to(double factor)
{
    double deviation = log(factor) / half_width;

    return factor > 1 ? fmax(deviation * deviation, least_variance) : least_variance;
}

static struct log_ratio log_of(struct ratio ratio)
{
    if (ratio.low <= 0 || !isfinite(ratio.high))
        return (struct log_ratio){log(ratio.value), -1, -1};
    return (struct log_ratio){log(ratio.value), variance_to(ratio.value / ratio.low),
                              variance_to(ratio.high / ratio.value)};
}

static struct ratio ratio_of(struct log_ratio r)
{
    double value = exp(r.log);

    if (!is_known(r))
        return (struct ratio){value, 0, (double)INFINITY};
    return (struct ratio){value, value * exp(-half_width * sqrt(r.below)),
                          value * exp(half_width * sqrt(r.above))};
}

/* The speed of an attempt on the scale. The speed of the first one has no error. */
static struct log_ratio speed_of(const struct attempt *attempt)
{
    const struct ratio *speed = &attempt->speed;
    bool is_first = speed->value == 1 && speed->low == 1 && speed->high == 1;

    return is_first ? (struct log_ratio){0, 0, 0} : log_of(attempt->speed);
}

static struct log_ratio product(struct log_ratio a, struct log_ratio b)
{
    if (!is_known(a) || !is_known(b))
        return (struct log_ratio){a.log + b.log, -1, -1};
    return (struct log_ratio){a.log + b.log, a.below + b.below, a.above + b.above};
}

static struct log_ratio inverse(struct log_ratio r)
{
    return (struct log_ratio){-r.log, r.above, r.below};
}

/* The ratio to the power of a weight between 0 and 1. */
static struct log_ratio weighted(struct log_ratio r, double weight)
{
    return (struct log_ratio){weight * r.log, weight * weight * r.below, weight * weight * r.above};
}

static bool is_placed(const struct attempt *attempt)
{
    return attempt && attempt->speed.value > 0;
}

const struct attempt *scale_first(const struct session *session)
{
    for (size_t i = 0; i < session->attempts.count; i++)
        if (is_placed(&session->attempts.items[i]))
            return &session->attempts.items[i];
    return NULL;
}

bool scale_is_faster(const struct attempt *a, const struct attempt *b)
{
    return a->speed.value > b->speed.value;
}

/* The quotient of the measured times. */
static struct ratio quotient(const struct attempt *base, const struct attempt *attempt)
{
    const struct estimate *other = &base->measured, *own = &attempt->measured;
    bool has_interval = own->low_us > 0 && other->low_us > 0;

    return (struct ratio){other->median_us / own->median_us,
                          has_interval ? other->low_us / own->high_us : 0,
                          has_interval ? other->high_us / own->low_us : (double)INFINITY};
}

/* The measured ratios by which an attempt is placed on the scale. */
struct placing {
    const struct attempt *first, *best; /* NULL: no such attempt is on the scale */
    struct ratio over_best, over_first; /* value 0: not timed in turn */
};

/* Old journals have no upper end of the interval: take its logarithm as symmetric. */
static struct ratio measured(double value, double low, double high)
{
    if (!isfinite(value) || value <= 0)
        return (struct ratio){0};
    if (high <= 0)
        high = low > 0 ? value * value / low : (double)INFINITY;
    return (struct ratio){value, low, high};
}

static struct placing placing_of(const struct session *session, const struct attempt *attempt,
                                 const struct evaluation_finished *finished)
{
    unsigned partner = finished->timed_with ? finished->timed_with : session->now.best;
    struct placing p = {.first = scale_first(session), .best = session_attempt(session, partner)};

    if (!is_placed(p.best) || p.best == attempt)
        p.best = NULL;
    if (finished->has_gain)
        p.over_best = measured(finished->gain, finished->gain_low, finished->gain_high);
    if (finished->has_first_gain)
        p.over_first =
            measured(finished->first_gain, finished->first_gain_low, finished->first_gain_high);
    return p;
}

/* True if no part of the interval of `a` is wider than that of `b`. */
static bool is_narrower(struct log_ratio a, struct log_ratio b)
{
    return is_known(a) && is_known(b) && a.below <= b.below && a.above <= b.above;
}

/*
 * The ratio to the first attempt as a second estimate of the gain and the speed. With the weight w
 * of the direct one, the error of the speed is the error of w (best + direct) + (1 - w) first,
 * where the three are independent. Where an interval would become wider on one side, the direct
 * estimate stays alone: then the result is false.
 */
static bool refine(const struct placing *p, struct log_ratio *gain, struct log_ratio *speed)
{
    struct log_ratio best = speed_of(p->best), first = log_of(p->over_first);
    struct log_ratio around = product(first, inverse(best)), both;
    double w;

    if (!is_known(around) || !is_known(*gain))
        return false;
    w = variance_of(around) / (variance_of(around) + variance_of(*gain));
    both = product(weighted(*gain, w), weighted(around, 1 - w));
    if (!is_narrower(both, *gain))
        return false;
    *speed = product(weighted(product(best, *gain), w), weighted(first, 1 - w));
    *gain = both;
    return true;
}

/*
 * Set gain and speed of an attempt that was timed with the best. There are one or two estimates of
 * the gain: the ratio to the best, and the ratio to the first divided by the best one's speed. A
 * single estimate stays as it was measured.
 */
static void place_by_best(const struct placing *p, struct attempt *attempt)
{
    struct ratio gain = p->over_best.value > 0 ? p->over_best : quotient(p->best, attempt);
    struct log_ratio mean = log_of(gain), speed = product(speed_of(p->best), mean);

    attempt->speed = p->best == p->first ? gain : ratio_of(speed);
    if (p->over_first.value > 0 && p->best != p->first && refine(p, &mean, &speed)) {
        gain = ratio_of(mean);
        attempt->speed = ratio_of(speed);
    }
    attempt->timed_with = p->best->number;
    attempt->gain = gain.value;
    attempt->gain_low = gain.low;
    attempt->gain_high = gain.high;
}

/* The time on the scale. Its interval includes the error of the first attempt's time. */
static struct estimate time_of(const struct session *session, const struct attempt *attempt)
{
    const struct estimate *base = &scale_first(session)->measured;
    struct ratio time = {base->median_us, base->low_us, base->high_us};

    time = ratio_of(product(log_of(time), inverse(speed_of(attempt))));
    return (struct estimate){time.value, time.low, isfinite(time.high) ? time.high : 0};
}

void scale_count_baseline(struct session *session, const struct attempt *attempt,
                          const struct baselines_timed *timed)
{
    const struct ratio speedup = {timed->speedup, timed->speedup_low, timed->speedup_high};
    const char *name = timed->over;
    struct log_ratio us = product(speed_of(attempt), log_of(speedup));
    double weight = is_known(us) ? 1 / variance_of(us) : 1;
    struct scale_baseline *at = NULL;

    us.log = log(attempt->time.median_us) + log(timed->speedup);
    for (size_t i = 0; i < session->baselines.count; i++)
        if (strcmp(session->baselines.items[i].name, name) == 0)
            at = &session->baselines.items[i];
    if (!at) {
        changes_push(session, baselines,
                     ((struct scale_baseline){.name = session_keep(session, name)}));
        at = &session->baselines.items[session->baselines.count - 1];
    }
    changes_note(session, at);
    at->weight += weight;
    at->precision += is_known(us) ? weight : 0;
    at->log_us += (us.log - at->log_us) * weight / at->weight;
}

/* Set the speed of an attempt, and its gain if it was timed in turn with a best attempt. */
static void place(const struct placing *p, const struct session *session, struct attempt *attempt)
{
    if (!p->first) {
        attempt->speed = (struct ratio){1, 1, 1};
        return;
    }
    if (p->best)
        place_by_best(p, attempt);
    else
        attempt->speed = p->over_first.value > 0 ? p->over_first : quotient(p->first, attempt);
    attempt->time = time_of(session, attempt);
}

void scale_place(struct session *session, struct attempt *attempt,
                 const struct evaluation_finished *finished)
{
    const struct placing p = placing_of(session, attempt, finished);
    bool is_timed = isfinite(finished->median_us) && finished->median_us > 0;
    bool is_correct = finished->outcome == OUTCOME_CORRECT;

    attempt->time = (struct estimate){finished->median_us, finished->low_us, finished->high_us};
    /*
     * All places depend on the first attempt's, so the first keeps its place if it is judged again.
     */
    if (p.first == attempt) {
        attempt->time = is_timed ? attempt->measured : (struct estimate){0};
    } else {
        attempt->measured = attempt->time;
        attempt->speed = (struct ratio){0};
        attempt->gain = attempt->gain_low = attempt->gain_high = 0;
        attempt->timed_with = 0;
        if (is_timed && (p.first || is_correct))
            place(&p, session, attempt);
    }
    if (attempt->speed.value > 0 && is_timed && is_correct && isfinite(finished->speedup) &&
        finished->speedup > 0)
        scale_count_baseline(
            session, attempt,
            &(struct baselines_timed){.over = finished->over ? finished->over : BASELINE_PLAIN,
                                      .speedup = finished->speedup,
                                      .speedup_low = finished->speedup_low,
                                      .speedup_high = finished->speedup_high});
}

static const struct scale_baseline *find_strongest(const struct session *session)
{
    const struct scale_baseline *strongest = NULL;

    for (size_t i = 0; i < session->baselines.count; i++)
        if (!strongest || session->baselines.items[i].log_us < strongest->log_us)
            strongest = &session->baselines.items[i];
    return strongest;
}

const char *scale_strongest(const struct session *session)
{
    const struct scale_baseline *strongest = find_strongest(session);

    return strongest ? strongest->name : NULL;
}

double scale_baseline_us(const struct session *session, const char *name)
{
    for (size_t i = 0; i < session->baselines.count; i++)
        if (strcmp(session->baselines.items[i].name, name) == 0)
            return exp(session->baselines.items[i].log_us);
    return 0;
}

double scale_speedup(const struct session *session, const struct attempt *attempt)
{
    const struct scale_baseline *strongest = find_strongest(session);

    return strongest && attempt->time.median_us > 0
               ? exp(strongest->log_us) / attempt->time.median_us
               : 0;
}

struct ratio scale_speedup_ratio(const struct session *session, const struct attempt *attempt)
{
    const struct scale_baseline *strongest = find_strongest(session);
    double speedup = scale_speedup(session, attempt);
    struct log_ratio baseline, own;

    if (speedup <= 0)
        return (struct ratio){0};
    own = speed_of(attempt);
    own.log = 0;
    baseline.log = log(speedup);
    baseline.below = baseline.above = strongest->precision > 0 ? 1 / strongest->precision : -1;
    return ratio_of(product(baseline, own));
}

static bool is_unsteady(const struct session *session, const struct attempt *attempt)
{
    struct ratio speedup = scale_speedup_ratio(session, attempt);

    return steadiness_is_lost(speedup.low, speedup.high);
}

const char *scale_format_speedup(char text[FORMAT_SIZE], const struct session *session,
                                 const struct attempt *attempt)
{
    char speedup[FORMAT_SIZE];

    snprintf(text, FORMAT_SIZE, "%.16s%s", format_speedup(speedup, scale_speedup(session, attempt)),
             is_unsteady(session, attempt) ? UNSTEADY_MARK : "");
    return text;
}

void scale_describe(const struct session *session, const struct attempt *attempt,
                    struct strbuf *out)
{
    double speedup = scale_speedup(session, attempt);
    char text[FORMAT_SIZE];

    if (attempt->time.median_us <= 0)
        return;
    strbuf_adds(out, format_time(text, attempt->time.median_us));
    if (speedup > 0)
        strbuf_addf(out, ", %s over %s%s", format_speedup(text, speedup),
                    baseline_phrase(scale_strongest(session)),
                    is_unsteady(session, attempt) ? " (" UNSTEADY_WORD ")" : "");
}

void scale_describe_result(const struct session *session, const struct attempt *attempt,
                           struct strbuf *out)
{
    if (attempt->outcome == OUTCOME_CORRECT && attempt->time.median_us > 0)
        scale_describe(session, attempt, out);
    else if (attempt->detail)
        strbuf_adds(out, attempt->detail);
}
