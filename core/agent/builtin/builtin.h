#ifndef CORE_AGENT_BUILTIN_BUILTIN_H
#define CORE_AGENT_BUILTIN_BUILTIN_H

#include "core/agent/agent.h"

/*
 * The agents that need no model, no network and no key: a generator that
 * fuses the graph into few kernels by a schedule, and an analyst that climbs
 * from one schedule to a better one.  Both read everything they know from the
 * brief, so the same brief gets the same answer.
 */
enum status builtin_agent_open(struct loop *loop, struct agent **agent,
                               struct error *err) MUST_CHECK;

#endif
