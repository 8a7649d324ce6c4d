#ifndef CORE_AGENT_BUILTIN_EMIT_MOVEMENT_INLINER_H
#define CORE_AGENT_BUILTIN_EMIT_MOVEMENT_INLINER_H

#include "core/agent/builtin/emit/emit.h"

/*
 * Computing a value at one place from the places of other values that lead to
 * it: through movements, which only say where an element comes from,
 * elementwise operations and reductions, back to what is in memory.  Nothing
 * in between is stored.
 */

enum { NO_AXIS = SHAPE_MAX_RANK };

/* A place, or a vector of neighbouring places from there on along an axis. */
struct vector_coordinates {
    struct coordinates coords;
    size_t axis;     /* that axis; NO_LANE for the same place in all of the vector */
    bool is_aligned; /* the place along it is a multiple of the vector's width */
};

/* A kernel that is being written. */
struct inliner {
    struct emitter *e;
    int width;           /* of vectors */
    const char *indent;  /* of statements */
    size_t outer;        /* so many axes are the same for all of a work-item */
    struct strbuf *head; /* statements that depend on those alone */
    const char *margin;  /* the indent of these */
    unsigned warp_axes;  /* which of them are the same for all work-items of a warp, as bits */
    bool is_single; /* nothing is computed more than once: such statements need not go before */
    bool is_stuck;  /* vectors of this width do not lie together somewhere */
    size_t names;   /* that were given to variables */
    struct {
        struct inlined *items;
        size_t count, capacity;
    } known; /* variables in scope */
};

void inliner_release(struct inliner *inliner);

/* Compute the value at the place, and store it there. */
void inliner_store(struct inliner *inliner, size_t value, const struct vector_coordinates *at);

/* The text of the value at the place: a variable, a literal or an element of memory. */
const char *inliner_value(struct inliner *inliner, size_t value,
                          const struct vector_coordinates *at);

/* The same as one number for the whole vector, such as an index; stuck where that is not so. */
const char *inliner_index(struct inliner *inliner, size_t value,
                          const struct vector_coordinates *at);

/* An operand of a node, in the type of the node's result. */
const char *inliner_operand(struct inliner *inliner, size_t node, size_t number,
                            const struct vector_coordinates *at);

/* A variable for a number, such as a place along an axis. */
const char *inliner_number(struct inliner *inliner, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Statements inside braces see what is known outside, and not the other way round. */
struct inliner_scope {
    size_t known;
    const char *indent;
};

/* Begin a block of C, in which further values become known, and end it, which forgets them. */
struct inliner_scope inliner_open(struct inliner *inliner);
void inliner_close(struct inliner *inliner, const struct inliner_scope *scope);

/* The type of a value's vectors while computing. */
const char *inliner_type(struct inliner *inliner, size_t value);

/* The place in an operand that is broadcast to a place of the result. */
struct vector_coordinates inliner_broadcast(struct inliner *inliner, size_t in, size_t out,
                                            const struct vector_coordinates *at);

/* What a movement finds at the place (pull_movement.c). */
const char *inliner_movement(struct inliner *inliner, size_t node,
                             const struct vector_coordinates *at);

#endif
