#include "core/session/parts.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/session/undo.h"

struct step step_copy(const struct step *step)
{
    struct step copy = *step;

    copy.title = mem_strdup(step->title);
    copy.reason = mem_strdup(step->reason);
    copy.change = mem_strdup(step->change);
    copy.tags = mem_strdup(step->tags);
    return copy;
}

void step_release(const struct step *step)
{
    free(step->title);
    free(step->reason);
    free(step->change);
    free(step->tags);
}

static struct attempt copy_attempt(const struct attempt *attempt)
{
    struct attempt copy = *attempt;

    copy.title = mem_strdup(attempt->title);
    copy.detail = mem_strdup(attempt->detail);
    copy.tag = mem_strdup(attempt->tag);
    return copy;
}

static void release_attempt(const struct attempt *attempt)
{
    free(attempt->title);
    free(attempt->detail);
    free(attempt->tag);
}

static struct remark copy_note(const struct remark *note)
{
    return (struct remark){.text = mem_strdup(note->text), .step = note->step};
}

static struct attached copy_attachment(const struct attached *attachment)
{
    struct attached copy = *attachment;

    copy.name = mem_strdup(attachment->name);
    copy.media_type = mem_strdup(attachment->media_type);
    return copy;
}

struct arrived *arrived_copy(const struct arrived *arrived, unsigned count)
{
    struct arrived *copy = count ? mem_alloc_zeroed(count, sizeof(*copy)) : NULL;

    for (unsigned i = 0; i < count; i++)
        copy[i] = arrived[i];
    return copy;
}

static struct undo copy_undo(const struct undo *undo)
{
    struct undo copy = *undo;

    copy.step = step_copy(&undo->step);
    copy.arrived = arrived_copy(undo->arrived, undo->position.reply_count);
    return copy;
}

void undo_release(const struct undo *undo)
{
    step_release(&undo->step);
    free(undo->arrived);
}

/* An array of its own with copies of its items; `copy` is the function for one. */
#define COPY_LIST(to, from, copy)                                            \
    do {                                                                     \
        (to)->items = mem_alloc_zeroed((from)->count, sizeof(*(to)->items)); \
        (to)->capacity = (from)->count;                                      \
        for (size_t i = 0; i < (from)->count; i++)                           \
            (to)->items[i] = copy(&(from)->items[i]);                        \
    } while (0)

static void copy_lists(struct session *copy, const struct session *session)
{
    COPY_LIST(&copy->steps, &session->steps, step_copy);
    COPY_LIST(&copy->attempts, &session->attempts, copy_attempt);
    COPY_LIST(&copy->notes, &session->notes, copy_note);
    COPY_LIST(&copy->attachments, &session->attachments, copy_attachment);
    COPY_LIST(&copy->undos, &session->undos, copy_undo);
}

struct session session_copy(const struct session *session)
{
    struct session copy = *session;

    copy_lists(&copy, session);
    copy.id = mem_strdup(session->id);
    copy.problem_name = mem_strdup(session->problem_name);
    copy.reference_name = mem_strdup(session->reference_name);
    copy.agent = mem_strdup(session->agent);
    copy.device = mem_strdup(session->device);
    copy.language = mem_strdup(session->language);
    copy.repository = mem_strdup(session->repository);
    copy.forked_from = mem_strdup(session->forked_from);
    copy.closed_because = mem_strdup(session->closed_because);
    return copy;
}

static void release_lists(struct session *session)
{
    for (size_t i = 0; i < session->steps.count; i++)
        step_release(&session->steps.items[i]);
    for (size_t i = 0; i < session->attempts.count; i++)
        release_attempt(&session->attempts.items[i]);
    for (size_t i = 0; i < session->notes.count; i++)
        free(session->notes.items[i].text);
    for (size_t i = 0; i < session->attachments.count; i++) {
        free(session->attachments.items[i].name);
        free(session->attachments.items[i].media_type);
    }
    for (size_t i = 0; i < session->undos.count; i++)
        undo_release(&session->undos.items[i]);
    vec_release(&session->steps);
    vec_release(&session->attempts);
    vec_release(&session->notes);
    vec_release(&session->attachments);
    vec_release(&session->undos);
}

void session_release(struct session *session)
{
    release_lists(session);
    free(session->id);
    free(session->problem_name);
    free(session->reference_name);
    free(session->agent);
    free(session->device);
    free(session->language);
    free(session->repository);
    free(session->forked_from);
    free(session->closed_because);
    *session = (struct session){0};
}
