#ifndef BACKENDS_HOST_ALLOWED_H
#define BACKENDS_HOST_ALLOWED_H

#include <stdbool.h>

/*
 * True for a function outside of its source that a kernel may call: one of libm, of libm's vector
 * library, or one that compilers call by themselves. OpenMP's functions are in the kernel's own
 * object (openmp_gnu.inc).
 */
bool allowed_function(const char *name);

/* True for a library that has such functions. */
bool allowed_library(const char *name);

/* The allowed functions in words, for the message about another function. */
extern const char allowed_text[];

#endif
