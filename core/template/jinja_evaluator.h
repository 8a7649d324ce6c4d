#ifndef CORE_TEMPLATE_JINJA_EVALUATOR_H
#define CORE_TEMPLATE_JINJA_EVALUATOR_H

#include "core/template/jinja_render.h"
#include "core/template/jinja_tree.h"

/* The value of an expression; undefined, or absent after an error, which the rendering keeps. */
struct jinja_value jinja_eval(struct jinja_render *r, const struct jinja_node *expression);

/* The same for a value that will be used: an undefined one is an error. */
struct jinja_value jinja_eval_defined(struct jinja_render *r, const struct jinja_node *expression);

/* The truth of the value; an undefined value is an error. */
bool jinja_eval_truth(struct jinja_render *r, const struct jinja_node *expression);

#endif
