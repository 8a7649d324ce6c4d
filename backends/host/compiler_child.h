#ifndef BACKENDS_HOST_COMPILER_CHILD_H
#define BACKENDS_HOST_COMPILER_CHILD_H

#include <sys/types.h>

#include "backends/host/compilers.h"
#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * A child of the executor that compiles. It was made before any kernel ran, never loads one, and is
 * contained as the executor is. So the executor itself needs no files and no processes: it gives
 * them up before it loads a kernel. The child checks each object that it makes (object.h).
 */
struct compiler_child {
    pid_t pid; /* 0: there is none */
    int requests, answers;
};

/* The result of a compilation. All zeros is valid and has none. */
struct compilation {
    bool is_accepted;
    struct strbuf log, object;
};
void compilation_release(struct compilation *compilation);

/* Start the child, which uses this compiler. */
enum status compiler_child_start(struct compiler_child *child,
                                 const struct found_compiler *compiler,
                                 struct error *err) MUST_CHECK;

/*
 * Compile a source with further options, separated by blanks. A rejection is STATUS_OK. The caller
 * releases the result.
 */
enum status compiler_child_compile(struct compiler_child *child, const char *source,
                                   const char *options, struct compilation *made,
                                   struct error *err) MUST_CHECK;

/* End the child and wait for it. */
void compiler_child_end(struct compiler_child *child);

#endif
