#ifndef TESTS_CONTRACT_KERNEL_SOURCES_H
#define TESTS_CONTRACT_KERNEL_SOURCES_H

#include <stdbool.h>

/* The test programs for each back end, written in the language of its candidates. */
struct kernel_sources {
    const char *language;
    const char *options; /* defines FACTOR as 3, and enables the checks of arguments */
    const char *kernels; /* `demanding` is for groups of 16, and has 64 bytes of local memory */
    /* `place` without groups numbers 4 elements, and `reverse` reverses 4 groups of 16. */
    const char *broken;       /* uses `nowhere`, which is undeclared, at line 3, column 12 */
    const char *broken_text;  /* the compiler's message on `broken` */
    const char *careless;     /* has `#warning careful` in line 2 */
    const char *local_name;   /* the language's name for memory that a group shares */
    bool has_local_arguments; /* local memory is a kernel argument, not a property of the launch */
    bool has_groups; /* launches have sizes and groups; `demanding` is there, and `place` uses them
                      */
    bool states_groups;  /* a kernel can require a size of its groups, as `demanding` does */
    bool tells_pointers; /* a compiled kernel distinguishes a pointer from a 64-bit integer */
    bool hides_floats;   /* a compiled kernel does not distinguish floats from integers */
};

/* Return NULL for a language without test programs. */
const struct kernel_sources *kernel_sources_find(const char *language);

#endif
