#ifndef CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_KERNEL_H
#define CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_KERNEL_H

#include "core/agent/builtin/emit/emit_access.h"

/* What goes along rows is written with. */

struct rowwise {
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
    const struct rowwise_pass *formula;
    const char *name; /* the variable of the result */
    const char *wide; /* the one of vectors, which are folded into that */
    bool keeps;       /* its elements, in the place of the operation's result */
};

/* Which value is held, of how many vectors, and what else is loaded before the first pass is
 * joined; `columns` of a row, 0 where that is not fixed. */
void rowwise_choose_held(struct rowwise *r, int64_t columns);

/* Where a vector of the row is. */
struct position rowwise_vector_position(const struct rowwise *r);

/* Declare the registers, and load what is loaded early. */
void rowwise_declare_held(const struct rowwise *r);

/* The loop over the vectors that are held, and what it begins and ends with. */
void rowwise_open_held(const struct rowwise *r);
void rowwise_close_held(const struct rowwise *r);

/* What joins two partial results. */
const char *rowwise_combined(const struct rowwise *r, const struct rowwise_pass *pass,
                             const char *a, const char *b);

/* Fold a vector's halves upon each other until one element is left. */
void rowwise_fold(const struct rowwise *r, const struct pass *pass, const char *type);

/* Join what the lanes have found; then each has it. */
void rowwise_combine_lanes(const struct rowwise *r, const struct pass *pass, const char *type);

#endif
