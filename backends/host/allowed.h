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

/*
 * The same for a kernel in SYCL, whose headers call the implementation's library and a part of the
 * C++ library. That part has no files, clocks, threads or sleeping.
 */
bool allowed_runtime_function(const char *name);
bool allowed_runtime_library(const char *name);

/* The allowed functions in words, for the message about another function. */
extern const char allowed_text[];
extern const char allowed_runtime_text[];

#endif
