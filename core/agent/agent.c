#include "core/agent/agent.h"

enum status agent_accept(const struct agent *agent, const struct problem *problem,
                         struct error *err)
{
    return agent->ops->accept ? agent->ops->accept(problem, err) : STATUS_OK;
}

enum status agent_start(struct agent *agent, const struct agent_request *request,
                        const struct provider_listener *listener, struct error *err)
{
    return agent->ops->start(agent, request, listener, err);
}

enum status agent_answer(struct agent *agent, const char *text, struct error *err)
{
    if (!agent->ops->answer)
        return error_set(err, STATUS_INVALID, "%s takes no pasted reply: it writes its own",
                         agent->ops->name);
    return agent->ops->answer(agent, text, err);
}

void agent_cancel(struct agent *agent)
{
    agent->ops->cancel(agent);
}

void agent_close(struct agent *agent)
{
    if (agent)
        agent->ops->close(agent);
}
