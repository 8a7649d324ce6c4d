#ifndef CORE_TEMPLATE_JINJA_SLICE_H
#define CORE_TEMPLATE_JINJA_SLICE_H

#include "core/template/jinja_function.h"

/* Python's slices, and its range(). */

/* of[start:stop:step]; bounds that are not given are none. */
enum status jinja_slice(struct jinja_heap *heap, struct jinja_value of,
                        const struct jinja_value bounds[3], struct jinja_value *out,
                        struct error *err) MUST_CHECK;

/* What a template may call without a dot before it. */
extern const struct jinja_function jinja_globals[];

#endif
