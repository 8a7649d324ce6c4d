#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>

#include "core/base/array.h"
#include "tests/unit/rounding_fixture.h"

/* Functions that have no real value below 0, of arguments that rounding moves across it. */

enum { ROWS = 16, COLUMNS = 12, ALL = ROWS * COLUMNS };

/* The graph begins with d, each element less the mean of its row; y has its shape. */
static struct rounding_task open_about_mean(const char *class, const char *fill, const char *nodes)
{
    char text[1024];

    (void)snprintf(text, sizeof(text),
                   "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [16, "
                   "12], \"fill\": {%s}},"
                   " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [16, 12]}},"
                   "\"graph\": [{\"op\": \"mul\", \"in\": [\"x\", 0.7], \"out\": \"a\"},"
                   "{\"op\": \"mean\", \"in\": [\"a\"], \"out\": \"m\", \"dim\": [1], "
                   "\"keepdim\": true},"
                   "{\"op\": \"sub\", \"in\": [\"a\", \"m\"], \"out\": \"d\"}, %s]",
                   fill, nodes);
    return rounding_task_open(class, text);
}

/* The error of the expected elements with another one at `place`. */
static double error_with(const struct rounding_task *t, size_t place, double other)
{
    double got[ALL];

    for (size_t i = 0; i < ALL; i++)
        got[i] = rounding_task_expected(t)[i];
    got[place] = other;
    return rounding_task_error(t, got);
}

static bool passes(const struct rounding_task *t, size_t place, double other)
{
    return error_with(t, place, other) <= 1;
}

static const char *const classes[] = {"f32", "mixed"};

#define OF_D(op, more) "{\"op\": \"" op "\", \"in\": [\"d\"" more "], \"out\": \"y\"}"

/* All elements of equal ones are their mean, so rounding alone decides. */
static void both_sides_of_an_edge_are_right(void **state)
{
    static const struct {
        const char *nodes;
        double (*function)(double);
    } cases[] = {{OF_D("sqrt", ""), sqrt}, {OF_D("log", ""), log}, {OF_D("pow", ", 0.5"), sqrt}};

    (void)state;
    for (size_t c = 0; c < 2 * COUNT(cases); c++) {
        struct rounding_task t =
            open_about_mean(classes[c % 2], "\"constant\": 1.7", cases[c / 2].nodes);

        assert_true(isfinite(rounding_task_expected(&t)[7]));
        assert_true(passes(&t, 7, (double)NAN));
        assert_true(passes(&t, 7, cases[c / 2].function(0x1p-24)));
        assert_true(passes(&t, 7, cases[c / 2].function(0x1p-27)));
        assert_false(passes(&t, 7, 0.4));
        rounding_task_close(&t);
    }
}

static void reciprocal_roots_have_an_edge(void **state)
{
    (void)state;
    for (size_t c = 0; c < 2; c++) {
        struct rounding_task t =
            open_about_mean(classes[c], "\"constant\": 1.7", OF_D("rsqrt", ""));

        assert_true(passes(&t, 7, (double)NAN));
        assert_true(passes(&t, 7, (double)INFINITY));
        assert_true(passes(&t, 7, 4096));
        rounding_task_close(&t);
    }
}

/* Far from the edge an element is what it is: a number, or NaN. */
static void elements_far_from_an_edge_have_one_side(void **state)
{
    size_t numbers = 0, others = 0;

    (void)state;
    for (size_t c = 0; c < 2; c++) {
        struct rounding_task t =
            open_about_mean(classes[c], "\"normal\": [0, 1]", OF_D("sqrt", ""));

        for (size_t i = 0; i < ALL; i++) {
            double want = rounding_task_expected(&t)[i];

            if (want > 0.25)
                assert_false(passes(&t, i, (double)NAN));
            if (isnan(want))
                assert_false(passes(&t, i, 0.001));
            numbers += want > 0.25 ? 1 : 0;
            others += isnan(want) ? 1 : 0;
        }
        rounding_task_close(&t);
    }
    assert_true(numbers > 120 && others > 120);
}

