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

/* The rules that an object is checked against. The texts are borrowed. */
struct object_rules {
    const char *source, *file; /* the kernel's text and its file's name, for places in messages */
    /*
     * It is in a language that has a library of its own (language.h): it calls that library too,
     * and has the constructors of its headers.
     */
    bool has_runtime;
    /*
     * It is of a checked build (checked_build.h), which calls the sanitizer's functions and has its
     * constructors.
     */
    bool is_checked;
};

/*
 * Append to `faults` a line for each reason to refuse the object, in the form of a compiler's
 * message.
 */
void object_check(const struct strbuf *object, const struct object_rules *rules,
                  struct strbuf *faults);

/* Call `found` for each function that the object exports. */
void object_functions(const struct strbuf *object, void (*found)(void *data, const char *name),
                      void *data);

#endif
