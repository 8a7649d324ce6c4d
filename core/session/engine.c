#include "core/session/engine.h"

#include <stdio.h>
#include <string.h>

#include "core/model/recommendation.h"

const double engine_least_gain = 1.01;

/* As fast as the device allows, within what can be measured. */
static const double bound_reached = 0.95;

static bool is_bound_reached(const struct session *session)
{
    const struct attempt *best = session_attempt(session, session->best);

    return best && best->bound_fraction >= bound_reached;
}

/* The analyst gave up, and the engineer did not know better. */
static bool is_exhausted(const struct session *session)
{
    const struct step *advice = session_step(session, session->advice);

    return advice && advice->decision == DECISION_ACCEPTED && advice->change &&
           strcmp(advice->change, RECOMMENDATION_NOTHING) == 0;
}

/* Whether the session is to end after this round; why, in one line. */
static bool is_over(const struct session *session, char *text, size_t size)
{
    const struct limits *limits = &session->limits;

    if (is_bound_reached(session))
        snprintf(text, size, "the bound is reached to %.0f %%",
                 100 * session_attempt(session, session->best)->bound_fraction);
    else if (!session->has_correct && session->functional_attempts >= limits->functional)
        snprintf(text, size, "no correct candidate in %u attempts", limits->functional);
    else if (session->has_correct && session->optimize_attempts >= limits->optimize)
        snprintf(text, size, "%u attempts to optimize were made", limits->optimize);
    else if (limits->flat > 0 && session->flat_rounds >= limits->flat)
        snprintf(text, size, "%u rounds in a row gained nothing", limits->flat);
    else if (is_exhausted(session))
        snprintf(text, size, "the analyst sees nothing more to try");
    else
        return false;
    return true;
}

static bool is_to_analyse(const struct session *session)
{
    const struct attempt *last = session_last_attempt(session);

    return last && last->outcome == OUTCOME_CORRECT && session->analysed != last->number;
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

    if (session->stage == STAGE_ROUND_END && is_over(session, NULL, 0))
        return ACTION_CLOSE;
    if (session->stage == STAGE_ROUND_END && is_to_analyse(session))
        return ACTION_ANALYSE;
    return actions[session->stage];
}

void engine_closing_reason(const struct session *session, char *text, size_t size)
{
    if (!is_over(session, text, size) && size > 0)
        text[0] = '\0';
}

static enum decision weigh(const struct session *session, const struct attempt *attempt,
                           char *reason, size_t size)
{
    if (!session->best) {
        snprintf(reason, size, "the first correct candidate");
        return DECISION_ACCEPTED;
    }
    if (attempt->gain > engine_least_gain && attempt->gain_low > 1) {
        snprintf(reason, size, "%.3fx over the best", attempt->gain);
        return DECISION_ACCEPTED;
    }
    if (attempt->gain > 0)
        snprintf(reason, size, "no gain beyond the noise: %.3fx", attempt->gain);
    else
        snprintf(reason, size, "no gain is known: it was not timed");
    return DECISION_VETOED;
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
