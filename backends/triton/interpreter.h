#ifndef BACKENDS_TRITON_INTERPRETER_H
#define BACKENDS_TRITON_INTERPRETER_H

#include <stdio.h>

#include "core/base/json.h"

/*
 * The Python child that interprets kernels (backends/python/interpreter.py). It inherits this
 * process's containment and ends with this process.
 */
struct interpreter {
    FILE *requests, *answers;
};

/* Memory that is sent to the child and received back. */
struct interpreter_memory {
    unsigned char **items;
    const size_t *bytes;
    size_t count;
};

/*
 * Start the child. STATUS_UNAVAILABLE if Python or Triton is missing; the error names it. The
 * caller frees `*version`.
 */
enum status interpreter_open(struct interpreter *interpreter, char **version,
                             struct error *err) MUST_CHECK;
void interpreter_close(struct interpreter *interpreter);

/*
 * Send a request with the contents of memory, and wait for the answer. Takes `request`; the caller
 * frees `*answer`. Afterwards the memory has the child's contents, unless the answer has "error" or
 * "rejected". STATUS_IO if the child has ended.
 */
enum status interpreter_ask(struct interpreter *interpreter, struct json *request,
                            const struct interpreter_memory *memory, struct json **answer,
                            struct error *err) MUST_CHECK;

#endif
