#ifndef BACKENDS_CUDA_SYMBOLS_H
#define BACKENDS_CUDA_SYMBOLS_H

#include <stddef.h>

#include "core/base/status.h"

/*
 * Opens a library at run time and binds its functions to a table: a struct of function pointers.
 */
struct symbol {
    const char *name;
    size_t offset; /* offset of its member in the table, in bytes */
};

/*
 * Set a member of `table` for each symbol; the list ends with one without a name.
 * STATUS_UNAVAILABLE if one is missing; the error names it, not the library.
 */
enum status symbols_bind(void *library, const struct symbol *symbols, void *table,
                         struct error *err) MUST_CHECK;

enum { LIBRARY_WORDS = 8 };

/* The places of a library. NULL ends the lists. */
struct library_place {
    const char *names[LIBRARY_WORDS];   /* the best first; the loader's path is searched first */
    const char *folders[LIBRARY_WORDS]; /* toolkits: paths, or "$NAME" for a variable's value */
    const char *below;                  /* the folder of libraries in a toolkit, "lib64" */
};

/* The folder at `index` among the toolkits that are named here; NULL after the last. Borrowed. */
const char *library_folder(const struct library_place *place, size_t index);

/* Open the first library of the place that can be opened; NULL if there is none. */
void *library_open(const struct library_place *place);

#endif
