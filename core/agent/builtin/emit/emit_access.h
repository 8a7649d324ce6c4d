#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_ACCESS_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_ACCESS_H

#include "core/agent/builtin/emit/emit.h"

/* Loads and stores of values, addressed by row and column of the group's space. */

enum { PAIR = 2 }; /* columns that a work-item of a product on matrix units has side by side */

/* A position in the space, or a vector of neighbouring columns that begins there. */
struct position {
    const char *row, *column; /* C text */
    int width;                /* columns */
    const char *indent;       /* indent of the statements written for it */
    bool is_aligned;          /* vectors at the position are aligned to their size */
    const char *condition;    /* of stores, as C text; NULL: always */
    const char *second; /* C text: 1 if a pair's second column exists, else 0; NULL: it does */
    const char *slot;   /* index into the arrays of preloaded vectors; NULL if memory is read */
};

/* True if this group computes the value. */
bool emit_is_own(const struct emitter *e, size_t value);

/* True if neighbouring columns of the value are neighbours in memory. */
bool emit_is_along(const struct emitter *e, size_t value);

/* Declare the coordinates of the row, `row0`, `row1` ..., if an operand's index needs them. */
void emit_row_axes(struct emitter *e, const char *indent);

/* The expression that loads the value at the position. */
const char *emit_load(struct emitter *e, size_t value, const struct position *position);

/* Write a statement that stores `text` as the value at the position. */
void emit_store(struct emitter *e, size_t value, const char *text, const struct position *position);

#endif
