#include "core/agent/builtin/builtin.h"

#include "core/agent/builtin/analyst.h"
#include "core/agent/builtin/generator.h"
#include "core/base/clock.h"
#include "core/base/loop.h"
#include "core/base/mem.h"

struct builtin_agent {
    struct agent agent;
    struct loop *loop;
    struct loop_timer timer; /* set while an answer waits to be delivered */
    struct provider_listener listener;
    struct strbuf reply;
    int64_t start_us;
};

static enum status (*const tasks[])(const struct brief *brief, struct strbuf *reply,
                                    struct error *err) = {
    [TASK_GENERATE] = generator_reply,
    [TASK_ANALYSE] = analyst_reply,
};

static void deliver(void *data)
{
    struct builtin_agent *builtin = data;
    const struct provider_listener *listener = &builtin->listener;
    struct usage usage = {.latency_us = clock_now_us() - builtin->start_us};

    usage.first_text_us = usage.latency_us;
    listener->text(listener->data, strbuf_cstr(&builtin->reply), builtin->reply.len);
    listener->done(listener->data, &usage);
}

static enum status builtin_start(struct agent *agent, enum agent_task task,
                                 const struct brief *brief, const char *prompt,
                                 const struct provider_listener *listener, struct error *err)
{
    struct builtin_agent *builtin = (struct builtin_agent *)agent;
    enum status st;

    (void)prompt;
    builtin->start_us = clock_now_us();
    strbuf_release(&builtin->reply);
    st = tasks[task](brief, &builtin->reply, err);
    if (st)
        return st;
    builtin->listener = *listener;
    loop_set_timer(builtin->loop, &builtin->timer, 0, deliver, builtin);
    return STATUS_OK;
}

static void builtin_cancel(struct agent *agent)
{
    struct builtin_agent *builtin = (struct builtin_agent *)agent;

    loop_clear_timer(builtin->loop, &builtin->timer);
}

static void builtin_close(struct agent *agent)
{
    struct builtin_agent *builtin = (struct builtin_agent *)agent;

    builtin_cancel(agent);
    strbuf_release(&builtin->reply);
    free(builtin);
}

static const struct agent_ops builtin_ops = {
    .name = "builtin",
    .start = builtin_start,
    .cancel = builtin_cancel,
    .close = builtin_close,
};

enum status builtin_agent_open(struct loop *loop, struct agent **agent, struct error *err)
{
    struct builtin_agent *builtin = mem_alloc_zeroed(1, sizeof(*builtin));

    (void)err;
    builtin->agent.ops = &builtin_ops;
    builtin->loop = loop;
    *agent = &builtin->agent;
    return STATUS_OK;
}
