#ifndef CORE_TEMPLATE_JINJA_OPERATOR_H
#define CORE_TEMPLATE_JINJA_OPERATOR_H

#include "core/template/jinja_render.h"

/*
 * Arithmetic and comparison.  Integers have 64 bits, and a result that needs
 * more is an error.  `/` gives a float; `//` and `%` round towards minus
 * infinity, as in Python.
 */
enum jinja_operator {
    OPERATOR_ADD, /* also joins two strings */
    OPERATOR_SUBTRACT,
    OPERATOR_MULTIPLY,
    OPERATOR_DIVIDE,
    OPERATOR_FLOOR_DIVIDE,
    OPERATOR_MODULO,
    OPERATOR_EQUAL,
    OPERATOR_DIFFERENT,
    OPERATOR_LESS, /* the orders compare numbers with numbers, and strings with strings */
    OPERATOR_LESS_EQUAL,
    OPERATOR_GREATER,
    OPERATOR_GREATER_EQUAL,
    OPERATOR_IN, /* an element of a list, a key of a dict, a part of a string */
    OPERATOR_NOT_IN,
};

/* Compute `a op b`. It is an error if one of them is undefined. */
struct jinja_value jinja_operate(struct jinja_render *r, enum jinja_operator op,
                                 struct jinja_value a, struct jinja_value b);

#endif
