#include "core/session/state/scaled_verdict.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/model/baseline_label.h"
#include "core/session/state/scale.h"

static void scale_timing(struct timing *timing, const struct attempt *attempt, double factor)
{
    timing->time = attempt->time;
    timing->p10_us *= factor;
    timing->p90_us *= factor;
    timing->prepare_us *= factor;
    for (size_t i = 0; i < timing->per_kernel.count; i++)
        timing->per_kernel.items[i].median_us *= factor;
}

static void set_comparison(struct comparison *comparison, const struct attempt *attempt,
                           struct ratio ratio)
{
    double us = attempt->time.median_us;

    comparison->speedup = ratio.value;
    comparison->speedup_low = ratio.low;
    comparison->speedup_high = ratio.high;
    comparison->time = (struct estimate){us * ratio.value, us * ratio.low, us * ratio.high};
}

/* The factor that moves the speedups of a verdict's baselines to the scale. */
static double baseline_factor(const struct session *session, const struct attempt *attempt,
                              const struct verdict *verdict)
{
    const struct comparison *strongest = verdict_strongest(verdict);
    double us = strongest ? scale_baseline_us(session, strongest->name) : 0;

    if (!strongest || us <= 0 || strongest->speedup <= 0)
        return 1;
    return us / (attempt->time.median_us * strongest->speedup);
}

static void scale_comparisons(const struct session *session, const struct attempt *attempt,
                              struct verdict *verdict)
{
    const struct ratio gain = {attempt->gain, attempt->gain_low, attempt->gain_high};
    const char *strongest = scale_strongest(session);
    double factor = baseline_factor(session, attempt, verdict);

    for (size_t i = 0; i < verdict->against.count; i++) {
        struct comparison *other = &verdict->against.items[i];

        if (strcmp(other->name, BASELINE_BEST) == 0)
            set_comparison(other, attempt, gain);
        else if (strcmp(other->name, BASELINE_FIRST) == 0)
            set_comparison(other, attempt, attempt->speed);
        else if (strongest && strcmp(other->name, strongest) == 0)
            set_comparison(other, attempt, scale_speedup_ratio(session, attempt));
        else
            set_comparison(other, attempt,
                           (struct ratio){other->speedup * factor, other->speedup_low * factor,
                                          other->speedup_high * factor});
    }
}

void scaled_verdict_make(const struct session *session, const struct attempt *attempt,
                         struct verdict *verdict)
{
    double measured_us = verdict->timing.time.median_us, factor;
    struct strbuf detail = {0};

    if (measured_us <= 0 || attempt->time.median_us <= 0 || attempt->speed.value <= 0)
        return;
    factor = attempt->time.median_us / measured_us;
    scale_timing(&verdict->timing, attempt, factor);
    scale_comparisons(session, attempt, verdict);
    verdict->bound.fraction /= factor;
    for (size_t i = 0; i < verdict->tuning.tried.count; i++)
        verdict->tuning.tried.items[i].median_us *= factor;
    if (verdict->outcome != OUTCOME_CORRECT)
        return;
    scale_describe(session, attempt, &detail);
    free(verdict->detail);
    verdict->detail = mem_strdup(strbuf_cstr(&detail));
    strbuf_release(&detail);
}
