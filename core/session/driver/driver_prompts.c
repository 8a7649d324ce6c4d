#include "core/session/driver/driver_prompts.h"

#include <string.h>

#include "core/agent/prompt/prompt.h"
#include "core/session/driver/briefing.h"
#include "core/session/driver/driver_record.h"
#include "core/session/driver/driver_roles.h"
#include "core/session/state/round.h"

/* A prompt for one or more agents.  Texts and brief are borrowed for the call. */
struct question {
    enum agent_task task;
    unsigned count;   /* number of replies to ask for */
    unsigned step;    /* the step that proposed the prompt; 0 for an analysis */
    const char *text; /* blob: the prompt */
    const char *prompt;
    const struct brief *brief;
};

/* Estimate what the exchange has cost so far; the provider counts only at its end. */
static void estimate_cost(struct driver *driver)
{
    struct driver_live *live = &driver->live;
    struct usage usage = {.has_tokens = true,
                          .prompt_tokens = (int64_t)(live->prompt_bytes / BYTES_PER_TOKEN)};

    live->has_price = true;
    live->usd = 0;
    for (unsigned i = 0; i < live->stream_count; i++) {
        size_t bytes = live->streams[i].len + live->thoughts[i].text.len;
        double usd = 0;

        usage.reply_tokens = (int64_t)(bytes / BYTES_PER_TOKEN);
        live->has_price &= ledger_cost(&driver->asked[i].model->terms, &usage, &usd);
        live->usd += usd;
    }
}

static void on_thought(void *data, const char *text, size_t len)
{
    const struct asked_agent *asked = data;
    struct driver *driver = asked->driver;
    struct driver_thoughts *thoughts = &driver->live.thoughts[asked - driver->asked];

    strbuf_add(&thoughts->text, text, len);
    thoughts->last_us = clock_now_us();
    if (!thoughts->first_us)
        thoughts->first_us = thoughts->last_us;
    if (!driver->live.first_part_us)
        driver->live.first_part_us = thoughts->first_us;
    estimate_cost(driver);
    driver->listener.live(driver->listener.data);
}

static void on_text(void *data, const char *text, size_t len)
{
    struct asked_agent *asked = data;
    struct driver *driver = asked->driver;

    strbuf_add(&asked->reply, text, len);
    strbuf_add(&driver->live.streams[asked - driver->asked], text, len);
    if (!driver->live.first_part_us)
        driver->live.first_part_us = clock_now_us();
    estimate_cost(driver);
    driver->listener.live(driver->listener.data);
}

static void on_notice(void *data, const char *line)
{
    driver_set_notice(((struct asked_agent *)data)->driver, line);
}

/* If no agent is busy any more, continue the loop, or end the driver if an agent failed. */
static void settle(struct driver *driver, const struct error *err)
{
    for (size_t i = 0; i < ROUND_ATTEMPTS; i++)
        if (driver->asked[i].is_busy)
            return;
    loop_clear_timer(driver->loop, &driver->deadline);
    if (err)
        driver_end(driver, err);
    else
        driver_set_activity(driver, BUSY_NOT, NULL);
}

static enum status take_reply(struct asked_agent *asked, const struct usage *usage,
                              struct error *err)
{
    struct driver *driver = asked->driver;
    struct model_reply reply = {.task = agent_task_name(driver->task),
                                .agent = asked->model->name,
                                .has_tokens = usage->has_tokens,
                                .prompt_tokens = usage->prompt_tokens,
                                .cached_tokens = usage->cached_tokens,
                                .reply_tokens = usage->reply_tokens,
                                .latency_us = usage->latency_us};
    char id[OBJECT_ID_SIZE];
    enum status st = driver_put(driver, strbuf_cstr(&asked->reply), id, err);

    reply.text = id;
    reply.has_cost = ledger_cost(&asked->model->terms, usage, &reply.cost_usd);
    return st ? st : driver_record(driver, event_make(EVENT_MODEL_REPLY, &reply), err);
}

/* A failure is reported after all agents are done, because their replies are paid for. */
static void on_done(void *data, const struct usage *usage)
{
    struct asked_agent *asked = data;
    struct driver *driver = asked->driver;
    struct error err;

    asked->is_busy = false;
    if (take_reply(asked, usage, &err))
        driver_end(driver, &err);
    else
        settle(driver, driver->agent_failure.code ? &driver->agent_failure : NULL);
}

static void on_failed(void *data, const struct error *err)
{
    struct asked_agent *asked = data;

    asked->is_busy = false;
    asked->driver->agent_failure = *err;
    settle(asked->driver, err);
}

/* Record a cancelled request, with the part of the reply that arrived. */
static enum status record_cancelled(struct asked_agent *asked, struct error *err)
{
    struct driver *driver = asked->driver;
    struct model_cancelled cancelled = {.task = agent_task_name(driver->task),
                                        .agent = asked->model->name,
                                        .latency_us = clock_now_us() - driver->live.since_us,
                                        .reason = "the budget of minutes is used up"};
    char id[OBJECT_ID_SIZE];
    enum status st = STATUS_OK;

    if (asked->reply.len > 0) {
        st = driver_put(driver, strbuf_cstr(&asked->reply), id, err);
        cancelled.text = id;
    }
    return st ? st : driver_record(driver, event_make(EVENT_MODEL_CANCELLED, &cancelled), err);
}

