#include "core/session/driver/driver_actions.h"

#include "core/agent/reply/reply.h"
#include "core/agent/reply/reply_derive.h"
#include "core/session/driver/briefing.h"
#include "core/session/driver/driver_decide.h"
#include "core/session/driver/driver_judge.h"
#include "core/session/driver/driver_picture.h"
#include "core/session/driver/driver_prompts.h"
#include "core/session/driver/driver_record.h"
#include "core/session/driver/driver_reference.h"
#include "core/session/store/commits.h"

/* Proposes steps: each function records one step.proposed, on which the gate then decides. */

static const char *prompt_title(const struct session *session, const struct attempt *subject)
{
    if (!subject)
        return session->now.best ? "port it to another language" : "write a first version";
    return subject->outcome == OUTCOME_CORRECT ? "make it faster" : "repair it";
}

/* Propose a prompt that is rendered from the present state. */
static enum status driver_propose_prompt(struct driver *driver, struct error *err)
{
    const struct attempt *subject = briefing_subject(TASK_GENERATE, &driver->session);
    struct step_proposed proposed = {.step = (unsigned)driver->session.steps.count + 1,
                                     .kind = STEP_PROMPT,
                                     .attempt = subject ? subject->number : 0,
                                     .title = prompt_title(&driver->session, subject)};
    struct strbuf prompt = {0};
    char id[OBJECT_ID_SIZE];
    enum status st = driver_commit_texts(driver, err);

    if (!st)
        st = driver_render_prompt(driver, TASK_GENERATE, &prompt, err);
    if (!st)
        st = driver_put(driver, strbuf_cstr(&prompt), id, err);
    proposed.text = id;
    if (!st)
        st = driver_record(driver, event_make(EVENT_STEP_PROPOSED, &proposed), err);
    strbuf_release(&prompt);
    return st;
}

/* Add a plan to a reply that has a kernel without one, if the plan follows from the kernel. */
static enum status complete_reply(struct driver *driver, struct strbuf *completed,
                                  char id[OBJECT_ID_SIZE], struct error *err)
{
    const struct session *s = &driver->session;
    struct strbuf reply = {0};
    enum status st = history_get(driver->history, s->arrived[0].text, &reply, err);

    if (!st &&
        reply_derive_plan(strbuf_cstr(&reply), s->language, &driver->problem, completed, NULL))
        strbuf_add(completed, strbuf_cstr(&reply), reply.len);
    if (!st)
        st = driver_put(driver, strbuf_cstr(completed), id, err);
    strbuf_release(&reply);
    return st;
}

static void title_of(const struct strbuf *reply, const char *language, struct strbuf *title)
{
    struct candidate candidate = {0};

    if (reply_parse(strbuf_cstr(reply), language, &candidate, NULL))
        strbuf_adds(title, "a reply without a kernel");
    else
        reply_title(&candidate, "a kernel", title);
    candidate_release(&candidate);
}

/* Propose the oldest waiting reply as the candidate of a new attempt. */
static enum status driver_propose_candidate(struct driver *driver, struct error *err)
{
    const struct session *s = &driver->session;
    struct step_proposed proposed = {.step = (unsigned)s->steps.count + 1,
                                     .kind = STEP_CANDIDATE,
                                     .attempt = (unsigned)s->attempts.count + 1};
    struct strbuf reply = {0}, title = {0};
    char id[OBJECT_ID_SIZE];
    enum status st = complete_reply(driver, &reply, id, err);

    title_of(&reply, s->language, &title);
    proposed.text = id;
    proposed.title = strbuf_cstr(&title);
    if (!st)
        st = driver_record(driver, event_make(EVENT_STEP_PROPOSED, &proposed), err);
    strbuf_release(&title);
    strbuf_release(&reply);
    return st;
}

/* Propose to keep the current attempt. */
static enum status driver_propose_keep(struct driver *driver, struct error *err)
{
    const struct attempt *attempt = session_subject(&driver->session);
    struct step_proposed proposed = {.step = (unsigned)driver->session.steps.count + 1,
                                     .kind = STEP_KEEP,
                                     .attempt = attempt->number,
                                     .title = attempt->title,
                                     .text = attempt->candidate};

    return driver_record(driver, event_make(EVENT_STEP_PROPOSED, &proposed), err);
}

/* Propose the recommendation in the reply of an analysis. */
static enum status driver_propose_recommendation(struct driver *driver, struct error *err)
{
    const struct attempt *subject = briefing_subject(TASK_ANALYSE, &driver->session);
    struct step_proposed proposed = {.step = (unsigned)driver->session.steps.count + 1,
                                     .kind = STEP_RECOMMENDATION,
                                     .attempt = subject->number,
                                     .text = driver->session.arrived[0].text};
    struct recommendation advice = {0};
    struct strbuf reply = {0};
    enum status st = history_get(driver->history, driver->session.arrived[0].text, &reply, err);

    if (st)
        return st;
    if (!recommendation_parse(&advice, strbuf_cstr(&reply), NULL)) {
        proposed.bottleneck = advice.bottleneck;
        proposed.evidence = advice.evidence;
        proposed.change = advice.change;
        proposed.tags = advice.tags;
        proposed.has_gain = advice.has_gain;
        proposed.gain = advice.gain;
    }
    proposed.title = proposed.change ? proposed.change : "advice in prose";
    st = driver_record(driver, event_make(EVENT_STEP_PROPOSED, &proposed), err);
    recommendation_release(&advice);
    strbuf_release(&reply);
    return st;
}

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
    [ACTION_JUDGE_REFERENCE] = driver_judge_reference,
    [ACTION_TAKE_PICTURE] = driver_take_picture,
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
