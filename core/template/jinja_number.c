#include "core/template/jinja_number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* On integers: false where the result does not fit. */
static bool add_int(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static bool subtract_int(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_sub_overflow(a, b, out);
}

static bool multiply_int(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

static bool floor_divide_int(int64_t a, int64_t b, int64_t *out)
{
    if (b == -1)
        return subtract_int(0, a, out);
    *out = a / b - (a % b != 0 && (a < 0) != (b < 0));
    return true;
}

static bool modulo_int(int64_t a, int64_t b, int64_t *out)
{
    int64_t rest = b == -1 ? 0 : a % b;

    *out = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    return true;
}

static bool power_int(int64_t base, int64_t exponent, int64_t *out)
{
    int64_t result = 1;

    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1 && !multiply_int(result, base, &result))
            return false;
        if (exponent > 1 && !multiply_int(base, base, &base))
            return false;
    }
    *out = result;
    return true;
}

static double add_float(double a, double b)
{
    return a + b;
}

static double subtract_float(double a, double b)
{
    return a - b;
}

static double multiply_float(double a, double b)
{
    return a * b;
}

static double divide_float(double a, double b)
{
    return a / b;
}

static double modulo_float(double a, double b)
{
    double rest = fmod(a, b);

    if (rest == 0)
        return copysign(0, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Through the remainder, as CPython does, so that a == a // b * b + a % b as nearly as can be. */
static double floor_divide_float(double a, double b)
{
    double rest = fmod(a, b);
    double quotient = (a - rest) / b;

    if (rest != 0 && (rest < 0) != (b < 0))
        quotient -= 1;
    if (quotient == 0)
        return copysign(0, a / b);

    double whole = floor(quotient);

    return quotient - whole > 0.5 ? whole + 1 : whole;
}

static const struct arithmetic {
    const char *symbol;
    bool (*on_integers)(int64_t, int64_t, int64_t *); /* NULL: integers become floats */
    double (*on_floats)(double, double);
    bool divides;
} arithmetic[] = {
    [OPERATOR_ADD] = {"+", add_int, add_float, false},
    [OPERATOR_SUBTRACT] = {"-", subtract_int, subtract_float, false},
    [OPERATOR_MULTIPLY] = {"*", multiply_int, multiply_float, false},
    [OPERATOR_DIVIDE] = {"/", NULL, divide_float, true},
    [OPERATOR_FLOOR_DIVIDE] = {"//", floor_divide_int, floor_divide_float, true},
    [OPERATOR_MODULO] = {"%", modulo_int, modulo_float, true},
    [OPERATOR_POWER] = {"**", power_int, pow, false},
};

static enum status power_floats(double base, double exponent, struct jinja_value *out,
                                struct error *err)
{
    double result = pow(base, exponent);

    if (base == 0 && exponent < 0)
        return error_set(err, STATUS_INVALID, "0 to a negative power");
    if (isfinite(base) && isfinite(exponent) && !isfinite(result))
        return error_set(err, STATUS_INVALID, "the result of ** is not a finite number");
    *out = jinja_float(result);
    return STATUS_OK;
}

static enum status calculate_numbers(enum jinja_operator op, struct jinja_value a,
                                     struct jinja_value b, struct jinja_value *out,
                                     struct error *err)
{
    const struct arithmetic *how = &arithmetic[op];
    bool integers = how->on_integers && jinja_is_integer(a) && jinja_is_integer(b);
    int64_t result;

    if (how->divides && jinja_to_float(b) == 0)
        return error_set(err, STATUS_INVALID, "division by zero");
    if (op == OPERATOR_POWER && !(integers && jinja_to_integer(b) >= 0))
        return power_floats(jinja_to_float(a), jinja_to_float(b), out, err);
    if (!integers) {
        *out = jinja_float(how->on_floats(jinja_to_float(a), jinja_to_float(b)));
        return STATUS_OK;
    }
    if (!how->on_integers(jinja_to_integer(a), jinja_to_integer(b), &result))
        return error_set(err, STATUS_INVALID, "the result of %s needs more than 64 bits",
                         how->symbol);
    *out = jinja_int(result);
    return STATUS_OK;
}

/* Fail unless a sequence of `len` times `count` stays within what a text may have. */
static enum status expect_room(size_t len, size_t count, struct error *err)
{
    size_t total;

    if (__builtin_mul_overflow(len, count, &total) || total > JINJA_TEXT_MAX)
        return error_set(err, STATUS_INVALID, "more than %d MiB of text", JINJA_TEXT_MAX >> 20);
    return STATUS_OK;
}

static bool is_sequence(struct jinja_value value)
{
    return value.type == JINJA_STRING || value.type == JINJA_LIST || value.type == JINJA_TUPLE;
}

static size_t size_of(struct jinja_value sequence)
{
    return sequence.type == JINJA_STRING ? sequence.text.len
                                         : sequence.list->count * sizeof(struct jinja_value);
}

static const void *start_of(struct jinja_value sequence)
{
    return sequence.type == JINJA_STRING ? (const void *)sequence.text.bytes
                                         : (const void *)sequence.list->items;
}

/* `count` times `a`, and then `b`; both of one type. */
static struct jinja_value join(struct jinja_heap *heap, struct jinja_value a, size_t count,
                               struct jinja_value b)
{
    size_t len = size_of(a);
    size_t total = len * count + size_of(b);
    char *bytes = arena_alloc(&heap->arena, total + 1, 1);

    for (size_t i = 0; len && i < count; i++)
        memcpy(bytes + i * len, start_of(a), len);
    if (size_of(b))
        memcpy(bytes + len * count, start_of(b), size_of(b));
    if (a.type == JINJA_STRING)
        return jinja_string((struct jinja_text){bytes, total});

    struct jinja_list *list = arena_alloc(&heap->arena, 1, sizeof(*list));

    *list = (struct jinja_list){(void *)bytes, total / sizeof(*list->items)};
    return (struct jinja_value){a.type, {.list = list}};
}

static enum status repeat(struct jinja_heap *heap, struct jinja_value sequence, int64_t times,
                          struct jinja_value *out, struct error *err)
{
    size_t count = times > 0 ? (size_t)times : 0;
    struct jinja_value nothing = {JINJA_STRING, {.text = {0}}};
    enum status st = expect_room(size_of(sequence), count, err);

    if (!st)
        *out = join(heap, sequence, count, nothing);
    return st;
}

enum status jinja_calculate(struct jinja_heap *heap, enum jinja_operator op,
                            const struct jinja_value operands[2], struct jinja_value *out,
                            struct error *err)
{
    struct jinja_value a = operands[0];
    struct jinja_value b = operands[1];

    if (jinja_is_number(a) && jinja_is_number(b))
        return calculate_numbers(op, a, b, out, err);
    if (op == OPERATOR_ADD && a.type == b.type && is_sequence(a)) {
        enum status st = expect_room(size_of(a) + size_of(b), 1, err);

        if (!st)
            *out = join(heap, a, 1, b);
        return st;
    }
    if (op == OPERATOR_MULTIPLY && is_sequence(a) && jinja_is_integer(b))
        return repeat(heap, a, jinja_to_integer(b), out, err);
    if (op == OPERATOR_MULTIPLY && jinja_is_integer(a) && is_sequence(b))
        return repeat(heap, b, jinja_to_integer(a), out, err);
    return error_set(err, STATUS_INVALID, "%s %s %s is not possible", jinja_type_name(a),
                     arithmetic[op].symbol, jinja_type_name(b));
}

enum status jinja_signed(struct jinja_value number, bool negative, struct jinja_value *out,
                         struct error *err)
{
    enum jinja_operator op = negative ? OPERATOR_SUBTRACT : OPERATOR_ADD;

    if (!jinja_is_number(number))
        return error_set(err, STATUS_INVALID, "%s has no sign", jinja_type_name(number));
    if (number.type == JINJA_FLOAT) {
        *out = jinja_float(negative ? -number.real : number.real);
        return STATUS_OK;
    }
    return calculate_numbers(op, jinja_int(0), number, out, err);
}

/* The decimal text rounds correctly: multiplying by a power of ten would not. */
static double round_decimals(double real, int digits)
{
    char text[700]; /* 309 digits before the point, 323 after it */

    snprintf(text, sizeof(text), "%.*f", digits, real);
    return strtod(text, NULL);
}

static struct jinja_value round_common(struct jinja_value number, int digits)
{
    double real = jinja_to_float(number);

    if (digits < 0) {
        long double scale = powl(10, -digits);

        real = (double)(nearbyintl((long double)real / scale) * scale);
    } else if (number.type == JINJA_FLOAT) {
        real = round_decimals(real, digits);
    }
    if (number.type == JINJA_FLOAT)
        return jinja_float(real);
    return jinja_int(digits < 0 ? (int64_t)real : jinja_to_integer(number));
}

enum status jinja_round(struct jinja_value number, int64_t digits, enum jinja_rounding rounding,
                        struct jinja_value *out, struct error *err)
{
    const int most = 323; /* the last decimal place that a double has */
    const double limit = number.type == JINJA_FLOAT ? DBL_MAX : 9e18;

    if (!jinja_is_number(number))
        return error_set(err, STATUS_INVALID, "%s cannot be rounded", jinja_type_name(number));
    if (digits < -18 || digits > most || fabs(jinja_to_float(number)) > limit)
        return error_set(err, STATUS_INVALID, "cannot round to %" PRId64 " digits", digits);
    if (rounding == ROUND_COMMON) {
        *out = round_common(number, (int)digits);
        return STATUS_OK;
    }

    double scale = pow(10, (double)digits);
    double scaled = jinja_to_float(number) * scale;

    *out = jinja_float((rounding == ROUND_CEIL ? ceil(scaled) : floor(scaled)) / scale);
    return STATUS_OK;
}

void jinja_write_int(int64_t integer, struct jinja_sink *out)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRId64, integer);
    jinja_sink_adds(out, text);
}

