#ifndef CORE_TEMPLATE_JINJA_STATEMENT_H
#define CORE_TEMPLATE_JINJA_STATEMENT_H

#include "core/template/jinja_tree.h"

/*
 * Parse a template into its statements, linked by `next`, in `arena`.
 * Errors begin with "<name>:<line>: ".
 */
enum status jinja_parse(struct jinja_text source, const char *name, struct arena *arena,
                        struct jinja_node **statements, struct error *err) MUST_CHECK;

#endif
