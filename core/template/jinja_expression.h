#ifndef CORE_TEMPLATE_JINJA_EXPRESSION_H
#define CORE_TEMPLATE_JINJA_EXPRESSION_H

#include "core/template/jinja_parser.h"

/* Parse an expression, with Jinja's grammar and precedence. */
struct jinja_node *jinja_expression(struct jinja_parser *p);

/*
 * Parse an expression that ends before an `if`, because that belongs to the statement: "for x in
 * list if x".
 */
struct jinja_node *jinja_expression_before_if(struct jinja_parser *p);

#endif
