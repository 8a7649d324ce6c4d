#ifndef CORE_AGENT_REPLY_REPLY_DERIVE_H
#define CORE_AGENT_REPLY_REPLY_DERIVE_H

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "core/model/problem.h"

/*
 * Complete a reply without a plan if the plan follows from its kernel: append to `completed` the
 * reply, a sentence that says so, and the plan. A reply that has a plan is appended unchanged.
 *
 * A plan follows if the source has one kernel, whose pointers have the names of tensors and whose
 * 32-bit integers have the names of dimensions; if the problem has one output; and if
 * get_global_id(0) is the only index that work-items use. The plan then has one work-item for each
 * element of the output. In all other cases kforge would have to guess: the order of the axes if
 * get_global_id(1) is used, or the group size if local memory is used.
 */
enum status reply_derive_plan(const char *reply, const char *language,
                              const struct problem *problem, struct strbuf *completed,
                              struct error *err) MUST_CHECK;

#endif