/* Add one to the last digit in front of the exponent. */
static void increment(char *text)
{
    char *digit = strchr(text, 'e') - 1;

    while (digit > text && (*digit == '9' || *digit == '.')) {
        if (*digit == '9')
            *digit = '0';
        digit--;
    }
    ++*digit;
}

/*
 * Write with so many digits behind the first; whether that reads back.  Above
 * a power of two doubles are twice as far apart as below, so the decimal next
 * to the nearest one may do where the nearest does not.
 */
static bool write_digits(double real, int digits, char *text, size_t size)
{
    snprintf(text, size, "%.*e", digits, real);
    if (strtod(text, NULL) == real)
        return true;
    increment(text);
    return strtod(text, NULL) == real;
}

void jinja_write_float(double real, struct jinja_sink *out)
{
    char text[32];
    int precision = 0;

    if (!isfinite(real)) {
        jinja_sink_adds(out, isnan(real) ? "nan" : real < 0 ? "-inf" : "inf");
        return;
    }
    while (!write_digits(real, precision, text, sizeof(text)))
        precision++;

    long exponent = strtol(strchr(text, 'e') + 1, NULL, 10);

    if (exponent >= -4 && exponent < 16)
        snprintf(text, sizeof(text), "%.*f", precision > exponent ? precision - (int)exponent : 1,
                 real);
    jinja_sink_adds(out, text);
}
