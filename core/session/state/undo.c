#include "core/session/state/undo.h"

#include <string.h>

#include "core/base/vec.h"

/* Save the replies that wait; returns their place in session.set_aside. */
static size_t set_aside(struct session *session)
{
    size_t first = session->set_aside.count;

    for (unsigned i = 0; i < session->now.reply_count; i++)
        vec_push(&session->set_aside, session->arrived[i]);
    return first;
}

static void restore_position(struct session *session, const struct undo *undo)
{
    session->now = undo->position;
    for (unsigned i = 0; i < session->now.reply_count; i++)
        session->arrived[i] = session->set_aside.items[undo->first_arrived + i];
}

void undo_remember(struct session *session, const struct step *step)
{
    const struct attempt *attempt = session_last_attempt(session), *tip = session_tip(session);
    struct undo undo;

    memset(&undo, 0, sizeof(undo)); /* the padding too: rewind.c compares bytes */
    undo.step = *step;
    undo.position = session->now;
    undo.first_arrived = set_aside(session);
    undo.last_step = step->number;
    undo.last_attempt = attempt ? attempt->number : 0;
    undo.tip = tip ? tip->number : 0;
    session->undos.count = session->undos.held;
    vec_push(&session->undos, undo);
    session->undos.held++;
}

/* The steps that led to `last` hold; mark all others as undone. */
static void choose_steps(struct session *session, unsigned last)
{
    struct step *steps = session->steps.items;

    for (size_t i = 0; i < session->steps.count; i++)
        steps[i].is_undone = true;
    for (unsigned n = last; n > 0; n = steps[n - 1].before)
        steps[n - 1].is_undone = false;
}

static void choose_attempts(struct session *session, unsigned last, unsigned tip)
{
    struct attempt *attempts = session->attempts.items;

    for (size_t i = 0; i < session->attempts.count; i++) {
        attempts[i].is_undone = true;
        attempts[i].is_kept = false;
    }
    for (unsigned n = last; n > 0; n = attempts[n - 1].before)
        attempts[n - 1].is_undone = false;
    for (unsigned n = tip; n > 0; n = attempts[n - 1].kept_after)
        attempts[n - 1].is_kept = true;
}

static void exchange(struct session *session, struct undo *undo)
{
    const struct attempt *attempt = session_last_attempt(session), *tip = session_tip(session);
    struct step *step = &session->steps.items[undo->step.number - 1];
    struct undo other = {.step = *step,
                         .position = session->now,
                         .first_arrived = set_aside(session),
                         .last_attempt = attempt ? attempt->number : 0,
                         .tip = tip ? tip->number : 0};

    other.last_step = (unsigned)session->steps.count;
    while (session->steps.items[other.last_step - 1].is_undone)
        other.last_step--;
    *step = undo->step;
    restore_position(session, undo);
    choose_steps(session, undo->last_step);
    choose_attempts(session, undo->last_attempt, undo->tip);
    *undo = other;
}

void undo_go_back(struct session *session)
{
    exchange(session, &session->undos.items[--session->undos.held]);
}

void undo_go_forward(struct session *session)
{
    exchange(session, &session->undos.items[session->undos.held++]);
}
