#ifndef BACKENDS_HOST_COMPILERS_H
#define BACKENDS_HOST_COMPILERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The table of compilers that build kernels for the host's cores, at most one for each language.
 * For C the first that is installed is used, or the one that KFORGE_CC names; for C++ the one
 * beside it (g++ for gcc), or the one that KFORGE_CXX names.
 */

enum { COMPILER_WORDS = 28, COMPILER_LANGUAGES = 2 };

struct compiler {
    const char *name;                    /* name of the program, with which its path ends */
    const char *language;                /* a name in core/model/language.h */
    const char *options[COMPILER_WORDS]; /* options for every source; NULL ends them */
};

/* A compiler found on this machine. All zeros if there is none. */
struct found_compiler {
    const struct compiler *row;
    char *path;
    char *version; /* the first line that it prints about its version */
};

/*
 * Find the compilers of all languages. The first is that of C; false if there is none. Those of
 * further languages have no row where there is none. The caller releases them.
 */
bool compilers_find(struct found_compiler found[COMPILER_LANGUAGES]);
void compilers_release(struct found_compiler found[COMPILER_LANGUAGES]);

/* The compiler of a language; NULL: C's. NULL comes back if there is none. */
const struct found_compiler *compilers_of(const struct found_compiler found[COMPILER_LANGUAGES],
                                          const char *language);

#endif
