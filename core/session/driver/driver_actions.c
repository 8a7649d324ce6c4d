#include "core/session/driver/driver_actions.h"

#include "core/session/driver/driver_decide.h"
#include "core/session/driver/driver_judge.h"
#include "core/session/driver/driver_prompts.h"
#include "core/session/driver/driver_propose.h"
#include "core/session/driver/driver_record.h"
#include "core/session/store/commits.h"

static enum status load_problem(struct driver *driver, struct error *err)
{
    struct problem_loaded loaded = {.name = driver->problem.name};
    char id[OBJECT_ID_SIZE];
    enum status st = driver_put(driver, strbuf_cstr(&driver->problem_text), id, err);

    loaded.text = id;
    return st ? st : driver_record(driver, event_make(EVENT_PROBLEM_LOADED, &loaded), err);
}

static enum status commit_candidate(struct driver *driver, struct error *err)
{
    struct candidate_kept kept = {.attempt = session_subject(&driver->session)->number};
    char commit[OBJECT_ID_SIZE];
    enum status st = commits_keep(driver->history, &driver->session, kept.attempt, commit, err);

    kept.commit = commit;
    return st ? st : driver_record(driver, event_make(EVENT_CANDIDATE_KEPT, &kept), err);
}

static enum status warn(struct driver *driver, struct error *err)
{
    const struct budget_used budget = engine_warning(&driver->session);

    return driver_record(driver, event_make(EVENT_BUDGET, &budget), err);
}

static enum status end_run(struct driver *driver, struct error *err)
{
    char reason[256] = "";

    engine_run_ending(&driver->session, reason, sizeof(reason));
    return driver_record(driver, event_make(EVENT_RUN_ENDED, &(struct run_ended){reason}), err);
}

static enum status close_session(struct driver *driver, struct error *err)
{
    char reason[256];
    struct session_closed closed = {.cause = engine_closing(&driver->session), .reason = reason};
    enum status st;

    engine_closing_reason(&driver->session, reason, sizeof(reason));
    st = driver_record(driver, event_make(EVENT_SESSION_CLOSED, &closed), err);
    if (!st)
        driver_end(driver, NULL);
    return st;
}

static enum status (*const actions[])(struct driver *driver, struct error *err) = {
    [ACTION_LOAD_PROBLEM] = load_problem,
    [ACTION_PROPOSE_PROMPT] = driver_propose_prompt,
    [ACTION_DECIDE] = driver_apply_gate,
    [ACTION_GENERATE] = driver_generate,
    [ACTION_PROPOSE_CANDIDATE] = driver_propose_candidate,
    [ACTION_EVALUATE] = driver_evaluate,
    [ACTION_PROPOSE_KEEP] = driver_propose_keep,
    [ACTION_KEEP] = commit_candidate,
    [ACTION_ANALYSE] = driver_analyse,
    [ACTION_PROPOSE_RECOMMENDATION] = driver_propose_recommendation,
    [ACTION_WARN] = warn,
    [ACTION_END_RUN] = end_run,
    [ACTION_CLOSE] = close_session,
};

enum status driver_act(struct driver *driver, enum action action, struct error *err)
{
    return actions[action](driver, err);
}
