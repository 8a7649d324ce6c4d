#include "core/session/state/round.h"

#include <stdio.h>
#include <string.h>

#include "core/session/state/changes.h"
#include "core/session/state/scale.h"

/* At most as many as the limits of the session allow, but at least one for each round. */
unsigned round_missing(const struct session *session)
{
    const struct position *now = &session->now;
    const struct limits *limits = &session->limits;
    unsigned limit = now->is_optimizing ? limits->optimize : limits->functional;
    unsigned used = now->is_optimizing ? now->optimize_attempts : now->functional_attempts;
    unsigned size = limits->attempts < ROUND_ATTEMPTS ? limits->attempts : ROUND_ATTEMPTS;

    if (limit - used < size)
        size = limit - used;
    if (used >= limit || size == 0)
        size = 1;
    return size > now->reply_count ? size - now->reply_count : 0;
}

const char *round_writer(const struct session *session, unsigned missing)
{
    const struct position *now = &session->now;
    const unsigned first = now->functional_attempts + now->optimize_attempts;
    const unsigned size = now->reply_count + round_missing(session);
    bool has_arrived[ROUND_ATTEMPTS] = {false};
    unsigned place = 0;

    for (unsigned i = 0; i < now->reply_count; i++) {
        unsigned j = 0;

        while (j < size &&
               (has_arrived[j] || strcmp(roles_writer(&session->roles, session->agent, first + j),
                                         session->arrived[i].effort.agent) != 0))
            j++;
        if (j < size)
            has_arrived[j] = true;
    }
    while (place + 1 < size && (has_arrived[place] || missing-- > 0))
        place++;
    return roles_writer(&session->roles, session->agent, first + place);
}

void round_begin(struct session *session)
{
    session->now.is_optimizing = session->now.has_correct;
    session->now.first_attempt = (unsigned)session->attempts.count + 1;
    session->now.first_choice = session->now.first_attempt;
    session->now.stage = STAGE_GENERATE;
}

void round_take_reply(struct session *session, const char *text, const struct effort *effort)
{
    struct arrived_reply *arrived = &session->arrived[session->now.reply_count++];

    snprintf(arrived->text, OBJECT_ID_SIZE, "%s", text);
    arrived->effort = *effort;
    if (round_missing(session) == 0)
        session->now.stage = STAGE_CANDIDATE;
}

/* Append an attempt and make it the current one. */
static struct attempt *add(struct session *session, struct attempt attempt)
{
    const struct attempt *last = session_last_attempt(session);

    attempt.number = (unsigned)session->attempts.count + 1;
    attempt.before = last ? last->number : 0;
    attempt.language = session->language;
    changes_push(session, attempts, attempt);
    session->now.subject = attempt.number;
    return &session->attempts.items[attempt.number - 1];
}

static void drop_reply(struct session *session)
{
    session->now.reply_count--;
    memmove(&session->arrived[0], &session->arrived[1],
            session->now.reply_count * sizeof(session->arrived[0]));
}

struct attempt *round_add_attempt(struct session *session, const char *candidate, const char *title)
{
    const struct step *prompt = session_last_step(session, STEP_PROMPT);
    struct position *now = &session->now;
    struct attempt attempt = {.parent = prompt->attempt,
                              .recommendation = now->recommendation,
                              .asked_by = prompt->number,
                              .agent = session->arrived[0].effort.agent,
                              .title = session_keep(session, title)};

    snprintf(attempt.candidate, OBJECT_ID_SIZE, "%s", candidate);
    snprintf(attempt.prompt, OBJECT_ID_SIZE, "%s", session_step_text(prompt));
    *(now->is_optimizing ? &now->optimize_attempts : &now->functional_attempts) += 1;
    drop_reply(session);
    if (now->reply_count == 0) {
        now->recommendation = 0;
        now->is_retry = false;
    }
    return add(session, attempt);
}

/* Append the engineer's version of an attempt. */
static const struct attempt *add_edit(struct session *session, const struct attempt *parent,
                                      const char *candidate, const char *title)
{
    struct attempt attempt = {.parent = parent->number,
                              .recommendation = parent->recommendation,
                              .asked_by = parent->asked_by,
                              .origin = ORIGIN_ENGINEER,
                              .agent = parent->agent,
                              .title = session_keep(session, title)};

    snprintf(attempt.candidate, OBJECT_ID_SIZE, "%s", candidate);
    snprintf(attempt.prompt, OBJECT_ID_SIZE, "%s", parent->prompt);
    return add(session, attempt);
}

