#ifndef CORE_TEMPLATE_JINJA_EXPRESSION_H
#define CORE_TEMPLATE_JINJA_EXPRESSION_H

#include "core/template/jinja_parser.h"
#include "core/template/jinja_tree.h"

/*
 * Parsing expressions, with Jinja's grammar and precedence.
 *
 * Every function returns NULL after a failure, with the error set.
 */
struct jinja_node *jinja_expression(struct jinja_parser *p);

/* An expression, or several with commas between them, which make a tuple. */
struct jinja_node *jinja_expression_tuple(struct jinja_parser *p);

/* The same where an `if` behind it is not part of it. */
struct jinja_node *jinja_expression_tuple_before_if(struct jinja_parser *p);

/* The filters behind `input`, from the bar on. */
struct jinja_node *jinja_expression_filters(struct jinja_parser *p, struct jinja_node *input);

#endif
