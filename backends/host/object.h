#ifndef BACKENDS_HOST_OBJECT_H
#define BACKENDS_HOST_OBJECT_H

#include <stdbool.h>

#include "core/base/strbuf.h"

/*
 * Checks the imports and sections of a kernel's shared object (elf(5)). A kernel on the host's
 * cores could do whatever a process can, but it needs only to compute. So an object is refused if
 * it calls a function outside of a short list (allowed.h), loads another library, or has code that
 * runs when it is loaded, such as constructors and resolvers.
 */

/*
 * Append to `faults` a line for each reason to refuse the object, in the form of a compiler's
 * message. `source` is the kernel's text, to name the lines where a function is called.
 */
void object_check(const struct strbuf *object, const char *source, struct strbuf *faults);

/*
 * Like object_check(), for an object of a checked build (checked_build.h), which also calls the
 * sanitizer's functions and has its constructors.
 */
void object_check_checked(const struct strbuf *object, const char *source, struct strbuf *faults);

/* Call `found` for each function that the object exports. */
void object_functions(const struct strbuf *object, void (*found)(void *data, const char *name),
                      void *data);

#endif
