#ifndef CORE_AGENT_BUILTIN_EMIT_ROWS_H
#define CORE_AGENT_BUILTIN_EMIT_ROWS_H

#include "core/agent/builtin/emit.h"

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

/* What joins two partial results. */
const char *rows_joined(const struct rows *r, const struct line_pass *pass, const char *a,
                        const char *b);

/* Fold a vector's halves upon each other until one element is left. */
void rows_fold(const struct rows *r, const struct pass *pass, const char *type);

/* Join what the lanes have found; then each has it. */
void rows_join_lanes(const struct rows *r, const struct pass *pass, const char *type);

#endif
