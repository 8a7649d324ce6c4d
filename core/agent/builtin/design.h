#ifndef CORE_AGENT_BUILTIN_DESIGN_H
#define CORE_AGENT_BUILTIN_DESIGN_H

#include "core/agent/builtin/plan/schedule.h"
#include "core/model/candidate.h"
#include "core/model/problem.h"

/* From a schedule to a candidate in one of the languages of core/codegen/dialect.h. */

/* The schedule's line is the first of the source; the remark says what was fused. */
enum status design_candidate(const struct problem *problem, const char *language,
                             const struct schedule *schedule, struct candidate *candidate,
                             struct error *err) MUST_CHECK;

/* The families of kernels that the problem falls into under the schedule, as bits. */
enum status design_families(const struct problem *problem, const char *language,
                            const struct schedule *schedule, unsigned *families,
                            struct error *err) MUST_CHECK;

#endif
