#ifndef CORE_CODEGEN_KERNEL_TEXT_H
#define CORE_CODEGEN_KERNEL_TEXT_H

#include "core/base/strbuf.h"

/*
 * The text of one kernel in a source, in a form that can be compared with others, for
 * shared_kernels.c only.
 */

/* A whole number that a variable could replace: not the size of an array, for example. */
struct kernel_number {
    size_t at, len; /* from the beginning of the kernel, in bytes */
    int value;
};

struct kernel_text {
    const char *text; /* borrowed; `len` bytes */
    size_t len;
    const char *name; /* inside `text` */
    size_t name_len;
    size_t head_len;     /* bytes before the bracket that ends the parameters */
    struct strbuf exact; /* with numbers in place of the names of values */
    struct strbuf open;  /* like `exact`, and without `numbers` */
    struct {
        struct kernel_number *items;
        size_t count, capacity;
    } numbers;
};

/* A sorted list of the names of values and buffers. */
struct kernel_names {
    const char **items; /* borrowed */
    size_t count, capacity;
};
void kernel_names_sort(struct kernel_names *names);

/* Read the `len` bytes of a kernel, from its first word to its closing bracket. */
void kernel_text_read(struct kernel_text *kernel, const char *text, size_t len,
                      const struct kernel_names *names);
void kernel_text_release(struct kernel_text *kernel);

#endif
