#include <string.h>

#include "core/agent/prompt/attachment.h"
#include "core/base/media.h"
#include "core/session/live/driver_state.h"
#include "core/session/store/archive.h"
#include "core/system/file.h"

enum { ATTACHMENT_MAX_BYTES = 16 << 20 }; /* attachment_check() knows better */

static enum status record_decision(struct driver *driver, const struct step_decided *decided,
                                   struct error *err)
{
    const struct step *step = session_step(&driver->session, decided->step);
    bool is_refused = decided->decision == DECISION_VETOED || decided->decision == DECISION_RETRIED;
    unsigned attempt = step->kind == STEP_CANDIDATE && is_refused ? step->attempt : 0;
    enum status st = driver_record(driver, event_step_decided(decided), err);

    /* A candidate that is never judged is kept for the record all the same. */
    if (!st && attempt)
        st = archive_candidate(driver->history, &driver->session, attempt, err);
    return st;
}

/* Record what was made of a step's text. */
static enum status record_edit(struct driver *driver, enum decider by, const struct ruling *ruling,
                               struct error *err)
{
    const struct step *step = session_step(&driver->session, ruling->step);
    struct step_decided decided = {
        .step = ruling->step, .decision = DECISION_EDITED, .by = by, .reason = ruling->reason};
    struct recommendation advice = {0};
    char id[HISTORY_ID_SIZE];
    enum status st = driver_put(driver, ruling->text, id, err);

    if (st)
        return st;
    if (strcmp(id, step->text) == 0)
        decided.decision = DECISION_ACCEPTED; /* edited to what it was */
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

enum status driver_decide(struct driver *driver, const struct ruling *ruling, struct error *err)
{
    const struct step *pending = session_pending(&driver->session);

    if (!pending || pending->number != ruling->step)
        return error_set(err, STATUS_INVALID, "step %u is not waiting for a decision",
                         ruling->step);
    return driver_record_ruling(driver, DECIDER_ENGINEER, ruling, err);
}

/* Record what comes from the engineer's side, at any time.  Takes the event. */
static enum status record_request(struct driver *driver, struct event event, struct error *err)
{
    if (driver->journal)
        return driver_record(driver, event, err);
    event_release(&event);
    return error_set(err, STATUS_INVALID, "the session has not begun");
}

/* The loop goes on from elsewhere: what is under way is for nothing, and the branch follows. */
static enum status turn_back(struct driver *driver, struct event event, struct error *err)
{
    const struct attempt *tip = session_tip(&driver->session);
    enum status st = session_check(&driver->session, &event, err);

    if (st) {
        event_release(&event);
        return st;
    }
    driver_break_off(driver);
    st = driver_record(driver, event, err);
    return st ? st : archive_follow(driver->history, &driver->session, tip, err);
}

enum status driver_undo(struct driver *driver, struct error *err)
{
    const struct step_undone undone = {session_undoable(&driver->session)};

    if (undone.step == 0)
        return error_set(err, STATUS_INVALID, "no decision of yours is left to take back");
    return turn_back(driver, event_step_undone(&undone), err);
}

enum status driver_redo(struct driver *driver, struct error *err)
{
    const struct step_redone redone = {session_redoable(&driver->session)};

    if (redone.step == 0)
        return error_set(err, STATUS_INVALID, "no decision of yours was taken back");
    return turn_back(driver, event_step_redone(&redone), err);
}

enum status driver_answer(struct driver *driver, const char *text, struct error *err)
{
    for (size_t i = 0; i < ROUND_ATTEMPTS; i++)
        if (driver->asked[i].is_busy)
            return agent_answer(driver->asked[i].agent, text, err);
    return error_set(err, STATUS_INVALID, "no reply is awaited");
}

enum status driver_say(struct driver *driver, const char *text, struct error *err)
{
    return record_request(driver, event_note(&(struct note){.text = text}), err);
}

enum status driver_tag(struct driver *driver, unsigned attempt, const char *tag, struct error *err)
{
    const struct candidate_tagged tagged = {.attempt = attempt, .tag = tag};

    return record_request(driver, event_candidate_tagged(&tagged), err);
}

enum status driver_attach(struct driver *driver, const char *path, struct error *err)
{
    struct attachment attachment = {.name = file_name(path)};
    char id[HISTORY_ID_SIZE];
    struct strbuf bytes = {0};
    enum status st = file_read(path, ATTACHMENT_MAX_BYTES, &bytes, err);

    if (!st)
        st =
            attachment_check(&(struct brief_attachment){path, strbuf_cstr(&bytes), bytes.len}, err);
    if (!st)
        st = history_put(driver->history, bytes.data, bytes.len, id, err);
    attachment.media_type = media_type(strbuf_cstr(&bytes), bytes.len);
    attachment.text = id;
    if (!st)
        st = record_request(driver, event_attachment(&attachment), err);
    strbuf_release(&bytes);
    return st;
}

enum status driver_close_session(struct driver *driver, struct error *err)
{
    const struct session_closed closed = {.cause = CLOSING_ASKED,
                                          .reason = "the engineer ended it"};

    if (driver->journal)
        driver_break_off(driver);
    return record_request(driver, event_session_closed(&closed), err);
}

enum status driver_set_policy(struct driver *driver, enum step_kind kind, enum gate_mode mode,
                              struct error *err)
{
    const struct policy_changed changed = {.kind = kind, .mode = mode};

    return record_request(driver, event_policy_changed(&changed), err);
}

enum status driver_run_on(struct driver *driver, const struct run_limits *limits, struct error *err)
{
    return record_request(driver, event_run_started(limits), err);
}

enum status driver_end_run(struct driver *driver, struct error *err)
{
    return record_request(driver, event_run_ended(&(struct run_ended){"the engineer ended it"}),
                          err);
}
