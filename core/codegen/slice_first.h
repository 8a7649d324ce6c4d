#ifndef CORE_CODEGEN_SLICE_FIRST_H
#define CORE_CODEGEN_SLICE_FIRST_H

#include "core/codegen/writer.h"

/*
 * Append the index, along the sliced axis, of the element with which the result of a `slice`
 * begins, as C text: the start, or with a negative step the last element before the end.
 */
void slice_first(const struct writer *writer, const struct graph_node *node,
                 const struct op_call *call, struct strbuf *out);

#endif
