#ifndef CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_KERNEL_H
#define CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_KERNEL_H

#include "core/agent/builtin/emit/emit_access.h"

/* The state of a row-wise kernel while it is written. */

enum { ROWWISE_MOST_LANES = 1024 };

struct rowwise {
    struct emitter *e;
    int width, lanes;
    int rows;              /* of a work-group; several only if each has the lanes of one warp */
    int hold;              /* vectors that a lane keeps in registers; 0 with one lane */
    size_t held;           /* the value that is kept */
    bool is_filled;        /* the registers are filled */
    bool is_partial;       /* the kernel computes partial results of slices of rows */
    const char *columns;   /* number of columns */
    const char *first;     /* the first column of the work-group's slice; NULL: its row is whole */
    const char *end;       /* the end of the columns of the slice or row */
    const char *whole_end; /* the end of the columns that are loaded as vectors */
    const char *once;      /* true in one work-item for each row; NULL if there is only one */
};

/* A pass over the row. */
struct pass {
    size_t node;
    const struct rowwise_pass *formula;
    const char *name;     /* the variable of its result */
    const char *wide;     /* the vector variable that is folded into it */
    bool is_last;         /* of the node's passes */
    bool stores_elements; /* its elements are stored in the output buffer for the next use */
};

/* Elements of a row, or of a work-group's slice of it; 0 if that is not fixed. */
int64_t rowwise_length(const struct rowwise *r);

/* The position of a vector of the row. */
struct position rowwise_vector_position(const struct rowwise *r);

#endif
