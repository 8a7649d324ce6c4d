#ifndef BACKENDS_CUDA_SYMBOLS_H
#define BACKENDS_CUDA_SYMBOLS_H

#include <stddef.h>

#include "core/base/status.h"

/*
 * Binds the functions of a library that is opened at run time to a table: a struct of function
 * pointers.
 */
struct symbol {
    const char *name;
    size_t offset; /* of its member in the table, in bytes */
};

/*
 * Set a member of `table` for each symbol.  STATUS_UNAVAILABLE if one is missing; the error names
 * it, not the library.
 */
enum status symbols_bind(void *library, const struct symbol *symbols, size_t count, void *table,
                         struct error *err) MUST_CHECK;

#endif
