#ifndef BACKENDS_HOST_OBJECT_H
#define BACKENDS_HOST_OBJECT_H

#include <stdbool.h>

#include "core/base/strbuf.h"

/*
 * Imports and sections of a kernel's shared object (elf(5)). A kernel on the host's cores could do
 * whatever a process can. It has no need to: it computes, and what it may call is a short list. So
 * an object is refused that calls anything else, that loads another library, or whose code runs
 * when it is loaded, such as constructors and resolvers.
 */

/*
 * Append to `faults` a line for each reason to refuse the object, in the form of a compiler's
 * message. `source` is the kernel's text, to name the lines where a function is called.
 */
void object_check(const struct strbuf *object, const char *source, struct strbuf *faults);

/* The functions that the object defines for others to call; each calls `found`. */
void object_functions(const struct strbuf *object, void (*found)(void *data, const char *name),
                      void *data);

#endif
