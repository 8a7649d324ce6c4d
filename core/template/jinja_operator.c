#include "core/template/jinja_operator.h"

#include <math.h>
#include <string.h>

static const char *const symbols[] = {
    [OPERATOR_ADD] = "+",    [OPERATOR_SUBTRACT] = "-",      [OPERATOR_MULTIPLY] = "*",
    [OPERATOR_DIVIDE] = "/", [OPERATOR_FLOOR_DIVIDE] = "//", [OPERATOR_MODULO] = "%",
};

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* `b` is neither 0 nor -1 for a division. */
static bool calculate_integers(enum jinja_operator op, int64_t a, int64_t b, int64_t *out)
{
    if (op == OPERATOR_ADD)
        return !__builtin_add_overflow(a, b, out);
    if (op == OPERATOR_SUBTRACT)
        return !__builtin_sub_overflow(a, b, out);
    if (op == OPERATOR_MULTIPLY)
        return !__builtin_mul_overflow(a, b, out);
    if (b == -1) {
        *out = 0;
        return op == OPERATOR_MODULO || !__builtin_sub_overflow(0, a, out);
    }
    *out = floor_divide(a, b);
    if (op == OPERATOR_MODULO)
        *out = a - *out * b;
    return true;
}

static double calculate_floats(enum jinja_operator op, double a, double b)
{
    if (op == OPERATOR_ADD)
        return a + b;
    if (op == OPERATOR_SUBTRACT)
        return a - b;
    if (op == OPERATOR_MULTIPLY)
        return a * b;
    if (op == OPERATOR_DIVIDE)
        return a / b;

    double rest = fmod(a, b);

    if (rest == 0)
        rest = copysign(0, b);
    else if ((rest < 0) != (b < 0))
        rest += b;
    return op == OPERATOR_MODULO ? rest : floor((a - rest) / b + 0.5);
}

static struct jinja_value calculate(struct jinja_render *r, enum jinja_operator op,
                                    struct jinja_value a, struct jinja_value b)
{
    int64_t result;

    if (op >= OPERATOR_DIVIDE && jinja_to_float(b) == 0)
        return jinja_fail(r, "division by zero");
    if (op == OPERATOR_DIVIDE || !jinja_is_integer(a) || !jinja_is_integer(b))
        return jinja_float(calculate_floats(op, jinja_to_float(a), jinja_to_float(b)));
    if (!calculate_integers(op, jinja_to_integer(a), jinja_to_integer(b), &result))
        return jinja_fail(r, "the result of %s needs more than 64 bits", symbols[op]);
    return jinja_int(result);
}

static struct jinja_value add_texts(struct jinja_render *r, struct jinja_text a,
                                    struct jinja_text b)
{
    struct jinja_sink sink = {0};

    jinja_sink_add(&sink, a);
    jinja_sink_add(&sink, b);
    return jinja_take(r, &sink);
}

/* Numbers are equal across their types. */
static bool equal(struct jinja_render *r, struct jinja_value a, struct jinja_value b)
{
    r->steps++;
    if (jinja_is_integer(a) && jinja_is_integer(b))
        return jinja_to_integer(a) == jinja_to_integer(b);
    if (jinja_is_number(a) && jinja_is_number(b))
        return jinja_to_float(a) == jinja_to_float(b);
    if (a.type != b.type)
        return false;
    if (a.type == JINJA_STRING)
        return jinja_text_compare(a.text, b.text) == 0;
    if (a.type > JINJA_STRING)
        jinja_fail(r, "%s cannot be compared", jinja_type_name(a));
    return true;
}

/* Negative, zero or positive; an error for values that have no order.  NaN is below all numbers. */
static int compare(struct jinja_render *r, struct jinja_value a, struct jinja_value b)
{
    r->steps++;
    if (a.type == JINJA_STRING && b.type == JINJA_STRING)
        return jinja_text_compare(a.text, b.text);
    if (!jinja_is_number(a) || !jinja_is_number(b)) {
        jinja_fail(r, "%s and %s have no order", jinja_type_name(a), jinja_type_name(b));
        return 0;
    }
    if (jinja_is_integer(a) && jinja_is_integer(b))
        return (jinja_to_integer(a) > jinja_to_integer(b)) -
               (jinja_to_integer(a) < jinja_to_integer(b));

    double x = jinja_to_float(a);
    double y = jinja_to_float(b);

    return isnan(x) || isnan(y) ? isnan(y) - isnan(x) : (x > y) - (x < y);
}

static bool contains(struct jinja_render *r, struct jinja_value container,
                     struct jinja_value element)
{
    if (container.type == JINJA_STRING && element.type == JINJA_STRING)
        return !element.text.len || memmem(container.text.bytes, container.text.len,
                                           element.text.bytes, element.text.len);
    if (container.type == JINJA_DICT)
        return element.type == JINJA_STRING && jinja_dict_get(container.dict, element.text);
    if (container.type != JINJA_LIST) {
        jinja_fail(r, "%s cannot contain %s", jinja_type_name(container), jinja_type_name(element));
        return false;
    }
    for (size_t i = 0; i < container.list->count; i++)
        if (equal(r, container.list->items[i], element))
            return true;
    return false;
}

static bool relate(struct jinja_render *r, enum jinja_operator op, struct jinja_value a,
                   struct jinja_value b)
{
    if (op == OPERATOR_EQUAL || op == OPERATOR_DIFFERENT)
        return equal(r, a, b) == (op == OPERATOR_EQUAL);
    if (op == OPERATOR_IN || op == OPERATOR_NOT_IN)
        return contains(r, b, a) == (op == OPERATOR_IN);

    int order = compare(r, a, b);

    if (op == OPERATOR_LESS)
        return order < 0;
    if (op == OPERATOR_LESS_EQUAL)
        return order <= 0;
    return op == OPERATOR_GREATER ? order > 0 : order >= 0;
}

struct jinja_value jinja_operate(struct jinja_render *r, enum jinja_operator op,
                                 struct jinja_value a, struct jinja_value b)
{
    if (!jinja_require(r, a) || !jinja_require(r, b))
        return (struct jinja_value){.type = JINJA_ABSENT};
    if (op >= OPERATOR_EQUAL)
        return jinja_bool(relate(r, op, a, b));
    if (jinja_is_number(a) && jinja_is_number(b))
        return calculate(r, op, a, b);
    if (op == OPERATOR_ADD && a.type == JINJA_STRING && b.type == JINJA_STRING)
        return add_texts(r, a.text, b.text);
    return jinja_fail(r, "%s %s %s is not possible", jinja_type_name(a), symbols[op],
                      jinja_type_name(b));
}
