#ifndef CORE_AGENT_PROMPT_H
#define CORE_AGENT_PROMPT_H

#include "core/agent/brief.h"

/*
 * The prompt that goes out: the template prompts/templates/<task>.j2 over
 * the brief and the platform's folder prompts/platforms/<language>/ (facts.md,
 * rules.md, example.md).
 */
enum status prompt_render(enum agent_task task, const struct brief *brief, struct strbuf *out,
                          struct error *err) MUST_CHECK;

/* The variables of the template, as the templates' authors see them. The caller frees. */
struct json *prompt_variables(const struct brief *brief, struct error *err);

#endif
