#ifndef CORE_AGENT_LLM_AGENT_H
#define CORE_AGENT_LLM_AGENT_H

#include "core/agent/agent.h"

/*
 * An agent that uses a provider (core/llm/provider.h): it sends the prompt and the attached images
 * to a language model, and passes the reply on as it streams.
 */

/* Open the agent of the provider "<name>:<model>". */
enum status llm_agent_open(struct loop *loop, const char *name, struct agent **agent,
                           struct error *err) MUST_CHECK;

#endif
