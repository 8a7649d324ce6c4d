#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_CANDIDATE_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_CANDIDATE_H

#include "core/agent/builtin/plan/schedule.h"
#include "core/model/candidate.h"
#include "core/model/problem.h"

/*
 * Write the candidate for a problem under a schedule: source and plan in one of the languages that
 * have a dialect (core/codegen/dialect.h).  The first line of the source is the schedule; the
 * candidate's remark names the fused operations.  STATUS_UNAVAILABLE when the problem has an
 * operation without a kernel.
 */
enum status emit_candidate(const struct problem *problem, const char *language,
                           const struct schedule *schedule, struct candidate *candidate,
                           struct error *err) MUST_CHECK;

#endif
