#ifndef CORE_TEMPLATE_TEMPLATE_H
#define CORE_TEMPLATE_TEMPLATE_H

#include "core/base/json.h"
#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Renders Jinja templates (https://jinja.palletsprojects.com/templates/): the prompts, and the
 * files of exported programs.
 *
 * kforge implements a subset of Jinja2: writing a prompt then needs no Python, and engineers know
 * the syntax. The subset has what the shipped templates use and what else is common: output with
 * filters, if, for, set, include, macros, raw blocks, comments, white-space control, arithmetic and
 * comparison. FORMATS.md ("Templates") lists it. Everything else is refused with an error that
 * names the file, the line and what to write instead; nothing is silently ignored.
 *
 * Within the subset the output equals that of Jinja2 with trim_blocks and lstrip_blocks on and
 * StrictUndefined; tests/golden/template.py compares.
 */

/*
 * Render the template file `name` in `folder`, and append the text to `out`.
 * The template can include files of the same folder.  `variables` is an object.
 * Nothing is appended on failure; the error reads
 * "generate.j2:12: no variable \"verdict\"".
 */
enum status template_render(const char *folder, const char *name, const struct json *variables,
                            struct strbuf *out, struct error *err) MUST_CHECK;

/* Render a text that is not a file; errors call it `name`.  It cannot include files. */
enum status template_render_text(const char *text, const char *name, const struct json *variables,
                                 struct strbuf *out, struct error *err) MUST_CHECK;

#endif
