#ifndef BACKENDS_CUDA_SOURCE_PARTS_H
#define BACKENDS_CUDA_SOURCE_PARTS_H

#include <stddef.h>

/*
 * Finds the kernels in a source in CUDA C++, so that each can be compiled by itself, with all of
 * the source but the other kernels. This reads text only; the caller checks in the compiled code
 * that a part has exactly one kernel and no variables, which parts would not share.
 */

/* The bytes [begin, end) of the definition of a kernel, and what takes its place in other parts. */
struct source_part {
    size_t begin, end;
    char *rest; /* owned */
};

struct source_parts {
    struct source_part *items;
    size_t count, capacity;
};

/*
 * Find the definitions of kernels, in order. None if the text has something that may connect them
 * or that this does not understand: variables of the device, templates of kernels, macros around
 * them.
 */
void source_parts_find(const char *text, struct source_parts *parts);
/* Free everything; all zeros afterwards. */
void source_parts_release(struct source_parts *parts);

/*
 * The text without the kernels outside of [first, last), in which lines keep their numbers and
 * directives remain. The caller frees it.
 */
char *source_parts_only(const char *text, const struct source_parts *parts, size_t first,
                        size_t last);

#endif
