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
    unsigned line; /* line of the candidate's source, from 1; 0 if unknown */
    char *address; /* the tool's remark on the address; NULL for none */
    unsigned count;
};

struct sanitizing {
    bool is_present;
    char *tool;    /* "memcheck" */
    char *program; /* the program that ran, "compute-sanitizer" or "oclgrind"; NULL if none did */
    char *dims;    /* the dimensions of the run, "M=37 N=1001" */
    char *missing; /* the reason why it did not run; NULL when it ran */
    struct {
        struct access_error *items;
        size_t count, capacity;
    } errors;
};

/* Findings at further places are dropped. */
enum { SANITIZING_MAX_PLACES = 32 };

/*
 * Move a finding into the list; `found` is all zeros afterwards. A finding of the same kind at the
 * same place adds one to that place's count. A finding without a kind is dropped.
 */
void sanitizing_take(struct sanitizing *sanitizing, struct access_error *found);

/* The table for JSON, as a part of a verdict. */
extern const struct field sanitizing_fields[];

/* Free everything in it; all zeros afterwards. */
void sanitizing_release(struct sanitizing *sanitizing);

#endif
