#ifndef TESTS_CONTRACT_DIALECT_H
#define TESTS_CONTRACT_DIALECT_H

#include <stdbool.h>

/*
 * The programs that every back end is tested with, in the language that its
 * candidates are written in.
 */
struct dialect {
    const char *language;
    const char *options;      /* with FACTOR 3, and whatever lets arguments be checked */
    const char *kernels;      /* `demanding` demands groups of 16, with 64 bytes of local memory */
    const char *broken;       /* with `nowhere`, which is not declared, at line 3, column 12 */
    const char *broken_text;  /* what the compiler says of it */
    const char *careless;     /* with `#warning careful` in line 2 */
    const char *local_name;   /* what memory is called that a group shares */
    bool has_local_arguments; /* a kernel takes such memory as an argument, or as the launch's */
    bool tells_pointers;      /* a compiled kernel tells a pointer from a 64-bit integer */
};

/* NULL when there are none in the language. */
const struct dialect *dialect_find(const char *language);

#endif
