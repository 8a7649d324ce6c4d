#include "core/suite/task_facts.h"

#include <stdlib.h>

#include "core/base/vec.h"
#include "core/session/state/engine.h"
#include "core/session/state/scale.h"

static void follow_attempts(struct task_facts *facts, const struct session *session)
{
    double best = 0;

    for (size_t i = 0; i < session->attempts.count; i++) {
        const struct attempt *attempt = &session->attempts.items[i];

        if (attempt->is_undone)
            continue;
        if (attempt->is_kept && attempt->time.median_us > 0 &&
            (best <= 0 || attempt->time.median_us < best))
            best = attempt->time.median_us;
        vec_push(&facts->best_us, best);
    }
    facts->tries = (unsigned)facts->best_us.count;
}

static void take_best(struct task_facts *facts, const struct session *session)
{
    const struct attempt *best = session_attempt(session, session->now.best);

    if (!best)
        return;
    facts->time = best->time;
    facts->speedup = scale_speedup_ratio(session, best);
    facts->over = facts->speedup.value > 0 ? mem_strdup(scale_strongest(session)) : NULL;
    facts->bound_share = best->bound_fraction;
}

/*
 * The gain of keeping a kernel: over the best kept one, or, for the first, over the strongest
 * baseline.
 */
static double gain_of_kernel(const struct session *session, const struct attempt *attempt)
{
    if (!attempt)
        return 0;
    return attempt->gain > 0 ? attempt->gain : scale_speedup(session, attempt);
}

static void find_gain(struct task_facts *facts, const struct session *session,
                      const struct step *step)
{
    facts->gain_source = GAIN_AT_MOST;
    if (step->kind == STEP_KEEP) {
        facts->gain_source = GAIN_MEASURED;
        facts->gain = gain_of_kernel(session, session_attempt(session, step->attempt));
    } else if (step->kind == STEP_RECOMMENDATION) {
        facts->gain_source = GAIN_PROMISED;
        facts->gain = step->gain;
    } else if (facts->bound_share > 0) {
        facts->gain = 1 / facts->bound_share;
    }
    if (facts->gain <= 0)
        facts->gain_source = GAIN_UNKNOWN;
}

static void take_waiting(struct task_facts *facts, const struct session *session)
{
    const struct step *step = session_pending(session);

    if (!step || !engine_asks(session))
        return;
    facts->step = step->number;
    facts->kind = step->kind;
    facts->title = mem_strdup(step->title);
    find_gain(facts, session, step);
}

void task_facts_read(struct task_facts *facts, const struct session *session)
{
    struct task_facts read = {
        .is_known = true,
        .device = session->device ? mem_strdup(session->device) : NULL,
        .is_closed = session->now.stage == STAGE_CLOSED,
        .has_usd = session->unknown[RESOURCE_USD] == 0,
        .usd = session->used[RESOURCE_USD],
        .tokens = session->used[RESOURCE_TOKENS],
        .minutes = session->used[RESOURCE_MINUTES],
    };

    follow_attempts(&read, session);
    take_best(&read, session);
    take_waiting(&read, session);
    task_facts_release(facts);
    *facts = read;
}

bool task_facts_gains_more(const struct task_facts *a, const struct task_facts *b)
{
    bool a_is_open = a->gain_source == GAIN_AT_MOST, b_is_open = b->gain_source == GAIN_AT_MOST;

    return a_is_open != b_is_open ? b_is_open : a->gain > b->gain;
}

void task_facts_release(struct task_facts *facts)
{
    free(facts->trouble);
    free(facts->device);
    free(facts->over);
    free(facts->title);
    vec_release(&facts->best_us);
    *facts = (struct task_facts){0};
}
