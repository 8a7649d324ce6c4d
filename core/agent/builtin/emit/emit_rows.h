#ifndef CORE_AGENT_BUILTIN_EMIT_EMIT_ROWS_H
#define CORE_AGENT_BUILTIN_EMIT_EMIT_ROWS_H

#include "core/agent/builtin/emit/emit.h"

/* What goes along rows is written with. */

struct rows {
    struct emitter *e;
    int width, lanes;
    int hold;              /* 0 with one lane */
    size_t held;           /* the value */
    bool is_held;          /* it is in registers now */
    const char *columns;   /* how many */
    const char *whole_end; /* of the columns that are loaded as vectors */
};

/* A pass that is being written. */
struct pass {
    size_t node;
    const struct line_pass *formula;
    const char *name; /* the variable of the result */
    const char *wide; /* the one of vectors, which are folded into that */
    bool keeps;       /* its elements, in the place of the operation's result */
};

/* Which value is held, of how many vectors, and what else is loaded before the first pass is
 * joined; `columns` of a row, 0 where that is not fixed. */
void rows_choose_held(struct rows *r, int64_t columns);

/* Where a vector of the row is. */
struct spot rows_vector_spot(const struct rows *r);

/* Declare the registers, and load what is loaded early. */
void rows_declare_held(const struct rows *r);

/* The loop over the vectors that are held, and what it begins and ends with. */
void rows_open_held(const struct rows *r);
void rows_close_held(const struct rows *r);

/* What joins two partial results. */
const char *rows_joined(const struct rows *r, const struct line_pass *pass, const char *a,
                        const char *b);

/* Fold a vector's halves upon each other until one element is left. */
void rows_fold(const struct rows *r, const struct pass *pass, const char *type);

/* Join what the lanes have found; then each has it. */
void rows_join_lanes(const struct rows *r, const struct pass *pass, const char *type);

#endif
