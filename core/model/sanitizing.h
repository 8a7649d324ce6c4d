#ifndef CORE_MODEL_SANITIZING_H
#define CORE_MODEL_SANITIZING_H

#include "core/base/record.h"

/* What a sanitizer, a tool that watches each access of a kernel, found wrong with a candidate. */

/* One place in the source, however often. */
struct access_error {
    char *kind;    /* "Invalid __global__ write of size 4 bytes" */
    char *kernel;  /* NULL: not known */
    unsigned line; /* of the candidate's source, counted from 1; 0: not known */
    char *address; /* what the tool says of it; NULL: nothing */
    unsigned count;
};

struct sanitizing {
    bool is_present;
    char *tool;    /* "memcheck" */
    char *missing; /* why it could not look; NULL: it has looked */
    struct {
        struct access_error *items;
        size_t count, capacity;
    } errors;
};

/* As JSON: a record of a verdict. */
extern const struct field sanitizing_fields[];

/* Frees everything in it; all zeros afterwards. */
void sanitizing_release(struct sanitizing *sanitizing);

#endif
