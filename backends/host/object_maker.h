#ifndef BACKENDS_HOST_OBJECT_MAKER_H
#define BACKENDS_HOST_OBJECT_MAKER_H

#include "backends/host/compilers.h"
#include "core/base/strbuf.h"

/* Compiles sources to checked objects, in a folder of its own. It runs in the compiler child. */
struct object_maker {
    const struct found_compiler *compilers; /* COMPILER_LANGUAGES of them */
    const struct found_compiler *compiler;  /* that of the current source */
    const char *source_file;                /* its name, by its language */
    char *folder;
    int log;        /* a file in memory that takes the compiler's output */
    bool has_tried; /* kforge's OpenMP was compiled, or failed to compile */
    bool has_openmp;
    bool has_tried_header, has_header;  /* the row's header, compiled */
    const struct checked_build *checks; /* NULL for ordinary builds */
    unsigned made;                      /* number of objects of checked builds */
};

/* Make the folder and change into it. False if that fails. */
bool object_maker_open(struct object_maker *maker, const struct found_compiler *compilers);
void object_maker_close(struct object_maker *maker);

/* A source to compile; the texts are borrowed. */
struct object_source {
    const char *language; /* a name in core/model/language.h; "": C */
    const char *text, *options;
};

/*
 * Append the object and the compiler's log. False if the compiler rejects the source or the check
 * refuses the object; the log says why.
 */
bool object_maker_make(struct object_maker *maker, const struct object_source *source,
                       struct strbuf *object, struct strbuf *log);

/*
 * Append the path of the file with the object of a checked build, from which the sanitizer reads
 * lines of the source; nothing after an ordinary build.
 */
void object_maker_add_path(const struct object_maker *maker, struct strbuf *path);

#endif
