#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_VECTOR_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_VECTOR_H

#include "core/agent/builtin/emit/emit.h"

/*
 * Expressions over vectors in the language of the kernel.  A width of 1 means a scalar.
 */

/* The type of a vector: "float", or OpenCL's "float16" for a width of 16. */
const char *emit_vector_type(struct emitter *e, const char *scalar, int width);

/* A vector in which every element is the scalar. */
const char *emit_vector_splat(struct emitter *e, const char *scalar, int width);

/*
 * The value that a vector of this element type begins with: in C a vector, elsewhere the scalar,
 * which other languages take for all elements.
 */
const char *emit_vector_initial(struct emitter *e, const char *type, const char *scalar, int width);

/* Load a vector from a pointer to its first element, or store one there. */
const char *emit_vector_load(struct emitter *e, int width, const char *pointer);
const char *emit_vector_store(struct emitter *e, int width, const char *vector,
                              const char *pointer);

/* Load or store a vector through a pointer that is aligned to the size of the vector. */
const char *emit_vector_load_aligned(struct emitter *e, int width, const char *pointer);
const char *emit_vector_store_aligned(struct emitter *e, int width, const char *vector,
                                      const char *pointer);

/* Combine the two halves of a vector by the formula `combine` of $a and $b. */
const char *emit_vector_fold(struct emitter *e, const char *combine, const char *vector);

/* The formula for vectors: its `? :`, if any, selects element by element. */
const char *emit_vector_choices(struct emitter *e, const char *formula, int width);

/* One element of a vector. */
const char *emit_vector_component(struct emitter *e, const char *vector, int index);

/* The vector of these elements, C text for each. */
const char *emit_vector_of(struct emitter *e, const char *type, const char *const *elements,
                           int width);

/* The vector's elements moved up by `distance` elements; `fill` takes the free ones. */
const char *emit_vector_shift(struct emitter *e, int width, const char *vector, int distance,
                              const char *fill);

/*
 * Interleave pieces of `distance` elements of the vectors `a` and `b`: their even pieces, or their
 * odd pieces.
 */
const char *emit_vector_exchange(struct emitter *e, int width, int distance, bool is_odd);

/* The indices `first`, `first` + 1, ... as a vector of int. */
const char *emit_vector_indices(struct emitter *e, int width, const char *first);

#endif
