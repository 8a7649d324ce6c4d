#ifndef CORE_TEMPLATE_JINJA_FUNCTION_H
#define CORE_TEMPLATE_JINJA_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"
#include "core/template/jinja_value.h"

/*
 * What filters, tests and methods have in common: a name, parameters with
 * defaults, and a C function that gets all of its arguments in their order.
 */
enum { JINJA_PARAMETERS_MAX = 4 };

struct jinja_parameter {
    const char *name;            /* NULL after the last */
    struct jinja_value fallback; /* absent: the argument must be given */
};

struct jinja_function {
    const char *name; /* NULL after the last of a table */
    /* The first is what stands before the bar, the `is` or the dot. */
    const struct jinja_parameter *parameters;
    enum status (*apply)(struct jinja_heap *heap, const struct jinja_function *function,
                         const struct jinja_value *arguments, struct jinja_value *out,
                         struct error *err);
    unsigned detail;      /* tells functions apart that share an `apply` */
    bool takes_undefined; /* otherwise no argument may be */
};

/* Arguments as they are given, evaluated. */
struct jinja_arguments {
    struct jinja_value *values;
    const char **keywords; /* of each; NULL for those by position, which come first */
    size_t count;
};

/*
 * Put each argument into the slot of its parameter.  Slots without an
 * argument stay as they are; one that has a value already is not to be
 * given another by keyword.
 */
enum status jinja_bind(const struct jinja_arguments *given, const char *const *parameters,
                       size_t count, struct jinja_value *slots, struct error *err) MUST_CHECK;

/* Call with the arguments, of which the first is the input. */
enum status jinja_apply(struct jinja_heap *heap, const struct jinja_function *function,
                        const struct jinja_arguments *given, struct jinja_value *out,
                        struct error *err) MUST_CHECK;

/* The entry of a table with the name, NULL if there is none. */
const struct jinja_function *jinja_function_find(const struct jinja_function *table,
                                                 struct jinja_text name);

extern const struct jinja_function jinja_filters[];
extern const struct jinja_function jinja_tests[];
extern const struct jinja_function jinja_dict_methods[];

#endif
