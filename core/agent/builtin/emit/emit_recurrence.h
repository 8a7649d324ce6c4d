#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_RECURRENCE_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_RECURRENCE_H

#include "core/agent/builtin/emit/emit.h"

/*
 * True if a recurrent layer has the kernel for clusters of work-groups under the schedule: on
 * Hopper, for weights that fit the registers of eight multiprocessors.
 */
bool emit_recurrence_fits(const struct writer *writer, size_t node,
                          const struct schedule *schedule);

/* Write the kernel. */
void emit_recurrence(struct emitter *e);

#endif
