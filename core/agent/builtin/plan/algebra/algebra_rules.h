#ifndef CORE_AGENT_BUILTIN_PLAN_ALGEBRA_RULES_H
#define CORE_AGENT_BUILTIN_PLAN_ALGEBRA_RULES_H

#include "core/agent/builtin/plan/algebra/algebra_graph.h"

/*
 * The rules of algebra.h. Each rewrites the first place where it applies, appends {"before",
 * "after"} to `steps`, and returns true; false if it applies nowhere.
 */
bool algebra_drop(struct rewriting *r, struct json *steps);
bool algebra_fold(struct rewriting *r, struct json *steps);
bool algebra_pool(struct rewriting *r, struct json *steps);
bool algebra_chain(struct rewriting *r, struct json *steps);

/* Like the other rules, for all places at once. */
bool algebra_views(struct rewriting *r, struct json *steps);
bool algebra_concats(struct rewriting *r, struct json *steps);
bool algebra_pieces(struct rewriting *r, struct json *steps);
bool algebra_depth(struct rewriting *r, struct json *steps);
bool algebra_recurrence(struct rewriting *r, struct json *steps);
bool algebra_steps(struct rewriting *r, struct json *steps);
bool algebra_attention(struct rewriting *r, struct json *steps);
bool algebra_slices(struct rewriting *r, struct json *steps);
bool algebra_lines(struct rewriting *r, struct json *steps);
bool algebra_thin(struct rewriting *r, struct json *steps);
bool algebra_shapes(struct rewriting *r, struct json *steps);
bool algebra_vectors(struct rewriting *r, struct json *steps);
bool algebra_variance(struct rewriting *r, struct json *steps);
bool algebra_stages(struct rewriting *r, struct json *steps);

/* Append {"before", "after"} to `steps`. */
void algebra_push(struct json *steps, const struct strbuf *before, const struct strbuf *after);

/* Rewrite the node, which may insert others after it; false if the rule does not apply. */
typedef bool node_rule(struct rewriting *r, size_t node);

/* Apply the rule to every node, and append a step for each that it rewrites. */
bool algebra_rewrite_nodes(struct rewriting *r, node_rule *rule, struct json *steps);

#endif
