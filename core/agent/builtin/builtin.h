#ifndef CORE_AGENT_BUILTIN_BUILTIN_H
#define CORE_AGENT_BUILTIN_BUILTIN_H

#include "core/agent/agent.h"

/*
 * The built-in agents need no language model, no network and no key. The generator fuses the graph
 * into few kernels under a schedule; the analyst recommends a better schedule. Both use only the
 * brief, so the same brief always gets the same answer.
 */
enum status builtin_agent_open(struct loop *loop, struct agent **agent,
                               struct error *err) MUST_CHECK;

/* STATUS_INVALID if kforge writes no kernels in the language; the error lists those that it does.
 */
enum status builtin_check_language(const char *language, struct error *err) MUST_CHECK;

#endif
