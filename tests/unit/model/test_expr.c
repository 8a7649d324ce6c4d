#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/strbuf.h"
#include "core/model/expr.h"

static const struct binding outer_items[] = {{"M", 512}, {"N", 1000}};
static const struct scope outer = {outer_items, 2, NULL};
static const struct binding items[] = {{"TILE", 16}, {"M", 7}};
static const struct scope scope = {items, 2, &outer};

static void assert_value(const char *text, int64_t expected)
{
    struct error err = {0};
    int64_t value = 0;

    if (expr_eval(text, &scope, &value, &err))
        fail_msg("%s: %s", text, err.text);
    if (value != expected)
        fail_msg("%s is %lld, expected %lld", text, (long long)value, (long long)expected);
}

/* The error must contain `part`, and the value must stay unchanged. */
static void assert_error(const char *text, const char *part)
{
    struct error err = {0};
    int64_t value = 42;

    assert_int_equal(expr_eval(text, &scope, &value, &err), STATUS_INVALID);
    assert_int_equal(value, 42);
    if (!strstr(err.text, part))
        fail_msg("%s: \"%s\" does not say \"%s\"", text, err.text, part);
}

static void operators_bind_as_in_arithmetic(void **state)
{
    (void)state;
    assert_value("2+3*4", 14);
    assert_value("(2+3)*4", 20);
    assert_value("20 - 3 - 4", 13);
    assert_value("100/7/2", 7);
    assert_value("2*-3", -6);
    assert_value("- -3", 3);
    assert_value("-2*3+1", -5);
    assert_value("-(2+3)", -5);
    assert_value("\t7 % 4 * 2 ", 6);
}

static void division_floors(void **state)
{
    (void)state;
    assert_value("-7/2", -4);
    assert_value("7/-2", -4);
    assert_value("-7/-2", 3);
    assert_value("-7%2", 1);
    assert_value("7%-2", -1);
    assert_value("-8%2", 0);
}

static void names_come_from_the_nearest_scope(void **state)
{
    (void)state;
    assert_value("M", 7);
    assert_value("N/TILE", 62);
    assert_error("N*Q", "no \"Q\": expected one of ");
    assert_error("N*Q", "character 3");
}

static void functions_take_expressions(void **state)
{
    (void)state;
    assert_value("min(3, M, 5)", 3);
    assert_value("max(3, M*2, 5)", 14);
    assert_value("ceildiv(N, TILE)", 63);
    assert_value("align(N, TILE)/TILE", 63);
    assert_value("align(max(N, 1001), min(TILE, 8)) + 1", 1009);
    assert_value("ceildiv(-7, 2)", -3);
    assert_error("ceildiv(1)", "two arguments");
    assert_error("align(1, 2, 3)", "too many arguments");
    assert_error("sqrt(4)", "unknown function");
    assert_error("min", "no \"min\"");
    assert_error("(1, 2)", "too many arguments");
}

static void what_is_no_expression_is_an_error(void **state)
{
    (void)state;
    assert_error("", "expected a number");
    assert_error("  ", "expected a number");
    assert_error("M +", "expected a number");
    assert_error("M N", "expected an operator");
    assert_error("(M", "missing \")\"");
    assert_error("M)", "not inside parentheses");
    assert_error("1, 2", "not inside parentheses");
    assert_error("min()", "expected a number");
    assert_error("min(1,)", "expected a number");
    assert_error("0x10", "expected an operator");
    assert_error("1.5", "expected an operator");
}

static void results_beyond_64_bits_are_errors(void **state)
{
    (void)state;
    assert_value("9223372036854775807", INT64_MAX);
    assert_value("-9223372036854775807 - 1", INT64_MIN);
    assert_value("(-9223372036854775807 - 1) % -1", 0);
    assert_error("9223372036854775808", "64 bits");
    assert_error("9223372036854775807 + 1", "64 bits");
    assert_error("4294967296 * 4294967296", "64 bits");
    assert_error("(-9223372036854775807 - 1) / -1", "64 bits");
    assert_error("align(9223372036854775807, 2)", "64 bits");
    assert_error("1/0", "division by zero");
    assert_error("1%(M-7)", "division by zero");
    assert_error("ceildiv(1, 0)", "division by zero");
}

static void deep_nesting_is_an_error(void **state)
{
    struct strbuf text = {0};

    (void)state;
    for (int i = 0; i < 64; i++)
        strbuf_adds(&text, i % 2 ? "(" : "-");
    strbuf_adds(&text, "-1");
    assert_error(strbuf_cstr(&text), "too deeply nested");
    strbuf_release(&text);
    for (int i = 0; i < 1000; i++)
        strbuf_adds(&text, "1+");
    strbuf_adds(&text, "1");
    assert_value(strbuf_cstr(&text), 1001);
    strbuf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_in_arithmetic),
        cmocka_unit_test(division_floors),
        cmocka_unit_test(names_come_from_the_nearest_scope),
        cmocka_unit_test(functions_take_expressions),
        cmocka_unit_test(what_is_no_expression_is_an_error),
        cmocka_unit_test(results_beyond_64_bits_are_errors),
        cmocka_unit_test(deep_nesting_is_an_error),
    };

    return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
