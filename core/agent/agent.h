#ifndef CORE_AGENT_AGENT_H
#define CORE_AGENT_AGENT_H

#include "core/agent/brief.h"
#include "core/llm/provider.h"

/*
 * The contract of an agent, which writes kernels (TASK_GENERATE) or reads
 * profiles (TASK_ANALYSE).  A language model and the built-in agent both reply
 * in Markdown (FORMATS.md: candidate, recommendation), so everything after the
 * reply is shared.
 *
 * Like a provider, an agent works in the caller's event loop, which calls the
 * listener, never from inside start().
 */
struct agent;

/* One task for an agent, which borrows it for the call. */
struct agent_request {
    enum agent_task task;
    const struct brief *brief;
    const char *prompt; /* rendered from the brief */
};

struct agent_ops {
    const char *name;
    /*
     * Check a problem before a session begins: STATUS_INVALID if the agent cannot work on it. NULL:
     * the agent can work on every problem.
     */
    enum status (*accept)(const struct problem *problem, struct error *err);
    /* Begin a reply.  Fails while another one is being written. */
    enum status (*start)(struct agent *agent, const struct agent_request *request,
                         const struct provider_listener *listener, struct error *err);
    /* Supply the reply that a person was asked for (the provider `manual`), STATUS_INVALID if the
     * agent waits for none; NULL: the agent writes its own replies. */
    enum status (*answer)(struct agent *agent, const char *text, struct error *err);
    /* End the reply, if one is being written, without calling the listener. */
    void (*cancel)(struct agent *agent);
    /* Cancel, and free the agent. */
    void (*close)(struct agent *agent);
};

/* Every agent begins with this struct. */
struct agent {
    const struct agent_ops *ops;
};

#endif
