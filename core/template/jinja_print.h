#ifndef CORE_TEMPLATE_JINJA_PRINT_H
#define CORE_TEMPLATE_JINJA_PRINT_H

#include "core/base/status.h"
#include "core/template/jinja_text.h"
#include "core/template/jinja_value.h"

/* Values as text. */

/* As Python's str() writes them: strings as they are, containers by the repr() of what they hold.
 */
void jinja_print(struct jinja_value value, struct jinja_sink *out);

/*
 * As Python's json.dumps(sort_keys=True) writes them, with the characters
 * that mean something in HTML escaped, as Jinja does.  `indent` NULL: on one
 * line.
 */
enum status jinja_print_json(struct jinja_value value, const struct jinja_text *indent,
                             struct jinja_sink *out, struct error *err) MUST_CHECK;

#endif
