#ifndef BACKENDS_CUDA_SYMBOLS_H
#define BACKENDS_CUDA_SYMBOLS_H

#include <stddef.h>

#include "core/base/status.h"

/*
 * Libraries that are found at run time: their functions become the members of
 * a table, a struct of function pointers.
 */
struct symbol {
    const char *name;
    size_t offset; /* of its member in the table */
};

/* Fill in the members of `table`.  STATUS_UNAVAILABLE names the function that is missing. */
enum status symbols_bind(void *library, const struct symbol *symbols, size_t count, void *table,
                         struct error *err) MUST_CHECK;

#endif
