#ifndef BACKENDS_TRITON_INTERPRETER_H
#define BACKENDS_TRITON_INTERPRETER_H

#include <stdio.h>

#include "core/base/json.h"

/*
 * The Python child that interprets kernels (backends/python/interpreter.py). It inherits the
 * containment of this process and ends with it.
 */
struct interpreter {
    FILE *requests, *answers;
};

/* Memory that goes to the child and comes back. */
struct interpreter_memory {
    unsigned char **items;
    const size_t *bytes;
    size_t count;
};

/* Start the child. STATUS_UNAVAILABLE names what is missing. `*version` is the caller's. */
enum status interpreter_open(struct interpreter *interpreter, char **version,
                             struct error *err) MUST_CHECK;
void interpreter_close(struct interpreter *interpreter);

/*
 * Ask, with the contents of memory. Takes `request`; `*answer` is the caller's. The memory has what
 * the child left in it unless the answer has "error" or "rejected". STATUS_IO: the child is gone.
 */
enum status interpreter_ask(struct interpreter *interpreter, struct json *request,
                            const struct interpreter_memory *memory, struct json **answer,
                            struct error *err) MUST_CHECK;

#endif
