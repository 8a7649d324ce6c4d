#ifndef CORE_AGENT_REPLY_REPLY_H
#define CORE_AGENT_REPLY_REPLY_H

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "core/model/candidate.h"
#include "core/model/problem.h"

/*
 * Finds the candidate in an agent's reply.
 *
 * Models write prose around their code.  A reply is accepted if it has exactly
 * one fenced block in the platform's language and exactly one fenced `json`
 * block; the prose around them is the remark.  Any other reply is
 * STATUS_INVALID, with an error that can be sent back to the model.
 */
enum status reply_parse(const char *reply, const char *language, struct candidate *candidate,
                        struct error *err) MUST_CHECK;

/*
 * Complete a reply that lacks a plan which follows from its kernel: append to
 * `completed` the reply, a sentence that says so, and the plan.  A reply that
 * has a plan is appended unchanged.
 *
 * A plan follows if the source has one kernel, whose pointers have the names of
 * tensors and whose 32-bit integers have the names of dimensions; if the
 * problem has one output; and if get_global_id(0) is the only index that
 * work-items use.  The plan then has one work-item for each element of the
 * output.  In all other cases kforge would have to guess: with
 * get_global_id(1) the order of the axes, with local memory the group size.
 */
enum status reply_derive_plan(const char *reply, const char *language,
                              const struct problem *problem, struct strbuf *completed,
                              struct error *err) MUST_CHECK;

/* The inverse of reply_parse(): append the Markdown of a candidate, for the engineer to edit. */
void reply_format(const struct candidate *candidate, struct strbuf *out);

/* Append a title for the candidate: the first words of its remark, or `fallback`. */
void reply_title(const struct candidate *candidate, const char *fallback, struct strbuf *out);

#endif
