#ifndef CORE_MODEL_SANITIZING_H
#define CORE_MODEL_SANITIZING_H

#include "core/base/record.h"

/*
 * Errors in a candidate that a sanitizer found: a tool that observes each memory access of a
 * kernel.
 */

/* One place in the source, with the number of errors there. */
struct access_error {
    char *kind;    /* "Invalid __global__ write of size 4 bytes" */
    char *kernel;  /* NULL when unknown */
    unsigned line; /* of the candidate's source, counting from 1; 0 when unknown */
    char *address; /* the tool's remark on the address; NULL for none */
    unsigned count;
};

struct sanitizing {
    bool is_present;
    char *tool;    /* "memcheck" */
    char *missing; /* the reason why it did not run; NULL when it ran */
    struct {
        struct access_error *items;
        size_t count, capacity;
    } errors;
};

/* The table for JSON, as a part of a verdict. */
extern const struct field sanitizing_fields[];

/* Free everything in it; all zeros afterwards. */
void sanitizing_release(struct sanitizing *sanitizing);

#endif
