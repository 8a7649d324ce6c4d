#ifndef CORE_AGENT_PROMPT_PROMPT_H
#define CORE_AGENT_PROMPT_PROMPT_H

#include "core/agent/brief.h"

/*
 * Append the prompt for a task: the template prompts/templates/<task>.j2,
 * rendered with the brief and the platform's files in
 * prompts/platforms/<language>/ (facts.md, rules.md, example.md).  The prompt
 * is all that the model is told.
 *
 * If the brief states the model's context, the prompt leaves room for the
 * reply.  A longer prompt is shortened (shortening.h); STATUS_INVALID if that
 * does not suffice.
 */
enum status prompt_render(enum agent_task task, const struct brief *brief, struct strbuf *out,
                          struct error *err) MUST_CHECK;

/* The variables of the templates, listed in FORMATS.md ("Prompts").  The caller frees them. */
struct json *prompt_variables(const struct brief *brief, struct error *err);

#endif
