#ifndef CORE_AGENT_BUILTIN_GENERATOR_H
#define CORE_AGENT_BUILTIN_GENERATOR_H

#include "core/agent/brief.h"
#include "core/base/strbuf.h"

/*
 * Writes kernels: fuses the graph into groups, chooses a schedule and emits
 * source and plan for it.
 *
 * The schedule stands in the first line of the source and is read back from
 * there, so an answer follows from the brief alone: the first attempt gets a
 * cautious schedule, an attempt that failed gets the one before its change,
 * and a recommendation is followed in the vocabulary of schedule.h.
 */

/* Append the reply.  STATUS_UNAVAILABLE when the problem has an operation without a kernel. */
enum status generator_reply(const struct brief *brief, struct strbuf *reply,
                            struct error *err) MUST_CHECK;

#endif
