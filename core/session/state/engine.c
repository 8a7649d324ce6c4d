#include "core/session/state/engine.h"

#include <stdio.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/steadiness.h"
#include "core/model/recommendation.h"

/* From this fraction of the bound on, measurements cannot tell the time from the bound. */
static const double bound_reached = 0.95;

/* The latest recommendation, if it was accepted unchanged; NULL otherwise. */
static const struct step *accepted_advice(const struct session *session)
{
    const struct step *advice = session_step(session, session->now.recommendation);

    return advice && advice->decision == DECISION_ACCEPTED ? advice : NULL;
}

/* True if the analyst recommended nothing more and that was accepted unchanged. */
static bool is_exhausted(const struct session *session)
{
    const struct step *advice = accepted_advice(session);

    return advice && advice->change && strcmp(advice->change, RECOMMENDATION_NOTHING) == 0;
}

/*
 * A candidate may beat the bound with fewer operations or bytes than the graph. So the session ends
 * at the bound only if the analyst also promises no gain.
 */
static bool is_bound_reached(const struct session *session)
{
    const struct attempt *best = session_attempt(session, session->now.best);
    const struct step *advice = accepted_advice(session);
    bool promises = !advice || advice->gain <= 0 || steadiness_is_gain(advice->gain);

    return best && best->bound_fraction >= bound_reached && (is_exhausted(session) || !promises);
}

#define AT(stage) (1U << (stage))
#define AT_MODEL  (AT(STAGE_PROMPT) | AT(STAGE_GENERATE) | AT(STAGE_ROUND_END))

/* The stages at which the next action uses a resource. */
static const unsigned costs_at[RESOURCES] = {
    [RESOURCE_USD] = AT_MODEL,
    [RESOURCE_TOKENS] = AT_MODEL,
    [RESOURCE_MINUTES] = AT_MODEL | AT(STAGE_EVALUATE),
};

/* The first resource whose budget is used up or whose use is partly unknown; RESOURCES for none. */
static unsigned spent(const struct session *session)
{
    unsigned r = 0;

    while (r < RESOURCES &&
           (session->limits.budget[r] <= 0 ||
            (session->used[r] < session->limits.budget[r] && !session->unknown[r])))
        r++;
    return r;
}

/* The device gives no times, so no kernel can be found to be faster than the first correct one. */
static bool is_untimed(const struct session *session)
{
    const struct attempt *best = session_attempt(session, session->now.best);

    return best && best->time.median_us <= 0;
}

static enum closing end_of_round(const struct session *session)
{
    const struct limits *limits = &session->limits;

    if (is_untimed(session))
        return CLOSING_EXHAUSTED;

    if (is_bound_reached(session))
        return CLOSING_BOUND;
    if (!session->now.has_correct && session->now.functional_attempts >= limits->functional)
        return CLOSING_FUNCTIONAL;
    if (session->now.has_correct && session->now.optimize_attempts >= limits->optimize)
        return CLOSING_OPTIMIZE;
    if (limits->flat > 0 && session->now.flat_rounds >= limits->flat)
        return CLOSING_FLAT;
    return is_exhausted(session) ? CLOSING_EXHAUSTED : CLOSING_NOT;
}

enum closing engine_closing(const struct session *session)
{
    enum stage stage = session->now.stage;
    enum closing closing = stage == STAGE_ROUND_END ? end_of_round(session) : CLOSING_NOT;
    unsigned r = spent(session);

    if (stage == STAGE_CLOSED)
        return session->closing;
    if (closing == CLOSING_NOT && r < RESOURCES && (AT(stage) & costs_at[r]))
        return CLOSING_BUDGET;
    return closing;
}

/* The first resource that is nearly used up and has caused no warning yet; RESOURCES for none. */
static unsigned nearly_spent(const struct session *session)
{
    unsigned r = 0;

    while (r < RESOURCES && (session->limits.budget[r] <= 0 || session->is_warned[r] ||
                             session->used[r] < budget_warning_share * session->limits.budget[r]))
        r++;
    return r;
}

