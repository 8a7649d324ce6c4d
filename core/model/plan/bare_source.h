#ifndef CORE_MODEL_PLAN_BARE_SOURCE_H
#define CORE_MODEL_PLAN_BARE_SOURCE_H

/*
 * Names of C's standard headers for a compiler that has none of these headers, such as NVRTC: the
 * macros of math.h, float.h, limits.h and stdint.h for numbers, and the integer types.
 */

/*
 * A copy of the source in which these names are defined. A name is defined only if the source uses
 * it and does not define it. Lines that include a standard header become comments. The compiler's
 * messages keep the lines of the source, which they call `file`. The caller frees the copy.
 */
char *bare_source_complete(const char *source, const char *file);

#endif
