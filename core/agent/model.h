#ifndef CORE_AGENT_MODEL_H
#define CORE_AGENT_MODEL_H

#include "core/agent/agent.h"

/* An agent that puts the prompt to a model, and streams what it answers. */

/* `name` is a provider's "<name>:<model>". */
enum status model_agent_open(struct loop *loop, const char *name, struct agent **agent,
                             struct error *err) MUST_CHECK;

#endif
