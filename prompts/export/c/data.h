#ifndef PROMPTS_EXPORT_C_DATA_H
#define PROMPTS_EXPORT_C_DATA_H

#include "plan.h"

/* Data on the host: random contents, comparison, and reading the kernels' source. */

size_t dtype_bytes(enum dtype dtype);

/* New random contents, by the tensor's fill.  The caller frees them. */
void *make_contents(const struct tensor *tensor);

/* Print the worst error of `got`; true if all errors are within the tolerance. */
bool compare(const struct tensor *tensor, const void *got, const void *want);

/* The text of the file; exits if it cannot be read.  The caller frees it. */
char *read_text(const char *path);

/* Zeroed memory; exits if there is not enough. */
void *allocate(size_t bytes);

/* The median; sorts the numbers. */
double median(double *numbers, size_t count);

/* Print the reason and exit. */
_Noreturn void fail(const char *what, const char *why);

#endif
