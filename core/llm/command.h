#ifndef CORE_LLM_COMMAND_H
#define CORE_LLM_COMMAND_H

#include "core/llm/provider.h"

/*
 * Any program as a model: `command:CMD` runs CMD with sh for each prompt,
 * which comes on standard input, and takes what it prints as the reply.
 * Where there are images, the prompt names their files.  A
 * status other than 0 is a failure, whose reason is the last line of standard
 * error.  Cancelling kills CMD and all that it started.
 *
 * CMD is recorded, as the name of the agent: keys belong in its environment.
 */
extern const struct provider_ops command_provider;

#endif
