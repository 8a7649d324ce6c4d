#ifndef CORE_AGENT_PROMPT_SHORTENING_H
#define CORE_AGENT_PROMPT_SHORTENING_H

#include <stdbool.h>
#include <stddef.h>

struct json;

/*
 * Shortens a prompt that does not fit the model's context.  It works on the
 * variables of the templates, one step at a time, in the order that FORMATS.md
 * ("Prompts") states: the least useful text first, and never the text that
 * defines the task.
 */

/* Apply the step number `*step`, and count it up; false if all steps have been applied. */
bool shortening_next(struct json *variables, size_t *step);

/*
 * A copy of {"text", "bytes", ...} whose text has at most `keep` bytes, in whole lines.  A line at
 * the end states how many bytes are left out.  The caller frees the copy.
 */
struct json *shortening_text(const struct json *value, size_t keep);

/* The approximate number of tokens of a text: code has about 3 bytes in a token. */
size_t shortening_tokens(size_t bytes);

#endif
