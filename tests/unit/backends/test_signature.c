#include "tests/unit/unit.h"

#include <string.h>

#include "backends/host/signature.h"

static const char source[] = "/* void scale(int *no) { */\n"
                             "#define scale(no) {\n"
                             "const char *text = \"void scale(int *no) {\";\n"
                             "typedef float number;\n"
                             "static void scaled(int i);\n"
                             "void\n"
                             "scale(const float *restrict x, float y[], const unsigned int n,\n"
                             "      long long wide, float a, double b, number own)\n"
                             "{\n"
                             "}\n"
                             "void none(void) { scale(0, 0, 0, 0, 0, 0, 0); }\n"
                             "void declared(int i);\n"
                             "void taken(void (*call)(int)) { }\n";

struct wanted {
    const char *name;
    struct signature found;
};

static struct signature *place(void *data, const char *name, size_t len)
{
    struct wanted *wanted = data;
    bool is_same = strlen(wanted->name) == len && strncmp(name, wanted->name, len) == 0;

    return is_same ? &wanted->found : NULL;
}

static struct signature signature_in(const char *text, const char *name)
{
    struct wanted wanted = {.name = name};

    signatures_read(text, place, &wanted);
    return wanted.found;
}

static void a_definition_tells_its_parameters(void **state)
{
    static const enum parameter_kind want[] = {
        PARAMETER_POINTER, PARAMETER_POINTER, PARAMETER_INT, PARAMETER_LONG,
        PARAMETER_FLOAT,   PARAMETER_DOUBLE,  PARAMETER_ANY};
    const struct signature found = signature_in(source, "scale");

    (void)state;
    assert_true(found.is_known);
    assert_int_equal(found.count, sizeof(want) / sizeof(want[0]));
    for (size_t i = 0; i < found.count; i++)
        assert_int_equal(found.parameters[i], want[i]);
    assert_true(signature_in(source, "none").is_known);
    assert_int_equal(signature_in(source, "none").count, 0);
    assert_int_equal(
        signature_in("void f(int a) { if (a) { } }\nvoid f_2(int a, int b) {}", "f_2").count, 2);
}

static void what_is_not_defined_plainly_is_unknown(void **state)
{
    (void)state;
    assert_false(signature_in(source, "declared").is_known);
    assert_false(signature_in(source, "missing").is_known);
    assert_false(signature_in(source, "taken").is_known);
    assert_false(signature_in("void f(int a", "f").is_known);
}

/* Text that the compiler left out may be anything; the time must not grow with its square. */
static void nested_calls_take_little_time(void **state)
{
    enum { DEPTH = 1 << 19 };
    static char text[2 * DEPTH + 1];

    (void)state;
    for (size_t i = 0; i < DEPTH; i++)
        memcpy(text + 2 * i, "f(", 2);
    assert_false(signature_in(text, "f").is_known);
}

static void a_parameter_takes_numbers_of_its_own_kind(void **state)
{
    const struct launch_arg narrow = {.kind = ARG_INTEGER}, local = {.kind = ARG_LOCAL};
    const struct launch_arg real = {.kind = ARG_NUMBER, .dtype = DTYPE_F32};

    (void)state;
    assert_true(parameter_takes(PARAMETER_INT, &narrow));
    assert_false(parameter_takes(PARAMETER_LONG, &narrow));
    assert_false(parameter_takes(PARAMETER_POINTER, &narrow));
    assert_true(parameter_takes(PARAMETER_FLOAT, &real));
    assert_false(parameter_takes(PARAMETER_INT, &real));
    assert_true(parameter_takes(PARAMETER_ANY, &real));
    assert_false(parameter_takes(PARAMETER_ANY, &local));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_definition_tells_its_parameters),
        cmocka_unit_test(what_is_not_defined_plainly_is_unknown),
        cmocka_unit_test(nested_calls_take_little_time),
        cmocka_unit_test(a_parameter_takes_numbers_of_its_own_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
