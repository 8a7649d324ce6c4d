#include "core/agent/model.h"

#include "core/base/mem.h"

struct model_agent {
    struct agent agent;
    struct provider *provider;
};

static const char *const roles[] = {
    [TASK_GENERATE] =
        "You write fast, correct compute kernels. Everything that you answer is compiled, checked "
        "against double precision and timed by a judge; what you claim counts for nothing.",
    [TASK_ANALYSE] =
        "You find what limits compute kernels. You answer with one bottleneck, its evidence in "
        "measured numbers and one change; what you promise is held against the next measurement.",
};

static enum status model_start(struct agent *agent, enum agent_task task, const struct brief *brief,
                               const char *prompt, const struct provider_listener *listener,
                               struct error *err)
{
    struct model_agent *model = (struct model_agent *)agent;
    const struct message messages[] = {
        {MESSAGE_SYSTEM, roles[task]},
        {MESSAGE_USER, prompt},
    };
    const struct conversation conversation = {messages, sizeof(messages) / sizeof(*messages)};

    (void)brief;
    return provider_send(model->provider, &conversation, listener, err);
}

static void model_cancel(struct agent *agent)
{
    provider_cancel(((struct model_agent *)agent)->provider);
}

static void model_close(struct agent *agent)
{
    provider_close(((struct model_agent *)agent)->provider);
    free(agent);
}

static const struct agent_ops model_ops = {
    .name = "model",
    .start = model_start,
    .cancel = model_cancel,
    .close = model_close,
};

enum status model_agent_open(struct loop *loop, const char *name, struct agent **agent,
                             struct error *err)
{
    struct provider *provider;
    enum status st = provider_open(loop, name, &provider, err);

    if (st)
        return st;

    struct model_agent *model = mem_alloc_zeroed(1, sizeof(*model));

    model->agent.ops = &model_ops;
    model->provider = provider;
    *agent = &model->agent;
    return STATUS_OK;
}
