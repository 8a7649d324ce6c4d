#ifndef CORE_AGENT_BUILTIN_EMIT_MOVEMENT_INLINER_H
#define CORE_AGENT_BUILTIN_EMIT_MOVEMENT_INLINER_H

#include "core/agent/builtin/emit/emit.h"

/*
 * Computes an element inline from the values in memory that it depends on. From the element's
 * coordinates the inliner follows the graph backwards: through movements, which only determine the
 * coordinates in their operand, through elementwise operations and through reductions. Intermediate
 * values are not stored.
 */

enum { NO_AXIS = SHAPE_MAX_RANK };

/* Coordinates of an element, or of the first element of a vector along an axis. */
struct vector_coordinates {
    struct coordinates coords;
    size_t axis;     /* the vector's axis; NO_AXIS: all of the vector is the same element */
    bool is_aligned; /* the coordinate along the axis is a multiple of the vector's width */
};

/*
 * Vectors whose elements lie apart, so that neighbouring work-items load neighbouring elements: the
 * elements at the coordinates `at`, `at + step` ... as far as they are below `size`. Elements after
 * it repeat the last one, and are not stored.
 */
struct spread {
    const char *at;   /* the variable with the coordinate of the first element; NULL: none */
    const char *size; /* of the axis, as C text */
    int step;
    int sets; /* sets of `step` work-items that share the sums of the vectors; 0: no sharing */
};

/* The state of one kernel, and the variables that are in scope. */
struct inliner {
    struct emitter *e;
    int width;           /* width of vectors */
    const char *indent;  /* indent of statements */
    size_t outer;        /* the first axes, whose coordinates are the same for a work-item */
    struct strbuf *head; /* statements that depend on these coordinates only; they run first */
    const char *margin;  /* the indent of these statements */
    unsigned warp_axes;  /* axes that are the same for all work-items of a warp, as bits */
    bool is_single;      /* a work-item computes only one vector, so the head has no use */
    bool needs_narrower; /* vectors of this width are not contiguous everywhere */
    size_t stack; /* the axis whose elements stay in variables (fusion_stack_axis()), or NO_AXIS */
    struct spread spread; /* of the elements of a vector along the last axis of the result */
    size_t names;         /* number of variables so far */
    struct {
        struct inlined_value *items;
        size_t count, capacity;
    } known; /* the values in scope */
};

/* Forget all variables. */
void inliner_release(struct inliner *inliner);

/* Compute the value at the coordinates and store it there. */
void inliner_store(struct inliner *inliner, size_t value, const struct vector_coordinates *at);

/* The expression of the value at the coordinates: a variable, a literal or an element in memory. */
const char *inliner_value(struct inliner *inliner, size_t value,
                          const struct vector_coordinates *at);

/*
 * Like inliner_value(), for an index. It must be one number for the whole vector; otherwise
 * needs_narrower is set.
 */
const char *inliner_index(struct inliner *inliner, size_t value,
                          const struct vector_coordinates *at);

/* Operand `number` of a node, converted to the type of the node's result. */
const char *inliner_operand(struct inliner *inliner, size_t node, size_t number,
                            const struct vector_coordinates *at);

/* Declare a variable for a number, such as a coordinate; returns its name. */
const char *inliner_number(struct inliner *inliner, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * The state to restore at the end of a block of C. Values that become known in a block are
 * forgotten after it.
 */
struct inliner_scope {
    size_t known;
    const char *indent;
};

/* Begin and end a block of C. */
struct inliner_scope inliner_open(struct inliner *inliner);
void inliner_close(struct inliner *inliner, const struct inliner_scope *scope);

/* The type in which a vector of the value is computed. */
const char *inliner_type(struct inliner *inliner, size_t value);

/* The coordinates in operand `in` that are broadcast to `at` in value `out`. */
struct vector_coordinates inliner_broadcast(struct inliner *inliner, size_t in, size_t out,
                                            const struct vector_coordinates *at);

/*
 * Write the loops of a reduction; returns the expression of its result (in inliner_reduction.c).
 * Where sets of work-items share it (struct spread), each of them has the result.
 */
const char *inliner_reduction(struct inliner *inliner, size_t node,
                              const struct vector_coordinates *at);

/* The element that a movement finds at the coordinates (in inliner_movement.c). */
const char *inliner_movement(struct inliner *inliner, size_t node,
                             const struct vector_coordinates *at);

#endif
