#ifndef CORE_AGENT_AGENTS_H
#define CORE_AGENT_AGENTS_H

#include "core/agent/agent.h"

/*
 * The agents that kforge knows: the built-in agent, and a language model
 * behind any provider of core/llm/providers.h.
 */

/* STATUS_NOT_FOUND if kforge knows no agent of this name; the error lists the known ones. */
enum status agents_check(const char *name, struct error *err) MUST_CHECK;

/*
 * STATUS_INVALID if the agent of this name does not write the language; the error lists those that
 * it writes.
 */
enum status agents_check_language(const char *name, const char *language,
                                  struct error *err) MUST_CHECK;

/*
 * Open the agent called `name`: "builtin", or a provider's "<name>:<model>".
 * The caller closes it with its close().
 */
enum status agents_open(struct loop *loop, const char *name, struct agent **agent,
                        struct error *err) MUST_CHECK;

#endif
