#include "core/session/driver/driver_decide.h"

#include <string.h>

#include "core/session/driver/driver_record.h"
#include "core/session/state/engine.h"
#include "core/session/store/commits.h"

static enum status record_decision(struct driver *driver, const struct step_decided *decided,
                                   struct error *err)
{
    const struct step *step = session_step(&driver->session, decided->step);
    bool is_refused = decided->decision == DECISION_VETOED || decided->decision == DECISION_RETRIED;
    unsigned attempt = step->kind == STEP_CANDIDATE && is_refused ? step->attempt : 0;
    enum status st = driver_record(driver, event_make(EVENT_STEP_DECIDED, decided), err);

    /* Commit a refused candidate now: it is not judged, so no verdict will commit it later. */
    if (!st && attempt)
        st = commits_add_attempt(driver->history, &driver->session, attempt, err);
    return st;
}

/* Record an edit; an edit that changes nothing is recorded as accepted. */
static enum status record_edit(struct driver *driver, enum decider by, const struct ruling *ruling,
                               struct error *err)
{
    const struct step *step = session_step(&driver->session, ruling->step);
    struct step_decided decided = {
        .step = ruling->step, .decision = DECISION_EDITED, .by = by, .reason = ruling->reason};
    struct recommendation advice = {0};
    char id[OBJECT_ID_SIZE];
    enum status st = driver_put(driver, ruling->text, id, err);

    if (st)
        return st;
    if (strcmp(id, step->text) == 0)
        decided.decision = DECISION_ACCEPTED;
    else
        decided.text = id;
    if (decided.text && step->kind == STEP_RECOMMENDATION &&
        !recommendation_parse(&advice, ruling->text, NULL)) {
        decided.change = advice.change;
        decided.has_gain = advice.has_gain;
        decided.gain = advice.gain;
    }
    st = record_decision(driver, &decided, err);
    recommendation_release(&advice);
    return st;
}

enum status driver_record_ruling(struct driver *driver, enum decider by,
                                 const struct ruling *ruling, struct error *err)
{
    const struct step_decided decided = {
        .step = ruling->step, .decision = ruling->decision, .by = by, .reason = ruling->reason};

    return ruling->decision == DECISION_EDITED ? record_edit(driver, by, ruling, err)
                                               : record_decision(driver, &decided, err);
}

static enum status wait_for_engineer(struct driver *driver, const struct step *pending,
                                     struct error *err)
{
    enum status st = driver_commit_texts(driver, err);

    if (!st && driver->listener.waiting)
        driver->listener.waiting(driver->listener.data, pending);
    return st;
}

enum status driver_apply_gate(struct driver *driver, struct error *err)
{
    const struct session *s = &driver->session;
    const struct step *pending = session_pending(s);
    const struct rule *rule = driver->rules ? rules_find(driver->rules, s) : NULL;
    char reason[256] = "";
    struct ruling ruling = {.step = pending->number, .reason = reason};

    /* A step that is held for the engineer takes a rule that names it, no general one. */
    if (rule && s->now.is_held && !rule->step)
        rule = NULL;
    if (rule) {
        ruling.decision = rule->decision;
        ruling.text = rule->text;
        ruling.reason = rule->reason;
    } else if (engine_asks(s)) {
        return wait_for_engineer(driver, pending, err);
    } else {
        ruling.decision = engine_policy(s, reason, sizeof(reason));
    }
    return driver_record_ruling(driver, DECIDER_POLICY, &ruling, err);
}
