#ifndef CORE_AGENT_BUILTIN_GENERATOR_H
#define CORE_AGENT_BUILTIN_GENERATOR_H

#include "core/agent/brief.h"
#include "core/base/strbuf.h"

/*
 * The built-in generator. It fuses the graph into groups, chooses a schedule, and writes source and
 * plan.
 *
 * The first line of the source is the schedule and is read back from there, so an answer depends on
 * the brief alone. The first attempt gets a cautious schedule. An attempt after a failure takes
 * back half or all of the change that failed. Otherwise the generator follows the recommendation in
 * the vocabulary of schedule.h.
 */

/* Append the reply.  STATUS_UNAVAILABLE when the problem has an operation without a kernel. */
enum status generator_reply(const struct brief *brief, struct strbuf *reply,
                            struct error *err) MUST_CHECK;

#endif