/* No rounding takes these arguments below 0. */
static void arguments_that_no_rounding_takes_below_0_have_no_edge(void **state)
{
    static const char *const nodes[] = {
        "{\"op\": \"relu\", \"in\": [\"d\"], \"out\": \"r\"},"
        "{\"op\": \"sqrt\", \"in\": [\"r\"], \"out\": \"y\"}",
        "{\"op\": \"mul\", \"in\": [\"d\", \"d\"], \"out\": \"s\"},"
        "{\"op\": \"sqrt\", \"in\": [\"s\"], \"out\": \"y\"}",
        "{\"op\": \"add\", \"in\": [\"d\", 1], \"out\": \"l\"},"
        "{\"op\": \"clamp\", \"in\": [\"l\"], \"min\": -1, \"max\": 1, \"out\": \"c\"},"
        "{\"op\": \"mul\", \"in\": [\"c\", \"c\"], \"out\": \"s\"},"
        "{\"op\": \"sub\", \"in\": [1, \"s\"], \"out\": \"o\"},"
        "{\"op\": \"sqrt\", \"in\": [\"o\"], \"out\": \"y\"}",
        "{\"op\": \"softmax\", \"in\": [\"d\"], \"out\": \"s\", \"dim\": 0},"
        "{\"op\": \"sub\", \"in\": [1, \"s\"], \"out\": \"o\"},"
        "{\"op\": \"sqrt\", \"in\": [\"o\"], \"out\": \"y\"}",
    };

    (void)state;
    for (size_t n = 0; n < 2 * COUNT(nodes); n++) {
        struct rounding_task t = open_about_mean(classes[n % 2], "\"constant\": 1.7", nodes[n / 2]);

        assert_false(passes(&t, 7, (double)NAN));
        rounding_task_close(&t);
    }
}

/* What is computed from NaN is right too: a number that takes its place, but then no NaN. */
static void what_follows_from_either_side_is_right(void **state)
{
    static const char nodes[] = "{\"op\": \"sqrt\", \"in\": [\"d\"], \"out\": \"r\"},"
                                "{\"op\": \"ne\", \"in\": [\"r\", \"r\"], \"out\": \"n\"},"
                                "{\"op\": \"where\", \"in\": [\"n\", 3.5, \"r\"], \"out\": \"y\"}";

    (void)state;
    for (size_t c = 0; c < 2; c++) {
        struct rounding_task t = open_about_mean(classes[c], "\"constant\": 1.7", nodes);

        assert_true(passes(&t, 7, 3.5));
        assert_true(passes(&t, 7, 0));
        assert_false(passes(&t, 7, 6));
        assert_false(passes(&t, 7, (double)NAN));
        rounding_task_close(&t);
    }
}

/* A sum of one element at the edge and others is NaN, and its row alone. */
static void sums_with_an_element_at_an_edge_may_be_none(void **state)
{
    static const char nodes[] = "{\"op\": \"mul\", \"in\": [\"d\", \"x\"], \"out\": \"e\"},"
                                "{\"op\": \"sqrt\", \"in\": [\"e\"], \"out\": \"r\"},"
                                "{\"op\": \"cumsum\", \"in\": [\"r\"], \"out\": \"y\", \"dim\": 1}";
    struct rounding_task t = open_about_mean("f32", "\"constant\": 1.7", nodes);

    (void)state;
    assert_true(passes(&t, 7, (double)NAN));
    assert_false(passes(&t, 7, 1));
    rounding_task_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_of_an_edge_are_right),
        cmocka_unit_test(reciprocal_roots_have_an_edge),
        cmocka_unit_test(elements_far_from_an_edge_have_one_side),
        cmocka_unit_test(arguments_that_no_rounding_takes_below_0_have_no_edge),
        cmocka_unit_test(what_follows_from_either_side_is_right),
        cmocka_unit_test(sums_with_an_element_at_an_edge_may_be_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
