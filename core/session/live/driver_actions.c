#include "core/session/live/driver_state.h"

#include <stdio.h>
#include <string.h>

#include "core/agent/prompt/prompt.h"
#include "core/agent/reply/reply.h"
#include "core/model/language.h"
#include "core/session/live/briefing.h"
#include "core/session/state/round.h"
#include "core/session/store/archive.h"

static enum status make_briefing(struct driver *driver, enum agent_task task,
                                 struct briefing *briefing, struct error *err)
{
    briefing->brief.problem = &driver->problem;
    briefing->brief.exchange = driver->session.replies;
    briefing->brief.context = driver->session.limits.context;
    if (!briefing->brief.context)
        briefing->brief.context = driver->terms.context;
    return briefing_make(briefing, task, &driver->session, driver->history, err);
}

static enum status load_problem(struct driver *driver, struct error *err)
{
    struct problem_loaded loaded = {.name = driver->problem.name};
    char id[HISTORY_ID_SIZE];
    enum status st = driver_put(driver, strbuf_cstr(&driver->problem_text), id, err);

    loaded.text = id;
    return st ? st : driver_record(driver, event_problem_loaded(&loaded), err);
}

static const char *prompt_title(const struct attempt *subject)
{
    if (!subject)
        return "write a first version";
    return subject->outcome == OUTCOME_CORRECT ? "make it faster" : "repair it";
}

static enum status propose_prompt(struct driver *driver, struct error *err)
{
    const struct attempt *subject = briefing_subject(TASK_GENERATE, &driver->session);
    struct step_proposed proposed = {.step = (unsigned)driver->session.steps.count + 1,
                                     .kind = STEP_PROMPT,
                                     .attempt = subject ? subject->number : 0,
                                     .title = prompt_title(subject)};
    struct briefing briefing = {0};
    struct strbuf prompt = {0};
    char id[HISTORY_ID_SIZE];
    enum status st = driver_anchor(driver, err);

    if (!st)
        st = make_briefing(driver, TASK_GENERATE, &briefing, err);
    if (!st)
        st = prompt_render(TASK_GENERATE, &briefing.brief, &prompt, err);
    if (!st)
        st = driver_put(driver, strbuf_cstr(&prompt), id, err);
    proposed.text = id;
    if (!st)
        st = driver_record(driver, event_step_proposed(&proposed), err);
    strbuf_release(&prompt);
    briefing_release(&briefing);
    return st;
}

static enum status wait_for_engineer(struct driver *driver, const struct step *pending,
                                     struct error *err)
{
    enum status st = driver_anchor(driver, err);

    if (!st && driver->listener.waiting)
        driver->listener.waiting(driver->listener.data, pending);
    return st;
}

/* By a rule; else where the gate says so it waits for driver_decide(); else as the policy says. */
static enum status decide(struct driver *driver, struct error *err)
{
    const struct session *s = &driver->session;
    const struct step *pending = session_pending(s);
    const struct rule *rule =
        driver->rules && !s->now.is_held ? rules_find(driver->rules, s) : NULL;
    char reason[256] = "";
    struct ruling ruling = {.step = pending->number, .reason = reason};

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

static enum status generate(struct driver *driver, struct error *err)
{
    const struct step *step = session_last_step(&driver->session, STEP_PROMPT);
    struct question question = {.task = TASK_GENERATE,
                                .count = round_missing(&driver->session),
                                .step = step->number,
                                .text = session_step_text(step)};
    struct briefing briefing = {0};
    struct strbuf prompt = {0};
    enum status st = history_get(driver->history, question.text, &prompt, err);