bool round_takes_by_hand(const struct session *session)
{
    const struct attempt *subject = session_subject(session);
    enum stage stage = session->now.stage;

    if (stage == STAGE_EVALUATE)
        return subject && subject->origin == ORIGIN_ENGINEER;
    return session_pending(session) || stage == STAGE_GENERATE || stage == STAGE_KEEP ||
           stage == STAGE_ROUND_END;
}

/*
 * Decide the waiting step: a candidate or a keep is edited by the new version, another step is
 * vetoed.
 */
static void supersede(struct session *session)
{
    const struct step *pending = session_pending(session);
    struct step *step = pending ? &session->steps.items[pending->number - 1] : NULL;

    if (!step)
        return;
    changes_note(session, step);
    step->decision =
        step->kind == STEP_CANDIDATE || step->kind == STEP_KEEP ? DECISION_EDITED : DECISION_VETOED;
    step->decider = DECIDER_ENGINEER;
    step->reason = session_keep(session, "edited by hand");
}

void round_add_by_hand(struct session *session, const struct step *step, unsigned edits)
{
    enum stage stage = session->now.stage;
    bool is_same_choice = stage == STAGE_EVALUATE || stage == STAGE_CANDIDATE_GATE ||
                          stage == STAGE_KEEP || stage == STAGE_KEEP_GATE;
    const struct attempt *added;

    supersede(session);
    added = add_edit(session, session_attempt(session, edits), step->text, step->title);
    if (!is_same_choice)
        session->now.first_choice = added->number;
    if (!session->now.first_attempt) /* all earlier rounds were undone */
        session->now.first_attempt = added->number;
}

void round_add_edit(struct session *session, const struct step *step)
{
    const struct attempt *parent = session_attempt(session, step->attempt);
    const struct attempt *edit = add_edit(session, parent, step->edited, parent->title);

    /* The edit replaces the best attempt of the round, so no other attempt can be chosen. */
    if (step->kind == STEP_KEEP)
        session->now.first_choice = edit->number;
}

/* The fastest correct attempt that can be chosen; NULL for none. */
static const struct attempt *find_best(const struct session *session)
{
    const struct attempt *best = NULL;

    for (unsigned n = session->now.first_choice; n <= session->attempts.count; n++) {
        const struct attempt *attempt = session_attempt(session, n);

        if (attempt->is_undone || !attempt->is_evaluated || attempt->outcome != OUTCOME_CORRECT)
            continue;
        if (!best || scale_is_faster(attempt, best))
            best = attempt;
    }
    return best;
}

void round_continue(struct session *session)
{
    const struct attempt *best;

    if (session->now.reply_count > 0) {
        session->now.stage = STAGE_CANDIDATE;
        return;
    }
    best = find_best(session);
    if (!best) {
        round_end(session, false);
        return;
    }
    session->now.subject = best->number;
    session->now.stage = STAGE_KEEP;
}

void round_end(struct session *session, bool has_gained)
{
    session->now.stage = STAGE_ROUND_END;
    if (has_gained)
        session->now.flat_rounds = 0;
    else if (session->now.has_correct && session_subject(session)->origin == ORIGIN_AGENT)
        session->now.flat_rounds++;
}

void round_retry(struct session *session)
{
    struct position *now = &session->now;
    unsigned *counter = now->is_optimizing ? &now->optimize_attempts : &now->functional_attempts;
    const struct attempt *first = session_attempt(session, now->first_attempt);

    for (unsigned n = now->first_attempt; n <= session->attempts.count; n++) {
        const struct attempt *attempt = session_attempt(session, n);

        /* Stop at zero: the counter no longer includes the attempts of undone rounds. */
        *counter -= *counter && !attempt->is_undone && attempt->origin == ORIGIN_AGENT;
    }
    now->reply_count = 0;
    now->is_retry = true;
    now->retry_from = first->parent;
    now->recommendation = first->recommendation;
    now->analysed = now->subject;
    now->stage = STAGE_ROUND_END;
}

size_t round_attempts(const struct session *session, const struct attempt *attempt,
                      const struct attempt *attempts[ROUND_ATTEMPTS])
{
    const struct attempt *at = attempt;
    size_t count = 0;

    while (at->number > 1 && at[-1].asked_by == attempt->asked_by)
        at--;
    for (; at && at->asked_by == attempt->asked_by && count < ROUND_ATTEMPTS;
         at = session_attempt(session, at->number + 1))
        if (at->origin == ORIGIN_AGENT)
            attempts[count++] = at;
    return count;
}
