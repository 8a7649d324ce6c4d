#include "core/session/state/notes.h"

#include "core/session/state/changes.h"

void notes_add(struct session *session, const char *text)
{
    const struct session_note note = {.text = session_keep(session, text)};

    if (note.text)
        changes_push(session, notes, note);
}

void notes_add_reason(struct session *session, const struct step *step)
{
    const struct session_note note = {.step = step->number};

    for (size_t i = session->now.first_note; i < session->notes.count; i++)
        if (session->notes.items[i].step == step->number)
            return;
    changes_push(session, notes, note);
}

/* The text of a note; NULL for the reason of a decision that was undone or that has no reason. */
static const char *text_of(const struct session *session, const struct session_note *note)
{
    const struct step *step = session_step(session, note->step);

    if (!step)
        return note->text;
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