    if (!st)
        st = make_briefing(driver, TASK_GENERATE, &briefing, err);
    question.prompt = strbuf_cstr(&prompt);
    question.brief = &briefing.brief;
    if (!st)
        st = driver_ask(driver, &question, err);
    strbuf_release(&prompt);
    briefing_release(&briefing);
    return st;
}

/* The reply as a candidate: with the plan that follows from its kernel where it has none. */
static enum status complete_reply(struct driver *driver, struct strbuf *completed,
                                  char id[HISTORY_ID_SIZE], struct error *err)
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

static enum status propose_candidate(struct driver *driver, struct error *err)
{
    const struct session *s = &driver->session;
    struct step_proposed proposed = {.step = (unsigned)s->steps.count + 1,
                                     .kind = STEP_CANDIDATE,
                                     .attempt = (unsigned)s->attempts.count + 1};
    struct strbuf reply = {0}, title = {0};
    char id[HISTORY_ID_SIZE];
    enum status st = complete_reply(driver, &reply, id, err);

    title_of(&reply, s->language, &title);
    proposed.text = id;
    proposed.title = strbuf_cstr(&title);
    if (!st)
        st = driver_record(driver, event_step_proposed(&proposed), err);
    strbuf_release(&title);
    strbuf_release(&reply);
    return st;
}

enum status driver_finish_evaluation(struct driver *driver, const struct verdict *verdict,
                                     const struct json *encoded, struct error *err)
{
    unsigned attempt = session_subject(&driver->session)->number;
    struct evaluation_finished finished = event_summarise(verdict);
    struct strbuf text = {0};
    char id[HISTORY_ID_SIZE];
    enum status st;

    json_print_pretty(encoded, &text);
    st = driver_put(driver, strbuf_cstr(&text), id, err);
    finished.attempt = attempt;
    finished.verdict = id;
    finished.wall_us = clock_now_us() - driver->evaluating_since_us;
    if (!st)
        st = driver_record(driver, event_evaluation_finished(&finished), err);
    if (!st)
        st = archive_candidate(driver->history, &driver->session, attempt, err);
    strbuf_release(&text);
    return st;
}

static enum status finish_bad_reply(struct driver *driver, const struct error *why,
                                    struct error *err)
{
    struct verdict verdict = {0};
    struct json *encoded;
    enum status st;

    verdict_conclude(&verdict, OUTCOME_BAD_REPLY, "%s", why->text);
    encoded = verdict_encode(&verdict);
    st = driver_finish_evaluation(driver, &verdict, encoded, err);
    json_free(encoded);
    verdict_release(&verdict);
    return st;
}

/* The candidate of an attempt. `why` says what is wrong with a reply that has none. */
static enum status load_candidate(struct driver *driver, const struct attempt *attempt,
                                  struct candidate *candidate, struct error *why, struct error *err)
{
    struct strbuf reply = {0};
    enum status st = history_get(driver->history, attempt->candidate, &reply, err);

    why->code = STATUS_OK;
    if (!st)
        why->code = reply_parse(strbuf_cstr(&reply), driver->session.language, candidate, why);
    strbuf_release(&reply);
    return st;
}

/* The analyst of the best candidate is to have its profile, where there is a profiler for it. */
static struct judge_looks looks_of(const struct session *session)
{
    return (struct judge_looks){.profile = language_of(session->language)->has_nvidia_tools,
                                .skips_slower = true};
}

static enum status start_evaluation(struct driver *driver, const struct attempt *attempt,
                                    const struct candidate *candidate, struct error *err)
{
    const struct attempt *best = session_attempt(&driver->session, driver->session.now.best);
    struct evaluation_started started = {.attempt = attempt->number,
                                         .candidate = attempt->candidate};
    struct candidate best_candidate = {0};
    struct judge_request request = {.candidate = candidate};
    struct error why = {0};
    enum status st = driver_record(driver, event_evaluation_started(&started), err);

    if (!st && best)
        st = load_candidate(driver, best, &best_candidate, &why, err);
    request.best = best_candidate.source ? &best_candidate : NULL;
    request.looks = looks_of(&driver->session);
    if (!st)
        st = evaluator_evaluate(driver->evaluator, &request, err);
    if (!st)
        driver_set_activity(driver, BUSY_EVALUATING, "evaluating");
    candidate_release(&best_candidate);
    return st;
}

static enum status evaluate(struct driver *driver, struct error *err)
{
    const struct attempt *attempt = session_subject(&driver->session);
    struct candidate candidate = {0};
    struct error why;
    enum status st = load_candidate(driver, attempt, &candidate, &why, err);

