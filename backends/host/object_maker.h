#ifndef BACKENDS_HOST_OBJECT_MAKER_H
#define BACKENDS_HOST_OBJECT_MAKER_H

#include "backends/host/compilers.h"
#include "core/base/strbuf.h"

/* Compiles sources to checked objects, in a folder of its own. It runs in the compiler child. */
struct object_maker {
    const struct found_compiler *compiler;
    char *folder;
    int log;        /* a file in memory that takes the compiler's output */
    bool has_tried; /* kforge's OpenMP was compiled, or failed to compile */
    bool has_openmp;
};

/* Make the folder and change into it. False if that fails. */
bool object_maker_open(struct object_maker *maker, const struct found_compiler *compiler);
void object_maker_close(struct object_maker *maker);

/*
 * Append the object and the compiler's log. False if the compiler rejects the source or the check
 * refuses the object; the log says why.
 */
bool object_maker_make(struct object_maker *maker, const char *source, const char *options,
                       struct strbuf *object, struct strbuf *log);

#endif