struct budget_used engine_warning(const struct session *session)
{
    unsigned r = nearly_spent(session);

    return (struct budget_used){(enum resource)r, session->used[r], session->limits.budget[r]};
}

static bool is_to_analyse(const struct session *session)
{
    const struct attempt *last = session_subject(session);

    return last && last->outcome == OUTCOME_CORRECT && session->now.analysed != last->number &&
           session_analyst(session);
}

enum action engine_next(const struct session *session)
{
    static const enum action actions[] = {
        [STAGE_OPENING] = ACTION_LOAD_PROBLEM,
        [STAGE_PROMPT] = ACTION_PROPOSE_PROMPT,
        [STAGE_PROMPT_GATE] = ACTION_DECIDE,
        [STAGE_GENERATE] = ACTION_GENERATE,
        [STAGE_CANDIDATE] = ACTION_PROPOSE_CANDIDATE,
        [STAGE_CANDIDATE_GATE] = ACTION_DECIDE,
        [STAGE_EVALUATE] = ACTION_EVALUATE,
        [STAGE_KEEP] = ACTION_PROPOSE_KEEP,
        [STAGE_KEEP_GATE] = ACTION_DECIDE,
        [STAGE_COMMIT] = ACTION_KEEP,
        [STAGE_ROUND_END] = ACTION_PROPOSE_PROMPT,
        [STAGE_RECOMMEND] = ACTION_PROPOSE_RECOMMENDATION,
        [STAGE_RECOMMEND_GATE] = ACTION_DECIDE,
        [STAGE_CLOSED] = ACTION_NONE,
    };

    if (session->now.stage != STAGE_CLOSED && nearly_spent(session) != RESOURCES)
        return ACTION_WARN;
    if (session->now.stage != STAGE_CLOSED && engine_run_ending(session, NULL, 0))
        return ACTION_END_RUN;
    if (session->now.stage != STAGE_CLOSED && session_unpictured(session))
        return ACTION_TAKE_PICTURE;
    if (session->now.stage != STAGE_CLOSED && engine_closing(session) != CLOSING_NOT)
        return ACTION_CLOSE;
    if (session->now.stage == STAGE_PROMPT && session_has_unjudged_reference(session))
        return ACTION_JUDGE_REFERENCE;
    if (session->now.stage == STAGE_ROUND_END && is_to_analyse(session))
        return ACTION_ANALYSE;
    return actions[session->now.stage];
}

static void explain_budget(const struct session *session, char *text, size_t size)
{
    unsigned r = spent(session);
    char budget[BUDGET_TEXT_SIZE];

    budget_describe((enum resource)r, session->limits.budget[r], budget);
    if (session->used[r] >= session->limits.budget[r])
        snprintf(text, size, "the budget of %s is used up", budget);
    else
        snprintf(text, size, "the budget of %s cannot be checked: the use of %u repl%s is unknown",
                 budget, session->unknown[r], session->unknown[r] == 1 ? "y" : "ies");
}

void engine_closing_reason(const struct session *session, char *text, size_t size)
{
    const struct limits *limits = &session->limits;

    switch (engine_closing(session)) {
    case CLOSING_NOT:
        snprintf(text, size, "%s", "");
        break;
    case CLOSING_ASKED:
        snprintf(text, size, "the engineer ended the session");
        break;
    case CLOSING_BOUND:
        snprintf(text, size,
                 "reached %.0f %% of the graph's bound, and the analyst promises no gain",
                 100 * session_attempt(session, session->now.best)->bound_fraction);
        break;
    case CLOSING_FUNCTIONAL:
        snprintf(text, size, "no correct candidate in %u attempt%s", limits->functional,
                 limits->functional == 1 ? "" : "s");
        break;
    case CLOSING_OPTIMIZE:
        snprintf(text, size, "made %u attempt%s to optimize", limits->optimize,
                 limits->optimize == 1 ? "" : "s");
        break;
    case CLOSING_FLAT:
        if (limits->flat == 1)
            snprintf(text, size, "a round gained nothing");
        else
            snprintf(text, size, "%u rounds in a row gained nothing", limits->flat);
        break;
    case CLOSING_EXHAUSTED:
        snprintf(text, size, "%s",
                 is_untimed(session) ? "the first correct kernel: the device gives no times"
                                     : "the analyst recommends nothing more");
        break;
    case CLOSING_BUDGET:
        explain_budget(session, text, size);
        break;
    }
}

