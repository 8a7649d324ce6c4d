#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_SPACE_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_SPACE_H

#include "core/agent/builtin/emit/emit.h"

/*
 * The index space of a group: rows and columns (fusion_group.h), and the width of vectors along the
 * columns.
 */

/* The vector width that the element types of the group allow. */
int emit_width(const struct emitter *e);

/*
 * The same, but narrower if rows of a fixed length begin between the vectors, and the language
 * loads such vectors by elements: then neighbours had better load neighbours.
 */
int emit_aligned_width(const struct emitter *e);

/* The product of the sizes of a value along `axes` (bit i for axis i), as C text; "1" for none. */
const char *emit_sizes(struct emitter *e, size_t value, unsigned axes);

/* The product of the sizes of the space along `axes`, as C text; "1" for no axes. */
const char *emit_extent(struct emitter *e, struct axes axes);

/* True if this product is the same at all dimensions of the problem and a multiple of `divisor`. */
bool emit_divides(const struct emitter *e, struct axes axes, int divisor);

/* True if every row begins at a multiple of `width` elements. */
bool emit_is_whole(const struct emitter *e, int width);

/* The axes of one channel of a normalization by groups; its weight is the same along all of them.
 */
struct axes emit_channel_axes(const struct emitter *e);

#endif
