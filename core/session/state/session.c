#include "core/session/state/session.h"

#include "core/base/vec.h"

const struct step *session_step(const struct session *session, unsigned number)
{
    return number > 0 && number <= session->steps.count ? &session->steps.items[number - 1] : NULL;
}

const struct attempt *session_attempt(const struct session *session, unsigned number)
{
    return number > 0 && number <= session->attempts.count ? &session->attempts.items[number - 1]
                                                           : NULL;
}

bool session_has_unjudged_reference(const struct session *session)
{
    return session->reference_reply[0] && !session->reference_result.is_judged;
}

const char *session_language(const struct session *session, unsigned attempt)
{
    const struct attempt *found = session_attempt(session, attempt);

    return found && found->language ? found->language : session->language;
}

const char *session_keep(struct session *session, const char *text)
{
    return texts_keep(&session->texts, text);
}

const char *session_author(const struct session *session, const struct attempt *attempt)
{
    return attempt->agent ? attempt->agent : session->agent;
}

const char *session_analyst(const struct session *session)
{
    return roles_analyst(&session->roles, session->agent);
}

const struct step *session_latest_step(const struct session *session)
{
    for (size_t i = session->steps.count; i-- > 0;)
        if (!session->steps.items[i].is_undone)
            return &session->steps.items[i];
    return NULL;
}

const struct step *session_pending(const struct session *session)
{
    const struct step *last = session_latest_step(session);

    return last && last->decision == DECISION_PENDING ? last : NULL;
}

const struct attempt *session_unpictured(const struct session *session)
{
    const struct attempt *last = session->picture ? session_last_attempt(session) : NULL;

    return last && last->is_evaluated && last->outcome == OUTCOME_CORRECT && !last->is_pictured
               ? last
               : NULL;
}

const struct attempt *session_last_attempt(const struct session *session)
{
    const struct attempt *last = session_attempt(session, (unsigned)session->attempts.count);

    while (last && last->is_undone)
        last = session_attempt(session, last->number - 1);
    return last;
}

const struct step *session_last_step(const struct session *session, enum step_kind kind)
{
    for (size_t i = session->steps.count; i-- > 0;)
        if (session->steps.items[i].kind == kind && !session->steps.items[i].is_undone)
            return &session->steps.items[i];
    return NULL;
}

const struct attempt *session_tip(const struct session *session)
{
    const struct attempt *last = session_attempt(session, (unsigned)session->attempts.count);

    while (last && !last->is_kept)
        last = session_attempt(session, last->number - 1);
    return last;
}

const struct attempt *session_subject(const struct session *session)
{
    return session_attempt(session, session->now.subject);
}

unsigned session_undoable(const struct session *session)
{
    size_t held = session->undos.held;

    return held > 0 ? session->undos.items[held - 1].step.number : 0;
}

unsigned session_redoable(const struct session *session)
{
    size_t held = session->undos.held;

    return held < session->undos.count ? session->undos.items[held].step.number : 0;
}

const char *session_step_text(const struct step *step)
{
    return step->edited[0] ? step->edited : step->text;
}

const char *session_step_title(const struct step *step)
{
    bool is_changed = step->kind == STEP_RECOMMENDATION && step->edited[0] && step->change;

    return is_changed ? step->change : step->title;
}

void session_release(struct session *session)
{
    vec_release(&session->steps);
    vec_release(&session->attempts);
    vec_release(&session->baselines);
    vec_release(&session->notes);
    vec_release(&session->attachments);
    vec_release(&session->undos);
    vec_release(&session->set_aside);
    texts_release(session->texts);
    *session = (struct session){0};
}
