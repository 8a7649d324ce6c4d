#ifndef CORE_LLM_COMMAND_H
#define CORE_LLM_COMMAND_H

#include "core/llm/provider.h"

/*
 * Uses any program as a model. `command:CMD` runs CMD with sh for each prompt: CMD reads the prompt
 * from standard input, and its standard output is the reply. Images are written to files, which the
 * prompt names. An exit status other than 0 is a failure; its reason is the last line of standard
 * error. Cancelling kills CMD and everything that it started.
 *
 * The journal records CMD as the name of the agent, so keys belong in the environment and not in
 * CMD.
 */
extern const struct provider_ops command_provider;

#endif
