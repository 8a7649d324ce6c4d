#include "core/template/jinja_relation.h"

#include <string.h>

/* Each a bit, so that a relation is the set of the orders for which it holds. */
enum order { ORDER_NONE = 0, ORDER_LESS = 1, ORDER_EQUAL = 2, ORDER_GREATER = 4 };

/* Long double holds every int64_t and every double exactly. */
static enum order compare_numbers(struct jinja_value a, struct jinja_value b)
{
    long double x = a.type == JINJA_FLOAT ? (long double)a.real : jinja_to_integer(a);
    long double y = b.type == JINJA_FLOAT ? (long double)b.real : jinja_to_integer(b);

    if (x == y)
        return ORDER_EQUAL;
    return x < y ? ORDER_LESS : x > y ? ORDER_GREATER : ORDER_NONE;
}

static enum order order_of(int sign)
{
    return sign < 0 ? ORDER_LESS : sign > 0 ? ORDER_GREATER : ORDER_EQUAL;
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the values, which the evaluator limits */

static bool equal_lists(struct jinja_heap *heap, const struct jinja_list *a,
                        const struct jinja_list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!jinja_equal(heap, a->items[i], b->items[i]))
            return false;
    return true;
}

static bool equal_dicts(struct jinja_heap *heap, const struct jinja_dict *a,
                        const struct jinja_dict *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct jinja_value *other = jinja_dict_get(heap, b, a->pairs[i].key);

        if (!other || !jinja_equal(heap, a->pairs[i].value, *other))
            return false;
    }
    return true;
}

bool jinja_equal(struct jinja_heap *heap, struct jinja_value a, struct jinja_value b)
{
    if (++heap->steps > JINJA_STEPS_MAX)
        return false;
    if (jinja_is_number(a) && jinja_is_number(b))
        return compare_numbers(a, b) == ORDER_EQUAL;
    if (a.type != b.type)
        return false;
    switch (a.type) {
    case JINJA_STRING:
        return jinja_text_compare(a.text, b.text) == 0;
    case JINJA_LIST:
    case JINJA_TUPLE:
    case JINJA_VIEW:
    case JINJA_RANGE:
        return equal_lists(heap, a.list, b.list);
    case JINJA_DICT:
        return equal_dicts(heap, a.dict, b.dict);
    case JINJA_LOOP:
        return a.loop == b.loop;
    case JINJA_MACRO:
        return a.macro == b.macro;
    case JINJA_FUNCTION:
        return a.function == b.function;
    case JINJA_ABSENT:
    case JINJA_UNDEFINED:
    case JINJA_NONE:
    case JINJA_BOOL:
    case JINJA_INT:
    case JINJA_FLOAT:
    default:
        return true;
    }
}

static enum status compare(struct jinja_heap *heap, struct jinja_value a, struct jinja_value b,
                           enum order *order, struct error *err);

static enum status compare_lists(struct jinja_heap *heap, const struct jinja_list *a,
                                 const struct jinja_list *b, enum order *order, struct error *err)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (!jinja_equal(heap, a->items[i], b->items[i]))
            return compare(heap, a->items[i], b->items[i], order, err);
    *order = order_of((a->count > b->count) - (a->count < b->count));
    return STATUS_OK;
}

static enum status compare(struct jinja_heap *heap, struct jinja_value a, struct jinja_value b,
                           enum order *order, struct error *err)
{
    if (jinja_is_number(a) && jinja_is_number(b))
        *order = compare_numbers(a, b);
    else if (a.type == JINJA_STRING && b.type == JINJA_STRING)
        *order = order_of(jinja_text_compare(a.text, b.text));
    else if (a.type == b.type && (a.type == JINJA_LIST || a.type == JINJA_TUPLE))
        return compare_lists(heap, a.list, b.list, order, err);
    else
        return error_set(err, STATUS_INVALID, "%s and %s have no order", jinja_type_name(a),
                         jinja_type_name(b));
    return STATUS_OK;
}

/* NOLINTEND(misc-no-recursion) */

static enum status contains(struct jinja_heap *heap, struct jinja_value container,
                            struct jinja_value element, bool *found, struct error *err)
{
    const struct jinja_list *list;

    if (container.type == JINJA_STRING) {
        if (element.type != JINJA_STRING)
            return error_set(err, STATUS_INVALID, "a str cannot contain %s",
                             jinja_type_name(element));
        *found = element.text.len == 0 || memmem(container.text.bytes, container.text.len,
                                                 element.text.bytes, element.text.len);
        return STATUS_OK;
    }
    if (container.type == JINJA_DICT) {
        *found = jinja_dict_get(heap, container.dict, element);
        return STATUS_OK;
    }

    enum status st = jinja_elements(heap, container, &list, err);

    if (st)
        return st;
    *found = false;
    for (size_t i = 0; i < list->count && !*found; i++)
        *found = jinja_equal(heap, list->items[i], element);
    return STATUS_OK;
}

static const unsigned orders_of[] = {
    [RELATION_LESS] = ORDER_LESS,
    [RELATION_LESS_EQUAL] = ORDER_LESS | ORDER_EQUAL,
    [RELATION_GREATER] = ORDER_GREATER,
    [RELATION_GREATER_EQUAL] = ORDER_GREATER | ORDER_EQUAL,
};

enum status jinja_relate(struct jinja_heap *heap, enum jinja_relation relation,
                         const struct jinja_value operands[2], bool *holds, struct error *err)
{
    struct jinja_value a = operands[0];
    struct jinja_value b = operands[1];
    enum order order = ORDER_NONE;
    bool found = false;
    enum status st = jinja_require(a, err);

    if (!st)
        st = jinja_require(b, err);
    if (st)
        return st;
    if (relation == RELATION_EQUAL || relation == RELATION_DIFFERENT) {
        *holds = jinja_equal(heap, a, b) == (relation == RELATION_EQUAL);
        return STATUS_OK;
    }
    if (relation == RELATION_IN || relation == RELATION_NOT_IN) {
        st = contains(heap, b, a, &found, err);
        if (!st)
            *holds = found == (relation == RELATION_IN);
        return st;
    }
    st = compare(heap, a, b, &order, err);
    if (!st)
        *holds = orders_of[relation] & order;
    return st;
}
