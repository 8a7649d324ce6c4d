#ifndef CORE_AGENT_BUILTIN_ANALYST_H
#define CORE_AGENT_BUILTIN_ANALYST_H

#include "core/agent/brief.h"
#include "core/base/strbuf.h"

/*
 * Recommends one change to the schedule of the best candidate so far: the
 * most promising one, by what limits the problem and by how far the candidate
 * is from its bound, that has not been tried without gain.
 */

/* Append the recommendation as Markdown (FORMATS: Recommendation). */
enum status analyst_reply(const struct brief *brief, struct strbuf *reply,
                          struct error *err) MUST_CHECK;

#endif
