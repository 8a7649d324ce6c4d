#include "core/session/driver/driver_propose.h"

#include "core/agent/reply/reply.h"
#include "core/agent/reply/reply_derive.h"
#include "core/session/driver/briefing.h"
#include "core/session/driver/driver_prompts.h"
#include "core/session/driver/driver_record.h"

static const char *prompt_title(const struct attempt *subject)
{
    if (!subject)
        return "write a first version";
    return subject->outcome == OUTCOME_CORRECT ? "make it faster" : "repair it";
}

enum status driver_propose_prompt(struct driver *driver, struct error *err)
{
    const struct attempt *subject = briefing_subject(TASK_GENERATE, &driver->session);
    struct step_proposed proposed = {.step = (unsigned)driver->session.steps.count + 1,
                                     .kind = STEP_PROMPT,
                                     .attempt = subject ? subject->number : 0,
                                     .title = prompt_title(subject)};
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

enum status driver_propose_candidate(struct driver *driver, struct error *err)
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

enum status driver_propose_keep(struct driver *driver, struct error *err)
{
    const struct attempt *attempt = session_subject(&driver->session);
    struct step_proposed proposed = {.step = (unsigned)driver->session.steps.count + 1,
                                     .kind = STEP_KEEP,
                                     .attempt = attempt->number,
                                     .title = attempt->title,
                                     .text = attempt->candidate};

    return driver_record(driver, event_make(EVENT_STEP_PROPOSED, &proposed), err);
}

enum status driver_propose_recommendation(struct driver *driver, struct error *err)
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
