#ifndef CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_KERNEL_H
#define CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_KERNEL_H

#include "core/agent/builtin/emit/emit_access.h"

/*
 * State and helpers of the row-wise kernel: rowwise.c writes the kernel, rowwise_registers.c keeps
 * values in registers between passes, and rowwise_combine.c combines the results of lanes.
 */

struct rowwise {
    struct emitter *e;
    int width, lanes;
    int hold;              /* vectors that a lane keeps in registers; 0 with one lane */
    size_t held;           /* the value that is kept */
    bool is_filled;        /* the registers are filled */
    const char *columns;   /* number of columns */
    const char *whole_end; /* the end of the columns that are loaded as vectors */
};

/* A pass over the row. */
struct pass {
    size_t node;
    const struct rowwise_pass *formula;
    const char *name;     /* the variable of its result */
    const char *wide;     /* the vector variable that is folded into it */
    bool stores_elements; /* its elements are stored in the output buffer for the next use */
};

/*
 * Choose the value to keep in registers, the number of its vectors, and the operands to preload.
 * `columns` of a row; 0 if that is not fixed.
 */
void rowwise_choose_held(struct rowwise *r, int64_t columns);

/* The position of a vector of the row. */
struct position rowwise_vector_position(const struct rowwise *r);

/* Declare the registers, and load the preloaded operands. */
void rowwise_declare_held(const struct rowwise *r);

/* Begin and end the loop over the vectors in registers. */
void rowwise_open_held(const struct rowwise *r);
void rowwise_close_held(const struct rowwise *r);

/* Two partial results combined. */
const char *rowwise_combined(const struct rowwise *r, const struct rowwise_pass *pass,
                             const char *a, const char *b);

/* Fold the halves of a vector until one element is left. */
void rowwise_fold(const struct rowwise *r, const struct pass *pass, const char *type);

/* Combine the results of all lanes; then each lane has the result. */
void rowwise_combine_lanes(const struct rowwise *r, const struct pass *pass, const char *type);

#endif
