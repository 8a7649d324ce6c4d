#ifndef CORE_AGENT_PROMPT_PROMPT_H
#define CORE_AGENT_PROMPT_PROMPT_H

#include "core/agent/brief.h"

/*
 * The prompt that goes out: the template prompts/templates/<task>.j2 over the
 * brief and the platform's folder prompts/platforms/<language>/ (facts.md,
 * rules.md, example.md).  It is all that a model is told.
 *
 * Where the brief says how much the model takes, the prompt leaves room for
 * the reply: what does not fit is shortened (shortening.h), and what does not
 * fit then is STATUS_INVALID.
 */
enum status prompt_render(enum agent_task task, const struct brief *brief, struct strbuf *out,
                          struct error *err) MUST_CHECK;

/* The variables of the templates, as FORMATS ("Prompts") lists them. The caller frees. */
struct json *prompt_variables(const struct brief *brief, struct error *err);

#endif
