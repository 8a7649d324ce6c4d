#include "core/template/jinja_function.h"
#include "core/template/jinja_number.h"
#include "core/template/jinja_relation.h"

/* The tests of Jinja that stand behind `is`. */

static const struct jinja_parameter only_value[] = {{.name = "value"}, {0}};
static const struct jinja_parameter two_values[] = {{.name = "a"}, {.name = "b"}, {0}};
static const struct jinja_parameter value_and_divisor[] = {{.name = "value"}, {.name = "num"}, {0}};
static const struct jinja_parameter value_and_sequence[] = {
    {.name = "value"}, {.name = "seq"}, {0}};

/* Sets of types, as bits. */
enum {
    IS_UNDEFINED = 1 << JINJA_UNDEFINED,
    IS_NONE = 1 << JINJA_NONE,
    IS_BOOL = 1 << JINJA_BOOL,
    IS_INT = 1 << JINJA_INT,
    IS_FLOAT = 1 << JINJA_FLOAT,
    IS_NUMBER = IS_BOOL | IS_INT | IS_FLOAT,
    IS_STRING = 1 << JINJA_STRING,
    IS_DICT = 1 << JINJA_DICT,
    IS_SEQUENCE = IS_STRING | IS_DICT | 1 << JINJA_LIST | 1 << JINJA_TUPLE | 1 << JINJA_RANGE,
    IS_ITERABLE = IS_SEQUENCE | IS_UNDEFINED | 1 << JINJA_VIEW | 1 << JINJA_LOOP,
    IS_DEFINED = IS_NONE | IS_NUMBER | (IS_ITERABLE & ~IS_UNDEFINED) | 1 << JINJA_MACRO |
                 1 << JINJA_FUNCTION,
};

static enum status apply_type(struct jinja_heap *heap, const struct jinja_function *function,
                              const struct jinja_value *arguments, struct jinja_value *out,
                              struct error *err)
{
    (void)heap, (void)err;
    *out = jinja_bool(function->detail & 1U << arguments[0].type);
    return STATUS_OK;
}

static enum status apply_relation(struct jinja_heap *heap, const struct jinja_function *function,
                                  const struct jinja_value *arguments, struct jinja_value *out,
                                  struct error *err)
{
    bool holds;
    enum status st =
        jinja_relate(heap, (enum jinja_relation)function->detail, arguments, &holds, err);

    if (!st)
        *out = jinja_bool(holds);
    return st;
}

/* Whether the remainder of a division is the one expected. */
static enum status has_remainder(struct jinja_heap *heap, const struct jinja_value operands[2],
                                 int64_t expected, struct jinja_value *out, struct error *err)
{
    struct jinja_value remainder;
    enum status st = jinja_calculate(heap, OPERATOR_MODULO, operands, &remainder, err);

    if (!st)
        *out = jinja_bool(jinja_equal(heap, remainder, jinja_int(expected)));
    return st;
}

static enum status apply_divisibleby(struct jinja_heap *heap, const struct jinja_function *function,
                                     const struct jinja_value *arguments, struct jinja_value *out,
                                     struct error *err)
{
    (void)function;
    return has_remainder(heap, arguments, 0, out, err);
}

enum { PARITY_EVEN, PARITY_ODD };

static enum status apply_parity(struct jinja_heap *heap, const struct jinja_function *function,
                                const struct jinja_value *arguments, struct jinja_value *out,
                                struct error *err)
{
    const struct jinja_value operands[] = {arguments[0], jinja_int(2)};

    return has_remainder(heap, operands, function->detail, out, err);
}

const struct jinja_function jinja_tests[] = {
    {"boolean", only_value, apply_type, IS_BOOL, true},
    {"defined", only_value, apply_type, IS_DEFINED, true},
    {"divisibleby", value_and_divisor, apply_divisibleby, 0, false},
    {"eq", two_values, apply_relation, RELATION_EQUAL, false},
    {"equalto", two_values, apply_relation, RELATION_EQUAL, false},
    {"even", only_value, apply_parity, PARITY_EVEN, false},
    {"float", only_value, apply_type, IS_FLOAT, true},
    {"ge", two_values, apply_relation, RELATION_GREATER_EQUAL, false},
    {"greaterthan", two_values, apply_relation, RELATION_GREATER, false},
    {"gt", two_values, apply_relation, RELATION_GREATER, false},
    {"in", value_and_sequence, apply_relation, RELATION_IN, false},
    {"integer", only_value, apply_type, IS_INT, true},
    {"iterable", only_value, apply_type, IS_ITERABLE, false},
    {"le", two_values, apply_relation, RELATION_LESS_EQUAL, false},
    {"lessthan", two_values, apply_relation, RELATION_LESS, false},
    {"lt", two_values, apply_relation, RELATION_LESS, false},
    {"mapping", only_value, apply_type, IS_DICT, true},
    {"ne", two_values, apply_relation, RELATION_DIFFERENT, false},
    {"none", only_value, apply_type, IS_NONE, true},
    {"number", only_value, apply_type, IS_NUMBER, true},
    {"odd", only_value, apply_parity, PARITY_ODD, false},
    {"sequence", only_value, apply_type, IS_SEQUENCE, true},
    {"string", only_value, apply_type, IS_STRING, true},
    {"undefined", only_value, apply_type, IS_UNDEFINED, true},
    {0},
};
