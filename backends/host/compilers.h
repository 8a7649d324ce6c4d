#ifndef BACKENDS_HOST_COMPILERS_H
#define BACKENDS_HOST_COMPILERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The compilers that build kernels for the host's cores, a row of a table each. The first one that
 * is installed is used; KFORGE_CC names another one, by name or path.
 */

enum { COMPILER_WORDS = 24 };

struct compiler {
    const char *name;                    /* of the program, as a path ends */
    const char *options[COMPILER_WORDS]; /* for every source; ends with NULL */
};

/* A compiler of this machine. All zeros: there is none. */
struct found_compiler {
    const struct compiler *row;
    char *path;
    char *version; /* the first line that it prints of itself */
};

/* Find the compiler; false if there is none. The caller releases it. */
bool compilers_find(struct found_compiler *found);
void found_compiler_release(struct found_compiler *found);

#endif