bool engine_asks(const struct session *session)
{
    const struct step *step = session_pending(session);
    bool is_asked = !session->run.is_on && session->gate.modes[step->kind] == GATE_ASK;

    return session->now.is_held || is_asked;
}

bool engine_run_ending(const struct session *session, char *text, size_t size)
{
    const struct run *run = &session->run;
    const struct run_limits *limits = &run->limits;
    double spent_usd = session->used[RESOURCE_USD] - run->from_usd;
    bool is_unknown = session->unknown[RESOURCE_USD] > run->from_unknown;

    if (!run->is_on)
        return false;
    if (limits->until_failure && run->has_failed)
        snprintf(text, size, "a candidate failed");
    else if (limits->until_slower && run->was_slower)
        snprintf(text, size, "a candidate was slower than the best");
    else if (limits->steps > 0 && run->steps >= limits->steps)
        snprintf(text, size, "%u step%s decided", run->steps, run->steps == 1 ? " was" : "s were");
    else if (limits->usd > 0 && (is_unknown || spent_usd >= limits->usd))
        snprintf(text, size, is_unknown ? "the cost of a reply is unknown" : "$%.3g were spent",
                 spent_usd);
    else
        return false;
    return true;
}

/* Write why the gain is not enough. A gain whose interval has no lower end is unknown. */
static void say_why_not(const struct attempt *attempt, char *reason, size_t size)
{
    char gain[FORMAT_SIZE], low[FORMAT_SIZE];

    format_speedup(gain, attempt->gain);
    format_speedup(low, attempt->gain_low);
    if (attempt->gain <= 0)
        snprintf(reason, size, "the gain is unknown: the candidate was not timed");
    else if (attempt->gain_low <= 0)
        snprintf(reason, size,
                 "the gain is unknown: %s in too few rounds; allow more with --timing-limit", gain);
    else if (steadiness_is_gain(attempt->gain))
        snprintf(reason, size, "the gain is not certain: %s, but it may be only %s", gain, low);
    else
        snprintf(reason, size, "no gain beyond the noise: %s", gain);
}

static enum decision weigh(const struct session *session, const struct attempt *attempt,
                           char *reason, size_t size)
{
    char gain[FORMAT_SIZE];

    if (!session->now.best) {
        snprintf(reason, size, "the first correct candidate");
        return DECISION_ACCEPTED;
    }
    if (steadiness_is_gain(attempt->gain) && attempt->gain_low > 1) {
        snprintf(reason, size, "%s over the best", format_speedup(gain, attempt->gain));
        return DECISION_ACCEPTED;
    }
    say_why_not(attempt, reason, size);
    return DECISION_VETOED;
}

bool engine_has_reader_of_lines(const struct session *session)
{
    const size_t writers = roles_count_writers(&session->roles);
    const char *analyst = session_analyst(session);
    bool has_reader = analyst && strcmp(analyst, ROLES_BUILTIN) != 0;

    for (size_t i = 0; i < writers && !has_reader; i++)
        has_reader = strcmp(roles_writer(&session->roles, session->agent, i), ROLES_BUILTIN) != 0;
    return has_reader;
}

bool engine_has_reader_of_profile(const struct session *session)
{
    bool has_reader = session_analyst(session) != NULL || engine_has_reader_of_lines(session);

    return has_reader && !session->roles.without_profile &&
           session->now.optimize_attempts < session->limits.optimize;
}

enum decision engine_policy(const struct session *session, char *reason, size_t size)
{
    const struct step *step = session_pending(session);

    if (step && step->kind == STEP_KEEP)
        return weigh(session, session_attempt(session, step->attempt), reason, size);
    if (size > 0)
        reason[0] = '\0';
    return DECISION_ACCEPTED;
}
