#ifndef CORE_TEMPLATE_JINJA_EXECUTOR_H
#define CORE_TEMPLATE_JINJA_EXECUTOR_H

#include "core/template/jinja_render.h"
#include "core/template/jinja_tree.h"

/*
 * Runs the statements of a template.  The caller sets up the rendering, and afterwards reads `out`
 * and `error`.
 */

/* Run `text` as a template. NULL: run the file r->name in the folder. */
void jinja_run(struct jinja_render *r, const char *text);

#endif
