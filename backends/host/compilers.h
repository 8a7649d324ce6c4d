#ifndef BACKENDS_HOST_COMPILERS_H
#define BACKENDS_HOST_COMPILERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The table of compilers that build kernels for the host's cores, at most one for each language.
 * For C it is the first one that is installed, or the one that KFORGE_CC names; for C++ the one
 * that belongs to it (g++ for gcc), or the one that KFORGE_CXX names; for SYCL the first that is in
 * PATH, or the one that KFORGE_SYCL names.
 */

enum { COMPILER_WORDS = 28, COMPILER_LANGUAGES = 3 };

struct compiler {
    const char *name;     /* name of the program, with which its path ends */
    const char *language; /* a name in core/model/language.h */
    /* a header that takes seconds to read, which is compiled once for each process; or NULL */
    const char *header;
    const char *options[COMPILER_WORDS]; /* options for every source; NULL ends them */
};

/* A compiler found on this machine. All zeros if there is none. */
struct found_compiler {
    const struct compiler *row;
    char *path;
    char *version; /* the first line that it prints about its version */
};

/*
 * Find the compilers of all languages. The first element is C's; false if there is none. The
 * element of a language without a compiler has `row` NULL. The caller releases them, also after
 * false.
 */
bool compilers_find(struct found_compiler found[COMPILER_LANGUAGES]);
void compilers_release(struct found_compiler found[COMPILER_LANGUAGES]);

/* The compiler of `language`, or of C if `language` is NULL. NULL if there is none. */
const struct found_compiler *compilers_of(const struct found_compiler found[COMPILER_LANGUAGES],
                                          const char *language);

#endif
