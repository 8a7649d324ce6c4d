#ifndef BACKENDS_HOST_SIGNATURE_H
#define BACKENDS_HOST_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/model/plan/dispatch.h"

/*
 * The parameters of a function, as its definition in the source names them. A shared object does
 * not tell them, and a call with others would pass garbage. The text is read, not compiled: a
 * parameter whose type is a name of the source's own takes any argument, and a function that macros
 * define has no signature.
 */
enum parameter_kind {
    PARAMETER_ANY,
    PARAMETER_POINTER,
    PARAMETER_FLOAT,
    PARAMETER_DOUBLE,
    PARAMETER_INT,  /* of 32 bits */
    PARAMETER_LONG, /* of 64 bits */
    PARAMETER_OTHER /* of 16 bits or less */
};

struct signature {
    bool is_known;
    size_t count;
    enum parameter_kind parameters[LAUNCH_MAX_ARGS];
};

/* Read the definition of the function; not known if there is none or it has too many parameters. */
struct signature signature_read(const char *source, const char *function);

/* A parameter's type, "float", for messages. Static. */
const char *parameter_name(enum parameter_kind kind);

/* True if the parameter takes the argument. */
bool parameter_takes(enum parameter_kind kind, const struct launch_arg *arg);

#endif
