#ifndef PROMPTS_EXPORT_C_DATA_H
#define PROMPTS_EXPORT_C_DATA_H

#include "plan.h"

/* Data on the host: random contents, comparison, and the text of a kernel's file. */

size_t dtype_bytes(enum dtype dtype);

/* New contents by the tensor's fill; the caller frees. */
void *make_contents(const struct tensor *tensor);

/* Print how far `got` is from `want`, and whether that is within the tolerance. */
bool compare(const struct tensor *tensor, const void *got, const void *want);

/* The file's text; exits where it cannot be read.  The caller frees. */
char *read_text(const char *path);

/* Memory that is zero; exits where there is none. */
void *allocate(size_t bytes);

/* The median, after sorting. */
double median(double *numbers, size_t count);

/* Print why, and exit. */
_Noreturn void fail(const char *what, const char *why);

#endif
