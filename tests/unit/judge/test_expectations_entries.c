#include "core/judge/task/expectations_entries.h"

#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/strbuf.h"
#include "core/judge/oracle/variation.h"
#include "core/judge/task/varied_data.h"
#include "core/model/problem_reader.h"

/* A problem on rows with this operation, whose result has the type `dtype` and the shape. */
static void read(const char *op, const char *dtype, const char *shape, struct problem *problem)
{
    struct strbuf text = {0};
    struct error err = {0};

    strbuf_addf(&text,
                "{\"kforge\":1,\"name\":\"p\",\"summary\":\"\",\"dims\":{\"M\":64,\"N\":300},"
                "\"tensors\":{\"x\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":[\"M\",\"N\"],"
                "\"fill\":{\"normal\":[0,1]}},\"y\":{\"role\":\"output\",\"dtype\":\"%s\","
                "\"shape\":%s}},\"graph\":[{\"op\":\"%s\",\"in\":[\"x\"],\"out\":\"y\","
                "\"dim\":-1}],\"dynamic\":[\"M\",\"N\"],\"also\":[{\"M\":4,\"N\":70}],"
                "\"tolerance\":{\"class\":\"f32\"}}",
                dtype, shape, op);
    if (problem_parse(problem, strbuf_cstr(&text), text.len, "p", &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
}

/* The elements of the case with all variations at which `variation` is tried. */
static double elements_at(const struct expectations_entries *cases, enum variation variation)
{
    for (size_t i = 0; i < cases->count; i++)
        for (unsigned e = 0; e < cases->items[i].count && !cases->items[i].is_brief; e++)
            if (variation_of(cases->items[i].entries[e].expectation.input_seed) == variation)
                return varied_data_elements(&cases->items[i].shape.graph);
    fail_msg("the variation is not tried");
    return 0;
}

static double most_elements(const struct expectations_entries *cases)
{
    double most = 0;

    for (size_t i = 0; i < cases->count; i++) {
        double elements = varied_data_elements(&cases->items[i].shape.graph);

        most = elements > most ? elements : most;
    }
    return most;
}

static void draw_unseen(const struct problem *problem, unsigned unseen,
                        struct expectations_entries *cases)
{
    const struct expected_outputs_device none = {.data = NULL};
    const struct expectations_plan plan = {problem, 2, unseen, &none};
    struct error err = {0};

    if (expectations_entries_draw(&plan, cases, &err))
        fail_msg("%s", err.text);
}

static void draw(const struct problem *problem, struct expectations_entries *cases)
{
    draw_unseen(problem, EXPECTATIONS_KINDS, cases);
}

/* Equal elements lie in different blocks of a row, so a kernel that takes the wrong one is found.
 */
static void ties_of_what_nothing_rounds_are_tried_at_the_largest_case(void **state)
{
    struct problem chosen = {0}, rounded = {0};
    struct expectations_entries cases = {0};

    (void)state;
    read("argmax", "i64", "[\"M\"]", &chosen);
    draw(&chosen, &cases);
    assert_true(elements_at(&cases, VARIATION_TIES) == most_elements(&cases));
    assert_true(elements_at(&cases, VARIATION_NEGATIVE) < most_elements(&cases));
    expectations_entries_release(&cases);
    read("softmax", "f32", "[\"M\",\"N\"]", &rounded);
    draw(&rounded, &cases);
    assert_true(elements_at(&cases, VARIATION_TIES) == elements_at(&cases, VARIATION_NEGATIVE));
    expectations_entries_release(&cases);
    problem_release(&rounded);
    problem_release(&chosen);
}

/* The number of expectations with this variation. */
static size_t count_with(const struct expectations_entries *cases, enum variation variation)
{
    size_t count = 0;

    for (size_t i = 0; i < cases->count; i++)
        for (unsigned e = 0; e < cases->items[i].count; e++)
            count += variation_of(cases->items[i].entries[e].expectation.input_seed) == variation;
    return count;
}

/* Two numbers show little of a kernel in one trial. */
static void few_elements_are_tried_more_often(void **state)
{
    static const struct {
        const char *shape;
        size_t times;
    } sizes[] = {{"[]", 4}, {"[9000]", 1}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct problem problem = {0};
        struct expectations_entries cases = {0};
        struct strbuf text = {0};
        struct error err = {0};

        strbuf_addf(
            &text,
            "{\"kforge\":1,\"name\":\"p\",\"summary\":\"\",\"dims\":{},\"tensors\":{"
            "\"a\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":%s,\"fill\":"
            "{\"normal\":[0,1]}},\"b\":{\"role\":\"param\",\"dtype\":\"f32\",\"shape\":%s,"
            "\"fill\":{\"normal\":[0,1]}},\"y\":{\"role\":\"output\",\"dtype\":\"f32\","
            "\"shape\":%s}},\"graph\":[{\"op\":\"mul\",\"in\":[\"a\",\"b\"],\"out\":\"y\"}],"
            "\"tolerance\":{\"class\":\"f32\"}}",
            sizes[i].shape, sizes[i].shape, sizes[i].shape);
        if (problem_parse(&problem, strbuf_cstr(&text), text.len, "p", &err))
            fail_msg("%s", err.text);
        draw_unseen(&problem, 0, &cases);
        assert_int_equal(count_with(&cases, VARIATION_OUTLIERS), sizes[i].times);
        assert_int_equal(count_with(&cases, VARIATION_ALONE), 2 * sizes[i].times);
        expectations_entries_release(&cases);
        problem_release(&problem);
        strbuf_release(&text);
    }
}

/* The number of larger cases with this variation. */
static size_t count_larger(const char *op, enum variation variation)
{
    struct problem problem = {0};
    struct expectations_entries cases = {0};
    size_t count = 0;

    read(op, strcmp(op, "argmax") == 0 ? "i64" : "f32", "[\"M\"]", &problem);
    draw_unseen(&problem, EXPECTATIONS_KINDS + 1, &cases);
    for (size_t i = 0; i < cases.count; i++)
        count += cases.items[i].entries[0].expectation.is_larger &&
                 variation_of(cases.items[i].entries[0].expectation.input_seed) == variation;
    expectations_entries_release(&cases);
    problem_release(&problem);
    return count;
}

/* A sum in 16 bits stays below some number, which sums of both signs hardly ever reach. */
static void long_sums_have_rows_of_one_sign(void **state)
{
    (void)state;
    assert_int_equal(count_larger("sum", VARIATION_NEGATIVE), 2);
    assert_int_equal(count_larger("argmax", VARIATION_NONE), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_elements_are_tried_more_often),
        cmocka_unit_test(ties_of_what_nothing_rounds_are_tried_at_the_largest_case),
        cmocka_unit_test(long_sums_have_rows_of_one_sign),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
