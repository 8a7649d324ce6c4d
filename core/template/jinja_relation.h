#ifndef CORE_TEMPLATE_JINJA_RELATION_H
#define CORE_TEMPLATE_JINJA_RELATION_H

#include <stdbool.h>

#include "core/base/status.h"
#include "core/template/jinja_value.h"

/* Comparing values, as the comparison operators and the tests named like them do. */
enum jinja_relation {
    RELATION_EQUAL,
    RELATION_DIFFERENT,
    RELATION_LESS,
    RELATION_LESS_EQUAL,
    RELATION_GREATER,
    RELATION_GREATER_EQUAL,
    RELATION_IN,
    RELATION_NOT_IN,
};

/* Numbers are equal across their types, and so are containers with equal elements. */
bool jinja_equal(struct jinja_heap *heap, struct jinja_value a, struct jinja_value b);

/*
 * Whether the relation holds between two operands.  Only numbers, strings,
 * and lists or tuples of them have an order.
 */
enum status jinja_relate(struct jinja_heap *heap, enum jinja_relation relation,
                         const struct jinja_value operands[2], bool *holds,
                         struct error *err) MUST_CHECK;

#endif
