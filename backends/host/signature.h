#ifndef BACKENDS_HOST_SIGNATURE_H
#define BACKENDS_HOST_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/model/plan/dispatch.h"

/*
 * The parameters of a function, read from its definition in the source. A shared object does not
 * have them, and a call with wrong arguments would pass garbage. The text is scanned, not compiled:
 * a parameter of a type that the source itself defines takes any argument, and a function that a
 * macro defines has no signature.
 */
enum parameter_kind {
    PARAMETER_ANY,
    PARAMETER_POINTER,
    PARAMETER_FLOAT,
    PARAMETER_DOUBLE,
    PARAMETER_INT,  /* an integer of 32 bits */
    PARAMETER_LONG, /* an integer of 64 bits */
    PARAMETER_OTHER /* an integer of 16 bits or less */
};

struct signature {
    bool is_known;
    size_t count;
    enum parameter_kind parameters[LAUNCH_MAX_ARGS];
};

/* Returns the place for the signature of the function `name`, or NULL if nobody wants it. */
typedef struct signature *signature_place_fn(void *data, const char *name, size_t len);

/*
 * Read the signatures of all functions that the source defines. One that has too many parameters,
 * or parentheses among them, stays unknown.
 */
void signatures_read(const char *source, signature_place_fn *place, void *data);

/* A parameter's type for messages, such as "float"; a static text. */
const char *parameter_name(enum parameter_kind kind);

/* True if the argument suits the parameter. */
bool parameter_takes(enum parameter_kind kind, const struct launch_arg *arg);

#endif
