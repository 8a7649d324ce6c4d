#ifndef CORE_TEMPLATE_JINJA_PRINT_H
#define CORE_TEMPLATE_JINJA_PRINT_H

#include "core/template/jinja_text.h"
#include "core/template/jinja_value.h"

/* Append the value as Python prints it: a string as it is, "True", "None", "[1, 'a']". */
void jinja_print(struct jinja_value value, struct jinja_sink *out);

/*
 * Append the value as JSON, with the keys of objects sorted, and with `<`, `>`,
 * `&`, `'` and everything beyond ASCII escaped, as Jinja does.  `indent` is the number
 * of spaces for each level; negative: all on one line.
 */
void jinja_print_json(struct jinja_value value, int indent, struct jinja_sink *out);

#endif
