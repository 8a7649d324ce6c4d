#ifndef CORE_AGENT_REPLY_REPLY_H
#define CORE_AGENT_REPLY_REPLY_H

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "core/model/candidate.h"
#include "core/model/problem.h"

/*
 * Finding the candidate in what an agent answered.
 *
 * Models wrap code in prose, fences and apologies.  A reply is accepted when
 * it has exactly one fenced block in the platform's language and exactly one
 * fenced `json` block; the prose around them is the remark.  Everything else
 * is STATUS_INVALID, with a text that can be sent back to the model.
 */
enum status reply_parse(const char *reply, const char *language, struct candidate *candidate,
                        struct error *err) MUST_CHECK;

/*
 * Complete a reply whose plan is missing but follows from its kernel: append
 * to `completed` the reply, a sentence that says so, and the plan.  A reply
 * that has a plan is appended as it is.
 *
 * A plan follows where the source has one kernel, whose pointers are named as
 * tensors and whose 32-bit integers are named as dimensions; where the
 * problem has one output; and where work-items know nothing of one another
 * but get_global_id(0).  Then there is one work-item for each element of the
 * output.  More than that would be a guess: with get_global_id(1) at which
 * axis is which, with anything local at the size of the groups.
 */
enum status reply_derive_plan(const char *reply, const char *language,
                              const struct problem *problem, struct strbuf *completed,
                              struct error *err) MUST_CHECK;

/* The opposite of reply_parse(): the Markdown of a candidate, for editing. */
void reply_format(const struct candidate *candidate, struct strbuf *out);

/* What to call it: the first words of the remark, or `fallback`. */
void reply_title(const struct candidate *candidate, const char *fallback, struct strbuf *out);

#endif
