#include "core/session/driver/driver_engineer.h"

#include <string.h>

#include "core/agent/prompt/attachment.h"
#include "core/base/formats/media.h"
#include "core/model/language.h"
#include "core/session/driver/driver_baselines.h"
#include "core/session/driver/driver_decide.h"
#include "core/session/driver/driver_language.h"
#include "core/session/driver/driver_picture.h"
#include "core/session/driver/driver_prompts.h"
#include "core/session/driver/driver_record.h"
#include "core/session/state/fold.h"
#include "core/session/store/commits.h"
#include "core/system/file.h"

enum { ATTACHMENT_MAX_BYTES = 16 << 20 }; /* attachment_check() has the exact limits */

enum status driver_decide(struct driver *driver, const struct ruling *ruling, struct error *err)
{
    const struct step *pending = session_pending(&driver->session);

    if (!pending || pending->number != ruling->step)
        return error_set(err, STATUS_INVALID, "step %u does not wait for a decision", ruling->step);
    return driver_record_ruling(driver, DECIDER_ENGINEER, ruling, err);
}

static void break_off(struct driver *driver)
{
    driver_cancel_agents(driver);
    driver_cancel_picture(driver);
    if (driver->live.busy == BUSY_EVALUATING)
        driver_baselines_cancel_judge(driver);
    if (driver->live.busy != BUSY_STARTING)
        driver_set_activity(driver, BUSY_NOT, NULL);
}

/* Record an event of the engineer, if the session exists.  Takes the event. */
static enum status record_request(struct driver *driver, struct event event, struct error *err)
{
    if (driver->journal)
        return driver_record(driver, event, err);
    event_release(&event);
    return error_set(err, STATUS_INVALID, "the session has not begun: the judge is still starting");
}

/* Cancel the work under way, record an undo or a redo, and move the branch.  Takes the event. */
static enum status turn_back(struct driver *driver, struct event event, struct error *err)
{
    const struct attempt *tip = session_tip(&driver->session);
    enum status st = fold_check(&driver->session, &event, err);

    if (st) {
        event_release(&event);
        return st;
    }
    break_off(driver);
    st = driver_record(driver, event, err);
    return st ? st : commits_move_branch(driver->history, &driver->session, tip, err);
}

enum status driver_undo(struct driver *driver, struct error *err)
{
    const struct step_undone undone = {session_undoable(&driver->session)};

    if (undone.step == 0)
        return error_set(err, STATUS_INVALID, "no decision of yours is left to undo");
    return turn_back(driver, event_make(EVENT_STEP_UNDONE, &undone), err);
}

enum status driver_redo(struct driver *driver, struct error *err)
{
    const struct step_redone redone = {session_redoable(&driver->session)};

    if (redone.step == 0)
        return error_set(err, STATUS_INVALID, "no decision of yours was undone");
    return turn_back(driver, event_make(EVENT_STEP_REDONE, &redone), err);
}

enum status driver_answer(struct driver *driver, const char *text, struct error *err)
{
    for (size_t i = 0; i < ROUND_ATTEMPTS; i++) {
        struct agent *agent = driver->asked[i].agent;

        if (driver->asked[i].is_busy)
            return agent->ops->answer
                       ? agent->ops->answer(agent, text, err)
                       : error_set(err, STATUS_INVALID,
                                   "%s takes no pasted reply: it writes its own", agent->ops->name);
    }
    return error_set(err, STATUS_INVALID, "no agent waits for a reply");
}

enum status driver_say(struct driver *driver, const char *text, struct error *err)
{
    if (!text[strspn(text, " \t\n")])
        return error_set(err, STATUS_INVALID, "an empty note: expected its text");
    return record_request(driver, event_make(EVENT_NOTE, &(struct note){.text = text}), err);
}

enum status driver_tag(struct driver *driver, unsigned attempt, const char *tag, struct error *err)
{
    const struct candidate_tagged tagged = {.attempt = attempt, .tag = tag};

    return record_request(driver, event_make(EVENT_CANDIDATE_TAGGED, &tagged), err);
}

/* Append the bytes of a file that a model can be given. */
static enum status read_attachment(const char *path, struct strbuf *bytes, struct error *err)
{
    enum status st = file_read(path, ATTACHMENT_MAX_BYTES, bytes, err);

    if (st)
        return st;
    return attachment_check(
        &(struct brief_attachment){.name = path, .bytes = strbuf_cstr(bytes), .len = bytes->len},
        err);
}

enum status driver_check_attachment(const char *path, struct error *err)
{
    struct strbuf bytes = {0};
    enum status st = read_attachment(path, &bytes, err);

    strbuf_release(&bytes);
    return st;
}

enum status driver_attach(struct driver *driver, const char *path, struct error *err)
{
    struct attachment attachment = {.name = file_name(path)};
    char id[OBJECT_ID_SIZE];
    struct strbuf bytes = {0};
    enum status st = read_attachment(path, &bytes, err);

    if (!st)
        st = history_put(driver->history, bytes.data, bytes.len, id, err);
    attachment.media_type = media_type(strbuf_cstr(&bytes), bytes.len);
    attachment.text = id;
    if (!st)
        st = record_request(driver, event_make(EVENT_ATTACHMENT, &attachment), err);
    strbuf_release(&bytes);
    return st;
}

enum status driver_close_session(struct driver *driver, struct error *err)
{
    const struct session_closed closed = {.cause = CLOSING_ASKED,
                                          .reason = "the engineer ended the session"};

    if (driver->journal)
        break_off(driver);
    return record_request(driver, event_make(EVENT_SESSION_CLOSED, &closed), err);
}

enum status driver_set_policy(struct driver *driver, enum step_kind kind, enum gate_mode mode,
                              struct error *err)
{
    const struct policy_changed changed = {.kind = kind, .mode = mode};

    return record_request(driver, event_make(EVENT_POLICY_CHANGED, &changed), err);
}

enum status driver_set_language(struct driver *driver, const char *language, struct error *err)
{
    const struct language_changed changed = {.language = language};
    enum status st = STATUS_OK;

    if (!language_of(language)->name)
        st = language_refuse(language, err);
    if (!st && driver->journal)
        st = driver_check_language(driver, language, err);

    return st ? st : record_request(driver, event_make(EVENT_LANGUAGE_CHANGED, &changed), err);
}

enum status driver_run_on(struct driver *driver, const struct run_limits *limits, struct error *err)
{
    return record_request(driver, event_make(EVENT_RUN_STARTED, limits), err);
}

enum status driver_end_run(struct driver *driver, struct error *err)
{
    if (!driver->session.run.is_on)
        return error_set(err, STATUS_INVALID,
                         "no run is under way: change the policy to decide yourself");
    return record_request(
        driver, event_make(EVENT_RUN_ENDED, &(struct run_ended){"the engineer ended the run"}),
        err);
}

void driver_interrupt(struct driver *driver)
{
    break_off(driver);
    driver->is_running = false;
    driver->listener.live(driver->listener.data);
}