    driver->evaluating_since_us = clock_now_us();
    if (!st && why.code)
        st = finish_bad_reply(driver, &why, err);
    else if (!st)
        st = start_evaluation(driver, attempt, &candidate, err);
    candidate_release(&candidate);
    return st;
}

static enum status propose_keep(struct driver *driver, struct error *err)
{
    const struct attempt *attempt = session_subject(&driver->session);
    struct step_proposed proposed = {.step = (unsigned)driver->session.steps.count + 1,
                                     .kind = STEP_KEEP,
                                     .attempt = attempt->number,
                                     .title = attempt->title,
                                     .text = attempt->candidate};

    return driver_record(driver, event_step_proposed(&proposed), err);
}

static enum status keep(struct driver *driver, struct error *err)
{
    struct candidate_kept kept = {.attempt = session_subject(&driver->session)->number};
    char commit[HISTORY_ID_SIZE];
    enum status st = archive_keep(driver->history, &driver->session, kept.attempt, commit, err);

    kept.commit = commit;
    return st ? st : driver_record(driver, event_candidate_kept(&kept), err);
}

static enum status analyse(struct driver *driver, struct error *err)
{
    struct question question = {.task = TASK_ANALYSE, .count = 1};
    struct briefing briefing = {0};
    struct strbuf prompt = {0};
    char id[HISTORY_ID_SIZE];
    enum status st = make_briefing(driver, TASK_ANALYSE, &briefing, err);

    if (!st)
        st = prompt_render(TASK_ANALYSE, &briefing.brief, &prompt, err);
    if (!st)
        st = driver_put(driver, strbuf_cstr(&prompt), id, err);
    question.text = id;
    question.prompt = strbuf_cstr(&prompt);
    question.brief = &briefing.brief;
    if (!st)
        st = driver_ask(driver, &question, err);
    strbuf_release(&prompt);
    briefing_release(&briefing);
    return st;
}

static enum status propose_recommendation(struct driver *driver, struct error *err)
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
    st = driver_record(driver, event_step_proposed(&proposed), err);
    recommendation_release(&advice);
    strbuf_release(&reply);
    return st;
}

static enum status warn(struct driver *driver, struct error *err)
{
    const struct budget_used budget = engine_warning(&driver->session);

    return driver_record(driver, event_budget(&budget), err);
}

static enum status end_run(struct driver *driver, struct error *err)
{
    char reason[256] = "";

    engine_run_ending(&driver->session, reason, sizeof(reason));
    return driver_record(driver, event_run_ended(&(struct run_ended){reason}), err);
}

static enum status close_session(struct driver *driver, struct error *err)
{
    char reason[256];
    struct session_closed closed = {.cause = engine_closing(&driver->session), .reason = reason};
    enum status st;

    engine_closing_reason(&driver->session, reason, sizeof(reason));
    st = driver_record(driver, event_session_closed(&closed), err);
    if (!st)
        driver_end(driver, NULL);
    return st;
}

static enum status (*const actions[])(struct driver *driver, struct error *err) = {
    [ACTION_LOAD_PROBLEM] = load_problem,
    [ACTION_PROPOSE_PROMPT] = propose_prompt,
    [ACTION_DECIDE] = decide,
    [ACTION_GENERATE] = generate,
    [ACTION_PROPOSE_CANDIDATE] = propose_candidate,
    [ACTION_EVALUATE] = evaluate,
    [ACTION_PROPOSE_KEEP] = propose_keep,
    [ACTION_KEEP] = keep,
    [ACTION_ANALYSE] = analyse,
    [ACTION_PROPOSE_RECOMMENDATION] = propose_recommendation,
    [ACTION_WARN] = warn,
    [ACTION_END_RUN] = end_run,
    [ACTION_CLOSE] = close_session,
};

enum status driver_act(struct driver *driver, enum action action, struct error *err)
{
    return actions[action](driver, err);
}
