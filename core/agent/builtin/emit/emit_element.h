#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_ELEMENT_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_ELEMENT_H

#include "core/agent/builtin/emit/emit.h"

/* Elementwise operations as expressions. */

/* True if the node is elementwise (family_is_elementwise()). */
bool emit_is_elementwise(const struct emitter *e, size_t node);

/*
 * The expression of an elementwise operation, for vectors of `width`. It calls faster functions if
 * the schedule asks for them.
 */
const char *emit_element(struct emitter *e, const struct op_call *call,
                         const struct formula_words *words, int width);

/* Round `text`, the result of a node, to the type of that result.  Only a cast rounds floats. */
const char *emit_element_rounded(struct emitter *e, size_t node, const char *text);

/* Append the definitions of the faster functions that `source` calls. */
void emit_element_functions(const struct dialect *dialect, const char *source, struct strbuf *out);

#endif
