#include "tui/cli/session_summary.h"

#include <inttypes.h>

#include "core/model/roofline/bound.h"
#include "core/session/state/engine.h"
#include "core/session/state/scale.h"

static void describe_best(struct driver *driver, const struct attempt *best, struct strbuf *out)
{
    char share[BOUND_SHARE_SIZE];

    strbuf_addf(out, "\nbest     %s\n         ", best->title);
    if (best->time.median_us > 0)
        scale_describe(driver_session(driver), best, out);
    else
        strbuf_adds(out, "verified, without a time");
    if (best->bound_fraction > 0)
        strbuf_addf(out, ", %s", bound_share_of(best->bound_fraction, share));
    strbuf_addf(out, "\ncommit   %.12s on branch %s\nin       %s\n", best->commit,
                driver_branch(driver), driver_repository(driver));
}

void session_summary_add_agents(const struct session *session, struct strbuf *out)
{
    const struct roles *roles = &session->roles;
    const char *analyst = session_analyst(session);

    strbuf_adds(out, session->agent);
    for (size_t i = 0; i < roles->other_count; i++)
        strbuf_addf(out, ", %s", roles->others[i]);
    if (roles->analyst && analyst)
        strbuf_addf(out, "; %s analyses", analyst);
    else if (roles->analyst)
        strbuf_adds(out, "; without an analyst");
    if (roles->without_profile)
        strbuf_adds(out, "; without profiles");
}

void session_summary_add_cost(const struct session *session, struct strbuf *out)
{
    if (!session->has_tokens && session->used[RESOURCE_USD] == 0)
        return;
    strbuf_adds(out, "cost     ");
    if (session->unknown[RESOURCE_USD])
        strbuf_adds(out, "unknown");
    else
        strbuf_addf(out, "$%.3g", session->used[RESOURCE_USD]);
    strbuf_addf(out, ", %" PRId64 " tokens\n", session->prompt_tokens + session->reply_tokens);
}

void session_summary_add(struct driver *driver, struct strbuf *out)
{
    const struct session *session = driver_session(driver);
    const struct attempt *best = session_attempt(session, session->now.best);

    if (best)
        describe_best(driver, best, out);
    session_summary_add_cost(session, out);
    if (driver_can_resume(driver))
        strbuf_addf(out, "the session is saved; continue with: kforge resume %s\n", session->id);
}

static bool has_correct(const struct session *session)
{
    for (size_t i = 0; i < session->attempts.count; i++)
        if (session->attempts.items[i].outcome == OUTCOME_CORRECT)
            return true;
    return false;
}

static const struct attempt *first_kept(const struct session *session)
{
    for (size_t i = 0; i < session->attempts.count; i++)
        if (session->attempts.items[i].is_kept)
            return &session->attempts.items[i];
    return NULL;
}

enum exit_code session_exit_code(const struct session *session)
{
    const struct attempt *first = first_kept(session);

    if (engine_closing(session) == CLOSING_BUDGET)
        return EXIT_CODE_BUDGET;
    if (!first) /* a correct candidate may have been vetoed */
        return has_correct(session) ? EXIT_CODE_NO_GAIN : EXIT_CODE_INCORRECT;
    return first->number == session->now.best ? EXIT_CODE_NO_GAIN : EXIT_CODE_IMPROVED;
}
