#ifndef CORE_AGENT_BUILTIN_PLAN_ALGEBRA_RULES_H
#define CORE_AGENT_BUILTIN_PLAN_ALGEBRA_RULES_H

#include "core/agent/builtin/plan/algebra_graph.h"

/*
 * The rules of algebra.h. Each rewrites what it finds first, pushes {"before", "after"} to `steps`,
 * and returns true; false if it finds nothing.
 */
bool algebra_drop(struct rewriting *r, struct json *steps);
bool algebra_fold(struct rewriting *r, struct json *steps);
bool algebra_chain(struct rewriting *r, struct json *steps);

/* Push a step. */
void algebra_push(struct json *steps, const struct strbuf *before, const struct strbuf *after);

#endif
