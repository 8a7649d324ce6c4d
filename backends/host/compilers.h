#ifndef BACKENDS_HOST_COMPILERS_H
#define BACKENDS_HOST_COMPILERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The table of compilers that build kernels for the host's cores. The first that is installed is
 * used; KFORGE_CC selects another one by name or path.
 */

enum { COMPILER_WORDS = 24 };

struct compiler {
    const char *name;                    /* name of the program, with which its path ends */
    const char *options[COMPILER_WORDS]; /* options for every source; NULL ends them */
};

/* A compiler found on this machine. All zeros if there is none. */
struct found_compiler {
    const struct compiler *row;
    char *path;
    char *version; /* the first line that it prints about its version */
};

/* Find the compiler; false if there is none. The caller releases it. */
bool compilers_find(struct found_compiler *found);
void found_compiler_release(struct found_compiler *found);

#endif
