#ifndef CORE_TEMPLATE_JINJA_PRIMARY_H
#define CORE_TEMPLATE_JINJA_PRIMARY_H

#include "core/template/jinja_parser.h"
#include "core/template/jinja_tree.h"

/*
 * Parsing what expressions are made of: names, literals, and expressions in
 * parentheses.  NULL after a failure, with the error set.
 */
struct jinja_node *jinja_primary(struct jinja_parser *p);

/* The token must be an integer. */
struct jinja_node *jinja_primary_integer(struct jinja_parser *p);

#endif