static void give_up(void *data)
{
    struct driver *driver = data;
    struct error err;
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < ROUND_ATTEMPTS; i++) {
        if (!driver->asked[i].is_busy)
            continue;
        driver->asked[i].is_busy = false;
        driver->asked[i].agent->ops->cancel(driver->asked[i].agent);
        st = record_cancelled(&driver->asked[i], &err);
    }
    driver_set_activity(driver, BUSY_NOT, NULL);
    if (st)
        driver_end(driver, &err);
}

/* Cancel the agents when the budget of minutes is used up. */
static void set_deadline(struct driver *driver)
{
    const struct session *s = &driver->session;
    double left = s->limits.budget[RESOURCE_MINUTES] - s->used[RESOURCE_MINUTES];

    if (s->limits.budget[RESOURCE_MINUTES] > 0)
        loop_set_timer(driver->loop, &driver->deadline, (int64_t)(left * 60e6) + 1, give_up,
                       driver);
}

void driver_cancel_agents(struct driver *driver)
{
    loop_clear_timer(driver->loop, &driver->deadline);
    for (size_t i = 0; i < ROUND_ATTEMPTS; i++) {
        if (driver->asked[i].is_busy)
            driver->asked[i].agent->ops->cancel(driver->asked[i].agent);
        driver->asked[i].is_busy = false;
    }
}

/* The agent that answers in a slot. */
static const char *agent_for(const struct driver *driver, enum agent_task task, unsigned slot)
{
    return task == TASK_GENERATE ? round_writer(&driver->session, slot)
                                 : session_analyst(&driver->session);
}

static enum status ask_one(struct driver *driver, unsigned slot, const struct question *question,
                           struct error *err)
{
    struct asked_agent *asked = &driver->asked[slot];
    const struct provider_listener listener = {.text = on_text,
                                               .thought = on_thought,
                                               .notice = on_notice,
                                               .done = on_done,
                                               .failed = on_failed,
                                               .data = asked};
    const struct model_request request = {.step = question->step,
                                          .task = agent_task_name(question->task),
                                          .agent = asked->model->name,
                                          .text = question->text};
    struct brief brief = *question->brief;
    const struct agent_request asking = {question->task, &brief, question->prompt};
    enum status st;

    brief.exchange += slot;
    brief.attempt += slot + driver->session.now.reply_count;
    strbuf_release(&asked->reply);
    st = driver_record(driver, event_make(EVENT_MODEL_REQUEST, &request), err);
    if (!st)
        st = asked->agent->ops->start(asked->agent, &asking, &listener, err);
    asked->is_busy = !st;
    return st;
}

static void reset_live(struct driver_live *live, const struct question *question)
{
    live->notice[0] = '\0';
    for (unsigned i = 0; i < ROUND_ATTEMPTS; i++) {
        strbuf_release(&live->streams[i]);
        strbuf_release(&live->thoughts[i].text);
        live->thoughts[i] = (struct driver_thoughts){0};
    }
    live->stream_count = question->count;
    live->first_part_us = 0;
    live->prompt_bytes = strlen(question->prompt);
    live->has_price = false;
}

static enum status ask(struct driver *driver, const struct question *question, struct error *err)
{
    enum status st = STATUS_OK;

    driver->task = question->task;
    driver->agent_failure = (struct error){0};
    reset_live(&driver->live, question);
    for (unsigned i = 0; !st && i < question->count; i++)
        st = driver_take_agent(driver, i, agent_for(driver, question->task, i), err);
    for (unsigned i = 0; !st && i < question->count; i++)
        st = ask_one(driver, i, question, err);
    if (st)
        return st;
    set_deadline(driver);
    driver_set_activity(driver, BUSY_AGENT,
                        question->task == TASK_GENERATE ? "generating" : "analysing");
    return STATUS_OK;
}

static enum status make_briefing(struct driver *driver, enum agent_task task,
                                 struct briefing *briefing, struct error *err)
{
    briefing->brief.problem = &driver->problem;
    briefing->brief.exchange = driver->session.replies;
    briefing->brief.context = driver->session.limits.context;
    if (!briefing->brief.context)
        briefing->brief.context = driver_context(driver, task);
    return briefing_make(briefing, task, &driver->session, driver->history, err);
}

enum status driver_render_prompt(struct driver *driver, enum agent_task task, struct strbuf *prompt,
                                 struct error *err)
{
    struct briefing briefing = {0};
    enum status st = make_briefing(driver, task, &briefing, err);

    if (!st)
        st = prompt_render(task, &briefing.brief, prompt, err);
    briefing_release(&briefing);
    return st;
}

enum status driver_generate(struct driver *driver, struct error *err)
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
        st = ask(driver, &question, err);
    strbuf_release(&prompt);
    briefing_release(&briefing);
    return st;
}

enum status driver_analyse(struct driver *driver, struct error *err)
{
    struct question question = {.task = TASK_ANALYSE, .count = 1};
    struct briefing briefing = {0};
    struct strbuf prompt = {0};
    char id[OBJECT_ID_SIZE];
    enum status st = make_briefing(driver, TASK_ANALYSE, &briefing, err);

    if (!st)
        st = prompt_render(TASK_ANALYSE, &briefing.brief, &prompt, err);
    if (!st)
        st = driver_put(driver, strbuf_cstr(&prompt), id, err);
    question.text = id;
    question.prompt = strbuf_cstr(&prompt);
    question.brief = &briefing.brief;
    if (!st)
        st = ask(driver, &question, err);
    strbuf_release(&prompt);
    briefing_release(&briefing);
    return st;
}
