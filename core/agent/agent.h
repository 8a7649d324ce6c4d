#ifndef CORE_AGENT_AGENT_H
#define CORE_AGENT_AGENT_H

#include "core/agent/brief.h"
#include "core/llm/provider.h"

/*
 * Who writes kernels and who reads profiles.  An agent answers in Markdown
 * (FORMATS: candidate, recommendation), whether a model stands behind it or
 * a built-in one, so that everything after the reply is shared.
 *
 * Like a provider, an agent works in the caller's loop and calls its
 * listener from there, never from inside agent_start().
 */
struct agent;

/* What an agent is asked.  Borrowed for the call. */
struct agent_request {
    enum agent_task task;
    const struct brief *brief;
    const char *prompt; /* the rendered text */
};

struct agent_ops {
    const char *name;
    /* Whether it can work on the problem at all; NULL where nothing stands against that. */
    enum status (*accept)(const struct problem *problem, struct error *err);
    enum status (*start)(struct agent *agent, const struct agent_request *request,
                         const struct provider_listener *listener, struct error *err);
    /* Give the reply for the answer under way, where a person does that; NULL for all others. */
    enum status (*answer)(struct agent *agent, const char *text, struct error *err);
    void (*cancel)(struct agent *agent);
    void (*close)(struct agent *agent);
};

/* An agent begins with this. */
struct agent {
    const struct agent_ops *ops;
};

/* STATUS_INVALID where it cannot work on such a problem: to be asked before a session begins. */
enum status agent_accept(const struct agent *agent, const struct problem *problem,
                         struct error *err) MUST_CHECK;

/* Ask for one answer. */
enum status agent_start(struct agent *agent, const struct agent_request *request,
                        const struct provider_listener *listener, struct error *err) MUST_CHECK;

/*
 * Give the reply that a person was asked for (the provider `manual`).
 * STATUS_INVALID where the agent answers by itself or no reply is awaited.
 */
enum status agent_answer(struct agent *agent, const char *text, struct error *err) MUST_CHECK;

/* End the answer under way without telling the listener. */
void agent_cancel(struct agent *agent);
void agent_close(struct agent *agent);

#endif
