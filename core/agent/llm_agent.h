#ifndef CORE_AGENT_LLM_AGENT_H
#define CORE_AGENT_LLM_AGENT_H

#include "core/agent/agent.h"

/* An agent that puts the prompt to a model, and streams what it answers. */

/* `name` is a provider's "<name>:<model>". */
enum status llm_agent_open(struct loop *loop, const char *name, struct agent **agent,
                           struct error *err) MUST_CHECK;

#endif
