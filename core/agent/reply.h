#ifndef CORE_AGENT_REPLY_H
#define CORE_AGENT_REPLY_H

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "core/model/candidate.h"

/*
 * Finding the candidate in what an agent answered.
 *
 * Models wrap code in prose, fences and apologies.  A reply is accepted when
 * it has exactly one fenced block in the platform's language and exactly one
 * fenced `json` block.  Everything else is STATUS_INVALID, with a text that
 * can be sent back to the model.
 */
enum status reply_parse(const char *reply, const char *language, struct candidate *candidate,
                        struct error *err) MUST_CHECK;

/* The opposite: the Markdown of a candidate, for editing. */
void reply_format(const struct candidate *candidate, struct strbuf *out);

/* What to call it: the first words of the remark, or `fallback`. */
void reply_title(const struct candidate *candidate, const char *fallback, struct strbuf *out);

/*
 * The one fenced block of a kind.  `kinds` is a NULL-terminated list of info
 * strings; on success `*start` and `*len` are the lines between the fences.
 */
enum status reply_find_block(const char *text, const char *const *kinds, const char **start,
                             size_t *len, struct error *err) MUST_CHECK;

#endif
