#include "core/session/state/notes.h"

#include "core/base/vec.h"

void notes_add(struct session *session, const char *text)
{
    const struct session_note remark = {.text = session_keep(session, text)};

    if (remark.text)
        vec_push(&session->notes, remark);
}

void notes_add_reason(struct session *session, const struct step *step)
{
    const struct session_note remark = {.step = step->number};

    for (size_t i = session->now.first_note; i < session->notes.count; i++)
        if (session->notes.items[i].step == step->number)
            return;
    vec_push(&session->notes, remark);
}

/* What a note says to the agent; NULL where it is the reason of a decision that was taken back. */
static const char *text_of(const struct session *session, const struct session_note *remark)
{
    const struct step *step = session_step(session, remark->step);

    if (!step)
        return remark->text;
    return !step->is_undone && step->reason && step->reason[0] ? step->reason : NULL;
}

const char **notes_texts(const struct session *session, size_t *count)
{
    size_t first = session->now.first_note;
    const char **texts = mem_alloc_zeroed(session->notes.count - first + 1, sizeof(*texts));

    *count = 0;
    for (size_t i = first; i < session->notes.count; i++) {
        const char *text = text_of(session, &session->notes.items[i]);

        if (text)
            texts[(*count)++] = text;
    }
    return texts;
}
