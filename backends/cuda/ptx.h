#ifndef BACKENDS_CUDA_PTX_H
#define BACKENDS_CUDA_PTX_H

#include <stdbool.h>
#include <stddef.h>

#include "core/model/plan/dispatch.h"

/*
 * Reads kernel declarations from PTX: names, parameters and required block sizes, none of which the
 * driver reports.  The language is that of the "PTX ISA", section "Kernel and Function Directives".
 */

/* A parameter, declared as ".param .f32 a" or ".param .align 64 .b8 map[128]". */
struct ptx_parameter {
    char type[16]; /* "f32", "u64" (also a pointer), "b8" (an array) */
    size_t length; /* number of elements; 0 if it is not an array */
};

struct ptx_entry {
    char *name;
    size_t required_block[LAUNCH_MAX_RANK]; /* all zeros if the kernel requires none */
    /* `spill_bytes` is known: machine code contains it, PTX does not */
    bool has_spills;
    int64_t spill_bytes; /* spilled bytes of a work-item */
    struct {
        struct ptx_parameter *items;
        size_t count, capacity;
    } parameters;
};

struct ptx_entries {
    struct ptx_entry *items;
    size_t count, capacity;
};

/* Append the kernels that `text` declares; lines that are not understood are skipped. */
void ptx_read(const char *text, struct ptx_entries *found);
void ptx_entries_release(struct ptx_entries *entries);

#endif
