#ifndef CORE_TEMPLATE_JINJA_NUMBER_H
#define CORE_TEMPLATE_JINJA_NUMBER_H

#include "core/base/status.h"
#include "core/template/jinja_text.h"
#include "core/template/jinja_value.h"

/*
 * Python's arithmetic, on the operands that templates have.
 *
 * Integers are 64 bits wide here, and what needs more is an error; Python's
 * are as wide as it takes.
 */
enum jinja_operator {
    OPERATOR_ADD, /* also joins two strings, lists or tuples */
    OPERATOR_SUBTRACT,
    OPERATOR_MULTIPLY, /* also repeats a string, list or tuple */
    OPERATOR_DIVIDE,   /* always a float */
    OPERATOR_FLOOR_DIVIDE,
    OPERATOR_MODULO, /* has the sign of the divisor */
    OPERATOR_POWER,
};

/* As Python computes it; the error is the one that Python raises, for a division by zero say. */
enum status jinja_calculate(struct jinja_heap *heap, enum jinja_operator op,
                            const struct jinja_value operands[2], struct jinja_value *out,
                            struct error *err) MUST_CHECK;

/* The number itself, or with its sign turned. */
enum status jinja_signed(struct jinja_value number, bool negative, struct jinja_value *out,
                         struct error *err) MUST_CHECK;

enum jinja_rounding { ROUND_COMMON, ROUND_CEIL, ROUND_FLOOR };

/* To `digits` after the decimal point; ROUND_COMMON takes halves to the even neighbour. */
enum status jinja_round(struct jinja_value number, int64_t digits, enum jinja_rounding rounding,
                        struct jinja_value *out, struct error *err) MUST_CHECK;

/* Write as Python's repr() does: the shortest text that reads back as the same number. */
void jinja_write_float(double real, struct jinja_sink *out);
void jinja_write_int(int64_t integer, struct jinja_sink *out);

#endif
