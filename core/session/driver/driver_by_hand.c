#include "core/session/driver/driver_by_hand.h"

#include "core/session/driver/driver_baselines.h"
#include "core/session/driver/driver_decide.h"
#include "core/session/driver/driver_picture.h"
#include "core/session/driver/driver_prompts.h"
#include "core/session/driver/driver_record.h"
#include "core/session/state/round.h"

void driver_begin_by_hand(struct driver *driver)
{
    driver->live.is_by_hand = true;
    if (driver->live.busy == BUSY_AGENT) {
        driver_cancel_agents(driver);
        driver_set_activity(driver, BUSY_NOT, NULL);
    }
    driver->listener.live(driver->listener.data);
}

void driver_end_by_hand(struct driver *driver)
{
    driver->live.is_by_hand = false;
    driver_schedule(driver);
    driver->listener.live(driver->listener.data);
}

/*
 * True if the attempt that would be proposed to be kept is not the engineer's latest version. Such
 * a proposal waits until the work by hand ends.
 */
static bool is_of_older_attempt(const struct session *session)
{
    return session_subject(session) != session_last_attempt(session);
}

bool driver_by_hand_withholds(const struct driver *driver, enum action action)
{
    const struct session *s = &driver->session;

    if (!driver->live.is_by_hand)
        return false;
    if (action == ACTION_CLOSE)
        return s->now.stage == STAGE_ROUND_END;
    if (action == ACTION_PROPOSE_KEEP)
        return is_of_older_attempt(s);
    return action == ACTION_PROPOSE_PROMPT || action == ACTION_GENERATE || action == ACTION_ANALYSE;
}

/* Record the version as a step of its own, which the engineer has accepted by saving it. */
static enum status propose(struct driver *driver, unsigned attempt, const char *text,
                           struct error *err)
{
    struct step_proposed proposed = {.step = (unsigned)driver->session.steps.count + 1,
                                     .kind = STEP_CANDIDATE,
                                     .attempt = (unsigned)driver->session.attempts.count + 1,
                                     .title = "edited by hand",
                                     .is_by_hand = true,
                                     .edits = attempt};
    const struct ruling accepted = {.step = proposed.step, .decision = DECISION_ACCEPTED};
    char id[OBJECT_ID_SIZE];
    enum status st = driver_put(driver, text, id, err);

    proposed.text = id;
    if (!st)
        st = driver_record(driver, event_make(EVENT_STEP_PROPOSED, &proposed), err);
    return st ? st : driver_record_ruling(driver, DECIDER_ENGINEER, &accepted, err);
}

enum status driver_take_by_hand(struct driver *driver, unsigned attempt, const char *text,
                                struct error *err)
{
    if (driver->is_over || driver->session.now.stage == STAGE_CLOSED)
        return error_set(err, STATUS_INVALID, "the session is closed: the file is not judged");
    driver->is_running = true; /* a save asks for a verdict, also of a paused session */
    if (driver->live.busy == BUSY_STARTING || !round_takes_by_hand(&driver->session))
        return error_set(err, STATUS_UNAVAILABLE,
                         "saved: it will be judged when the current work is done");
    driver_cancel_picture(driver);
    if (driver->live.busy == BUSY_EVALUATING)
        driver_baselines_cancel_judge(driver);
    if (driver->live.busy != BUSY_NOT)
        driver_set_activity(driver, BUSY_NOT, NULL);
    return propose(driver, attempt, text, err);
}
