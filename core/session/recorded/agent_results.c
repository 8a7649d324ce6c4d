#include "core/session/recorded/agent_results.h"

#include <string.h>

#include "core/session/state/round.h"
#include "core/session/state/scale.h"

static struct agent_result *result_of(struct agent_result *results, size_t count, const char *agent)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(results[i].agent, agent) == 0)
            return &results[i];
    return NULL;
}

static void add_agent(struct agent_result *results, size_t *count, const char *agent)
{
    if (agent && *count < MOST_AGENTS && !result_of(results, *count, agent))
        results[(*count)++] = (struct agent_result){.agent = agent, .use.agent = agent};
}

static void count_attempt(const struct session *session, const struct attempt *attempt,
                          struct agent_result *result)
{
    const struct attempt *round[ROUND_ATTEMPTS];

    if (attempt->origin == ORIGIN_AGENT) {
        result->attempts++;
        result->correct += attempt->is_evaluated && attempt->outcome == OUTCOME_CORRECT;
        result->won += attempt->is_chosen && round_attempts(session, attempt, round) > 1;
        if (attempt->is_evaluated && attempt->outcome == OUTCOME_CORRECT &&
            (!result->best || scale_is_faster(attempt, result->best)))
            result->best = attempt;
    }
    result->has_best |= attempt->number == session->now.best;
}

size_t agent_results_find(const struct session *session, struct agent_result results[MOST_AGENTS])
{
    const char *analyst = session_analyst(session);
    size_t count = 0;

    for (size_t i = 0; i < roles_count_writers(&session->roles); i++)
        add_agent(results, &count, roles_writer(&session->roles, session->agent, i));
    for (size_t i = 0; i < count; i++)
        results[i].writes = true;
    add_agent(results, &count, analyst);
    /* Also look for other authors: a fork may have attempts of its parent's agents. */
    for (size_t i = 0; i < session->attempts.count; i++) {
        const struct attempt *attempt = &session->attempts.items[i];

        add_agent(results, &count, session_author(session, attempt));
        if (!attempt->is_undone && result_of(results, count, session_author(session, attempt)))
            count_attempt(session, attempt,
                          result_of(results, count, session_author(session, attempt)));
    }
    for (size_t i = 0; i < session->use_count; i++)
        if (result_of(results, count, session->uses[i].agent))
            result_of(results, count, session->uses[i].agent)->use = session->uses[i];
    for (size_t i = 0; i < count; i++)
        results[i].analyses = analyst && strcmp(results[i].agent, analyst) == 0;
    return count;
}
