#ifndef CORE_TEMPLATE_JINJA_PARSE_H
#define CORE_TEMPLATE_JINJA_PARSE_H

#include "core/base/arena.h"
#include "core/base/status.h"
#include "core/template/jinja_text.h"
#include "core/template/jinja_tree.h"

/*
 * Parse a whole template into its first statement (NULL if it is empty), in
 * `arena`.  Errors begin with `name` and the line.
 */
enum status jinja_parse(struct jinja_text source, const char *name, struct arena *arena,
                        struct jinja_node **statements, struct error *err) MUST_CHECK;

#endif
