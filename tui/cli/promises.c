#include "tui/cli/promises.h"

#include "core/base/format.h"

/* The last attempt that followed the recommendation: the engineer may have edited the first. */
static const struct attempt *find_follower(const struct session *session, const struct step *advice)
{
    for (size_t i = session->attempts.count; i-- > 0;)
        if (session->attempts.items[i].recommendation == advice->number)
            return &session->attempts.items[i];
    return NULL;
}

static const char *describe_gain(const struct step *advice, const struct attempt *follower,
                                 char text[FORMAT_SIZE])
{
    if (advice->decision == DECISION_VETOED)
        return "vetoed";
    if (!follower)
        return "not tried";
    if (!follower->is_evaluated)
        return "not judged";
    if (follower->outcome != OUTCOME_CORRECT)
        return outcome_name(follower->outcome);
    return format_speedup(text, follower->gain);
}

void promises_write(const struct session *session, struct strbuf *out)
{
    char promised[FORMAT_SIZE], gained[FORMAT_SIZE];

    strbuf_addf(out, "%5s  %8s  %-16s %s\n", "step", "promised", "gained", "change");
    for (size_t i = 0; i < session->steps.count; i++) {
        const struct step *step = &session->steps.items[i];

        if (step->kind == STEP_RECOMMENDATION)
            strbuf_addf(out, "%5u  %8s  %-16s %s\n", step->number,
                        format_speedup(promised, step->gain),
                        describe_gain(step, find_follower(session, step), gained),
                        step->change ? step->change : step->title);
    }
}
