#ifndef CORE_AGENT_REPLY_REPLY_H
#define CORE_AGENT_REPLY_REPLY_H

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "core/model/candidate.h"

/*
 * Finds the candidate in an agent's reply.
 *
 * Models write prose around their code.  A reply is accepted if it has exactly
 * one fenced block in the wanted language and exactly one fenced `json`
 * block; the prose around them is the remark.  Any other reply is
 * STATUS_INVALID, with an error that can be sent back to the model.
 *
 * A candidate names its own language: a reply without a block in the wanted
 * language, but with one whose fence has the name of another, is a candidate in
 * that one.
 */
enum status reply_parse(const char *reply, const char *language, struct candidate *candidate,
                        struct error *err) MUST_CHECK;

/* The language of the candidate in a reply, a name in language.h; `wanted` if it has none. */
const char *reply_language(const char *reply, const char *wanted);

/* The inverse of reply_parse(): append the Markdown of a candidate, for the engineer to edit. */
void reply_format(const struct candidate *candidate, struct strbuf *out);

/* Append a title for the candidate: the first words of its remark, or `fallback`. */
void reply_title(const struct candidate *candidate, const char *fallback, struct strbuf *out);

#endif
