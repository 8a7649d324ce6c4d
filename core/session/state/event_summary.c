#include "core/session/state/event_summary.h"

#include "core/model/baseline_label.h"

struct evaluation_finished event_summary_of(const struct verdict *verdict)
{
    static const struct comparison none;
    const struct comparison *strongest = verdict_strongest(verdict);
    const struct comparison *best = verdict_against(verdict, BASELINE_BEST);
    const struct comparison *first = verdict_against(verdict, BASELINE_FIRST);
    bool has_speedup = strongest != NULL, has_gain = best != NULL, has_first = first != NULL;

    strongest = strongest ? strongest : &none;
    best = best ? best : &none;
    first = first ? first : &none;
    return (struct evaluation_finished){
        .outcome = verdict->outcome,
        .detail = verdict->detail,
        .tuned = verdict->tuning.chosen,
        .is_timed = verdict->timing.is_present,
        .median_us = verdict->timing.time.median_us,
        .low_us = verdict->timing.time.low_us,
        .high_us = verdict->timing.time.high_us,
        .over = strongest->name,
        .has_speedup = has_speedup,
        .speedup = strongest->speedup,
        .speedup_low = strongest->speedup_low,
        .speedup_high = strongest->speedup_high,
        .has_gain = has_gain,
        .gain = best->speedup,
        .gain_low = best->speedup_low,
        .gain_high = best->speedup_high,
        .has_first_gain = has_first,
        .first_gain = first->speedup,
        .first_gain_low = first->speedup_low,
        .first_gain_high = first->speedup_high,
        .has_bound = verdict->bound.is_present && verdict->bound.fraction > 0,
        .bound_fraction = verdict->bound.fraction,
    };
}
