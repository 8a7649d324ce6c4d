#ifndef TESTS_CONTRACT_DIALECT_H
#define TESTS_CONTRACT_DIALECT_H

/*
 * The programs that every back end is tested with, in the language that its
 * candidates are written in.
 */
struct dialect {
    const char *language;
    const char *options;  /* with FACTOR 3, and whatever lets arguments be checked */
    const char *kernels;  /* `demanding` demands groups of 16, with 64 bytes of local memory */
    const char *broken;   /* with `nowhere`, which is not declared, at line 3, column 12 */
    const char *careless; /* with `#warning careful` in line 2 */
};

/* NULL when there are none in the language. */
const struct dialect *dialect_find(const char *language);

#endif
