#ifndef CORE_AGENT_BUILTIN_ANALYST_H
#define CORE_AGENT_BUILTIN_ANALYST_H

#include "core/agent/brief.h"
#include "core/base/strbuf.h"

/*
 * The built-in analyst. It recommends one change to the schedule of the best candidate so far. It
 * ranks the changes by the time estimate, the profile and a table of usual gains, and leaves out
 * changes that earlier attempts have tried.
 */

/* Append the recommendation as Markdown (FORMATS: Recommendation). */
enum status analyst_reply(const struct brief *brief, struct strbuf *reply,
                          struct error *err) MUST_CHECK;

#endif
