#ifndef BACKENDS_HOST_ALLOWED_H
#define BACKENDS_HOST_ALLOWED_H

#include <stdbool.h>

/*
 * The functions outside of its source that a kernel may call: those of libm and of its vector
 * library, and those that compilers call by themselves. OpenMP's are part of the object
 * (openmp_gnu.inc).
 */
bool allowed_function(const char *name);

/* The libraries that these are in. */
bool allowed_library(const char *name);

/* The same in words: what a message says of another function. */
extern const char allowed_text[];

#endif
