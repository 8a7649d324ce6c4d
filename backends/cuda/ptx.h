#ifndef BACKENDS_CUDA_PTX_H
#define BACKENDS_CUDA_PTX_H

#include <stdbool.h>
#include <stddef.h>

#include "core/model/plan/dispatch.h"

/*
 * What PTX declares of kernels: their names, parameters, and the block sizes
 * that they demand.  The driver tells none of this.  The language is that of
 * "PTX ISA", section "Kernel and Function Directives".
 */

/* ".param .f32 a", ".param .align 64 .b8 map[128]" */
struct ptx_parameter {
    char type[8];  /* "f32", "u64" (a pointer, too), "b8" of an array */
    size_t length; /* of the array; 0 without */
};

struct ptx_entry {
    char *name;
    size_t required_block[LAUNCH_MAX_RANK]; /* all zero: it demands none */
    struct {
        struct ptx_parameter *items;
        size_t count, capacity;
    } parameters;
};

struct ptx_entries {
    struct ptx_entry *items;
    size_t count, capacity;
};

/* Append the kernels of a text; what is not understood is passed over. */
void ptx_read(const char *text, struct ptx_entries *found);
void ptx_entries_release(struct ptx_entries *entries);

#endif
