#ifndef CORE_AGENT_PROMPT_SHORTENING_H
#define CORE_AGENT_PROMPT_SHORTENING_H

#include <stdbool.h>
#include <stddef.h>

struct json;

/*
 * Making a prompt shorter, one step at a time, in the order that FORMATS
 * ("Prompts") states: what tells the model least goes first, and what defines
 * the task never goes.  Works on the variables of the templates.
 */

/* A step that a prompt's variables have not been through; false when there is no further one. */
bool shortening_next(struct json *variables, size_t *step);

/* A copy of {"text", "bytes", ...} whose text keeps so many bytes, in whole lines, and says so. */
struct json *shortening_text(const struct json *value, size_t keep);

/* About how many tokens a text of so many bytes is: code has few bytes in a token. */
size_t shortening_tokens(size_t bytes);

#endif
