#include "core/session/state/undo.h"

#include <stdlib.h>

#include "core/session/state/changes.h"

/* Save the replies that wait; returns their place in session.set_aside. */
static size_t set_aside(struct session *session)
{
    size_t first = session->set_aside.count;

    for (unsigned i = 0; i < session->now.reply_count; i++)
        changes_push(session, set_aside, session->arrived[i]);
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
    const struct undo undo = {.step = *step,
                              .position = session->now,
                              .first_arrived = set_aside(session),
                              .last_step = step->number,
                              .last_attempt = attempt ? attempt->number : 0,
                              .tip = tip ? tip->number : 0};

    for (size_t i = session->undos.held; i < session->undos.count; i++)
        changes_note(session, &session->undos.items[i]);
    session->undos.count = session->undos.held;
    changes_push(session, undos, undo);
    session->undos.held++;
}

/* The steps that led to `last` hold; mark all others as undone. */
static void choose_steps(struct session *session, unsigned last)
{
    struct step *steps = session->steps.items;

    for (size_t n = session->steps.count; n > 0; n--) {
        bool holds = n == last;

        if (holds)
            last = steps[n - 1].before;
        if (steps[n - 1].is_undone == !holds)
            continue;
        changes_note(session, &steps[n - 1]);
        steps[n - 1].is_undone = !holds;
    }
}

static void choose_attempts(struct session *session, unsigned last, unsigned tip)
{
    struct attempt *attempts = session->attempts.items;
    struct {
        bool holds, is_kept;
    } *marks = mem_alloc_zeroed(session->attempts.count + 1, sizeof(*marks));

    for (unsigned n = last; n > 0; n = attempts[n - 1].before)
        marks[n - 1].holds = true;
    for (unsigned n = tip; n > 0; n = attempts[n - 1].kept_after)
        marks[n - 1].is_kept = true;
    for (size_t i = 0; i < session->attempts.count; i++) {
        if (attempts[i].is_undone == !marks[i].holds && attempts[i].is_kept == marks[i].is_kept)
            continue;
        changes_note(session, &attempts[i]);
        attempts[i].is_undone = !marks[i].holds;
        attempts[i].is_kept = marks[i].is_kept;
    }
    free(marks);
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

    changes_note(session, undo);
    changes_note(session, step);
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
