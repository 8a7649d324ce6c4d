#ifndef CORE_TEMPLATE_JINJA_PRINT_H
#define CORE_TEMPLATE_JINJA_PRINT_H

#include "core/template/jinja_render.h"

/* Append the value as Python prints it: "True", "None", "2.5". Fails for a container. */
void jinja_print(struct jinja_render *r, struct jinja_value value, struct jinja_sink *out);

/*
 * Append the value as JSON on one line, with the keys of objects sorted, and with `<`, `>`, `&`,
 * `'` and everything beyond ASCII escaped, as Jinja does.
 */
void jinja_print_json(struct jinja_value value, struct jinja_sink *out);

#endif
