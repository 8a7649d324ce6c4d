#ifndef CORE_TEMPLATE_TEMPLATE_H
#define CORE_TEMPLATE_TEMPLATE_H

#include "core/base/json.h"
#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Jinja templates (https://jinja.palletsprojects.com/templates/), the part
 * that prompts need: variables, attributes and subscripts, filters, tests,
 * if / for / set / include / macro, raw blocks, comments, white-space control,
 * arithmetic, comparison and inline if.  Rendering gives the same bytes as
 * Jinja2 with trim_blocks and lstrip_blocks on and undefined variables an
 * error (StrictUndefined).
 */

/*
 * Render the template file `name` in `folder`; includes are names in the
 * same folder.  `variables` is an object.  Nothing is appended to `out` on
 * failure; the error reads "generate.j2:12: no variable \"verdict\"".
 */
enum status template_render(const char *folder, const char *name, const struct json *variables,
                            struct strbuf *out, struct error *err) MUST_CHECK;

/* The same for a text that is not a file; `name` stands in errors. */
enum status template_render_text(const char *text, const char *name, const struct json *variables,
                                 struct strbuf *out, struct error *err) MUST_CHECK;

#endif
