#ifndef BACKENDS_HOST_COMPILER_CHILD_H
#define BACKENDS_HOST_COMPILER_CHILD_H

#include <sys/types.h>

#include "backends/host/compilers.h"
#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * A child of the executor that compiles kernels. It starts before any kernel runs, never loads one,
 * and is contained like the executor. So the executor itself needs to open no files and to start no
 * processes: it gives up both before it loads a kernel. The child checks each object that it makes
 * (object.h).
 */
struct compiler_child {
    pid_t pid; /* 0 if there is no child */
    int requests, answers;
};

/* The result of a compilation. All zeros is valid and empty. */
struct compilation {
    bool is_accepted;
    struct strbuf log, object;
    struct strbuf path; /* file of the object of a checked build, or empty */
};
void compilation_release(struct compilation *compilation);

/* Start a child that uses these compilers, COMPILER_LANGUAGES of them. */
enum status compiler_child_start(struct compiler_child *child,
                                 const struct found_compiler *compilers,
                                 struct error *err) MUST_CHECK;

/*
 * Compile a source. STATUS_OK also if the compiler rejects it. The caller releases the result.
 */
struct object_source;
enum status compiler_child_compile(struct compiler_child *child, const struct object_source *source,
                                   struct compilation *made, struct error *err) MUST_CHECK;

/* End the child and wait for it. */
void compiler_child_end(struct compiler_child *child);

#endif
