#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>

#include "tests/unit/rounding_fixture.h"

/*
 * Thresholds, largest elements and places that are computed from the same numbers as what they
 * decide on. Rows of x have elements of about 1, which rounding may exchange in class mixed.
 */

enum { ROWS = 100, COLUMNS = 4, COUNT_OF_X = ROWS * COLUMNS };

#define NEAR "0.9999, 1.0001"
#define FAR  "-1000, 1000"
/* The same in class f32. */
#define NEAR_IN_F32 "0.9999999, 1.0000001"

/* A problem with x within a range, further tensors, and an output y. */
static struct rounding_task open_near(const char *class, const char *range, const char *tensors,
                                      const char *nodes)
{
    char body[2048];

    snprintf(body, sizeof(body),
             "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [100, 4],"
             " \"fill\": {\"uniform\": [%s]}}, %s}, \"graph\": [%s]",
             range, tensors, nodes);
    return rounding_task_open(class, body);
}

#define ONES                                                              \
    "\"ones\": {\"role\": \"param\", \"dtype\": \"i64\", \"shape\": [4]," \
    " \"fill\": {\"constant\": 1}},"
#define TABLE                                                              \
    "\"table\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [9]," \
    " \"fill\": {\"uniform\": [-100, 100]}},"
#define OUT_OF(dtype, shape) \
    "\"y\": {\"role\": \"output\", \"dtype\": \"" dtype "\", \"shape\": [" shape "]}"
#define MEAN "{\"op\": \"mean\", \"in\": [\"x\"], \"dim\": 1, \"keepdim\": true, \"out\": \"m\"},"
#define MOST "{\"op\": \"max\", \"in\": [\"x\"], \"dim\": 1, \"keepdim\": true, \"out\": \"m\"},"

/* The error if each element of y is the one expected, or this number where `other` says so. */
static double error_with(const struct rounding_task *t, size_t count, double number,
                         bool (*other)(const struct rounding_task *t, size_t i))
{
    double got[COUNT_OF_X];

    for (size_t i = 0; i < count; i++)
        got[i] = other(t, i) ? number : rounding_task_expected(t)[i];
    return rounding_task_error(t, got);
}

static bool is_first(const struct rounding_task *t, size_t i)
{
    (void)t;
    return i == 0;
}

static bool is_any(const struct rounding_task *t, size_t i)
{
    (void)t;
    (void)i;
    return true;
}

static bool is_expected_zero(const struct rounding_task *t, size_t i)
{
    return rounding_task_expected(t)[i] == 0;
}

/* Elements below the mean are removed, or those above it: each may be kept, or removed. */
static void a_condition_may_end_otherwise_in_both_directions(void **state)
{
    static const char *const ways[] = {
        MEAN "{\"op\": \"lt\", \"in\": [\"x\", \"m\"], \"out\": \"c\"},"
             "{\"op\": \"where\", \"in\": [\"c\", 0.0, \"x\"], \"out\": \"y\"}",
        MEAN "{\"op\": \"lt\", \"in\": [\"x\", \"m\"], \"out\": \"c\"},"
             "{\"op\": \"where\", \"in\": [\"c\", \"x\", 0.0], \"out\": \"y\"}"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct rounding_task t = open_near("f32", NEAR_IN_F32, OUT_OF("f32", "100, 4"), ways[i]);

        assert_true(error_with(&t, COUNT_OF_X, 1, is_expected_zero) <= 1);
        assert_true(error_with(&t, COUNT_OF_X, 0, is_any) <= 1);
        assert_true(error_with(&t, COUNT_OF_X, -3, is_first) > 1);
        rounding_task_close(&t);
        t = open_near("f32", FAR, OUT_OF("f32", "100, 4"), ways[i]);
        assert_true(error_with(&t, COUNT_OF_X, 0, is_any) > 1);
        rounding_task_close(&t);
    }
}

/* Of the largest elements of a row none is larger, and each is as large as itself. */
static void equal_elements_that_were_selected_stay_equal(void **state)
{
    struct rounding_task t =
        open_near("mixed", FAR, OUT_OF("bool", "100, 4"),
                  MOST "{\"op\": \"ge\", \"in\": [\"x\", \"m\"], \"out\": \"y\"}");

    (void)state;
    assert_true(error_with(&t, COUNT_OF_X, 1, is_any) > 1);
    assert_true(error_with(&t, COUNT_OF_X, 0, is_any) > 1);
    rounding_task_close(&t);
}

/* Other elements that are within reach of the largest one may be it instead. */
static void another_element_within_reach_may_be_selected(void **state)
{
    struct rounding_task t =
        open_near("mixed", NEAR, OUT_OF("bool", "100, 4"),
                  MOST "{\"op\": \"ge\", \"in\": [\"x\", \"m\"], \"out\": \"y\"}");

    (void)state;
    assert_true(error_with(&t, COUNT_OF_X, 0, is_any) <= 1);
    assert_true(error_with(&t, COUNT_OF_X, 1, is_any) <= 1);
    rounding_task_close(&t);
}

#define PEAKS                                                                                      \
    "{\"op\": \"mul\", \"in\": [\"x\", 1.5], \"out\": \"s\"},"                                     \
    "{\"op\": \"max_pool1d\", \"in\": [\"s\"], \"kernel_size\": 3, \"stride\": 1, \"padding\": 1," \
    " \"out\": \"p\"}, {\"op\": \"eq\", \"in\": [\"s\", \"p\"], \"out\": \"y\"}"

/* The largest element of a window is one, unless another one is within reach. */
static void peaks_without_rivals_are_certain(void **state)
{
    char body[1024];
    const char *const ranges[] = {NEAR, FAR};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct rounding_task t;

        snprintf(
            body, sizeof(body),
            "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 100, "
            "4], \"fill\": {\"uniform\": [%s]}}, \"y\": {\"role\": \"output\", \"dtype\":"
            " \"bool\", \"shape\": [1, 100, 4]}}, \"graph\": [" PEAKS "]",
            ranges[i]);
        t = rounding_task_open("mixed", body);
        assert_int_equal(error_with(&t, COUNT_OF_X, 0, is_any) > 1, i);
        rounding_task_close(&t);
    }
}

/* A number that is cut to an integer may be the one below: its row of a table may be read. */
static void a_cut_index_may_name_either_row(void **state)
{
    struct rounding_task t = open_near(
        "f32", NEAR_IN_F32, TABLE OUT_OF("f32", "400"),
        "{\"op\": \"div\", \"in\": [\"x\", 3], \"out\": \"t\"},"
        "{\"op\": \"mul\", \"in\": [\"t\", 9], \"out\": \"p\"},"
        "{\"op\": \"cast\", \"in\": [\"p\"], \"dtype\": \"i64\", \"out\": \"i\"},"
        "{\"op\": \"reshape\", \"in\": [\"i\"], \"shape\": [400], \"out\": \"j\"},"
        "{\"op\": \"index_select\", \"in\": [\"table\", \"j\"], \"dim\": 0, \"out\": \"y\"}");
    const double *table = rounding_task_given(&t, "table");

    (void)state;
    assert_true(error_with(&t, COUNT_OF_X, table[2], is_any) <= 1);
    assert_true(error_with(&t, COUNT_OF_X, table[3], is_any) <= 1);
    assert_true(error_with(&t, COUNT_OF_X, 2 * table[2] - 3 * table[3] + 300, is_first) > 1);
    rounding_task_close(&t);
}

/*
 * The place of the largest element becomes truth values, integers and real numbers, as in
 * F.one_hot(), and chooses one of -1.5, -0.5, 0.5 and 1.5.
 */
static void a_chosen_number_may_be_the_opposite_one(void **state)
{
    struct rounding_task t = open_near(
        "mixed", NEAR, ONES OUT_OF("f32", "100"),
        "{\"op\": \"argmax\", \"in\": [\"x\"], \"dim\": 1, \"keepdim\": true, \"out\": \"k\"},"
        "{\"op\": \"cumsum\", \"in\": [\"ones\"], \"dim\": 0, \"out\": \"n\"},"
        "{\"op\": \"sub\", \"in\": [\"n\", 1], \"out\": \"i\"},"
        "{\"op\": \"eq\", \"in\": [\"k\", \"i\"], \"out\": \"c\"},"
        "{\"op\": \"cast\", \"in\": [\"c\"], \"dtype\": \"i64\", \"out\": \"d\"},"
        "{\"op\": \"cast\", \"in\": [\"d\"], \"dtype\": \"f32\", \"out\": \"one_hot\"},"
        "{\"op\": \"cast\", \"in\": [\"n\"], \"dtype\": \"f32\", \"out\": \"f\"},"
        "{\"op\": \"sub\", \"in\": [\"f\", 2.5], \"out\": \"numbers\"},"
        "{\"op\": \"mul\", \"in\": [\"one_hot\", \"numbers\"], \"out\": \"chosen\"},"
        "{\"op\": \"sum\", \"in\": [\"chosen\"], \"dim\": 1, \"out\": \"y\"}");

    (void)state;
    assert_true(error_with(&t, ROWS, 1.5, is_any) <= 1);
    assert_true(error_with(&t, ROWS, -1.5, is_any) <= 1);
    assert_true(error_with(&t, ROWS, 6, is_first) > 1);
    rounding_task_close(&t);
}

/*
 * The place of the largest element is divided by 2 in floating point, and the quotient corrected by
 * what is left: places 0 to 3 have the quotients 0, 0, 1, 1.
 */
static void a_quotient_of_a_place_is_that_of_any_place(void **state)
{
    struct rounding_task t =
        open_near("mixed", NEAR, OUT_OF("i64", "100"),
                  "{\"op\": \"argmax\", \"in\": [\"x\"], \"dim\": 1, \"out\": \"k\"},"
                  "{\"op\": \"cast\", \"in\": [\"k\"], \"dtype\": \"f32\", \"out\": \"f\"},"
                  "{\"op\": \"div\", \"in\": [\"f\", 2], \"out\": \"d\"},"
                  "{\"op\": \"cast\", \"in\": [\"d\"], \"dtype\": \"i64\", \"out\": \"q\"},"
                  "{\"op\": \"mul\", \"in\": [\"q\", 2], \"out\": \"p\"},"
                  "{\"op\": \"sub\", \"in\": [\"k\", \"p\"], \"out\": \"rest\"},"
                  "{\"op\": \"ge\", \"in\": [\"rest\", 2], \"out\": \"c\"},"
                  "{\"op\": \"add\", \"in\": [\"q\", 1], \"out\": \"more\"},"
                  "{\"op\": \"where\", \"in\": [\"c\", \"more\", \"q\"], \"out\": \"y\"}");

    (void)state;
    assert_true(error_with(&t, ROWS, 0, is_any) <= 1);
    assert_true(error_with(&t, ROWS, 1, is_any) <= 1);
    assert_true(error_with(&t, ROWS, 2, is_expected_zero) > 1);
    assert_true(error_with(&t, ROWS, 3, is_first) > 1);
    rounding_task_close(&t);
}

/*
 * Shares that are 0 in every float type are in the order of their logits in a kernel that sorts
 * those; nothing is below a share of itself that is no zero.
 */
static void shares_of_zero_may_be_in_any_order(void **state)
{
    static const char *const factors[] = {"9", "1e-5"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char nodes[1024];
        struct rounding_task t;

        snprintf(
            nodes, sizeof(nodes),
            "{\"op\": \"mul\", \"in\": [\"x\", %s], \"out\": \"l\"},"
            "{\"op\": \"softmax\", \"in\": [\"l\"], \"dim\": 1, \"out\": \"p\"},"
            "{\"op\": \"reshape\", \"in\": [\"p\"], \"shape\": [100, 4, 1], \"out\": \"a\"},"
            "{\"op\": \"reshape\", \"in\": [\"p\"], \"shape\": [100, 1, 4], \"out\": \"b\"},"
            "{\"op\": \"gt\", \"in\": [\"a\", \"b\"], \"out\": \"g\"},"
            "{\"op\": \"cast\", \"in\": [\"g\"], \"dtype\": \"i64\", \"out\": \"c\"},"
            "{\"op\": \"sum\", \"in\": [\"c\"], \"dim\": 1, \"out\": \"n\"},"
            "{\"op\": \"max\", \"in\": [\"n\"], \"dim\": 1, \"keepdim\": true, \"out\": \"y\"}",
            factors[i]);
        t = open_near("f32", FAR, OUT_OF("i64", "100, 1"), nodes);
        assert_int_equal(error_with(&t, ROWS, 3, is_any) > 1, 0);
        assert_true(error_with(&t, ROWS, 6, is_any) > 1);
        rounding_task_close(&t);
    }
}

/* Elements below the mean are masked in two ways: by a number, or by one that is added. */
static const char *const masks[] = {
    "{\"op\": \"where\", \"in\": [\"c\", -1e9, \"x\"], \"out\": \"z\"},",
    "{\"op\": \"cast\", \"in\": [\"c\"], \"dtype\": \"f32\", \"out\": \"f\"},"
    "{\"op\": \"mul\", \"in\": [\"f\", -10000], \"out\": \"far\"},"
    "{\"op\": \"add\", \"in\": [\"x\", \"far\"], \"out\": \"z\"},"};

/* The error if each row of y has these shares. */
static double error_of_shares(const struct rounding_task *t, double first, double others)
{
    double got[COUNT_OF_X];

    for (size_t i = 0; i < COUNT_OF_X; i++)
        got[i] = i % COLUMNS == 0 ? first : others;
    return rounding_task_error(t, got);
}

/* A softmax has the shares of any elements that may be left out. */
static void what_is_masked_by_a_threshold_may_have_a_share(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char nodes[1024];
        struct rounding_task t;

        snprintf(nodes, sizeof(nodes),
                 MEAN "{\"op\": \"lt\", \"in\": [\"x\", \"m\"], \"out\": \"c\"}, %s"
                      "{\"op\": \"softmax\", \"in\": [\"z\"], \"dim\": 1, \"out\": \"y\"}",
                 masks[i]);
        t = open_near("f32", NEAR_IN_F32, OUT_OF("f32", "100, 4"), nodes);
        assert_true(error_of_shares(&t, 1, 0) <= 1);
        assert_true(error_of_shares(&t, 0.25, 0.25) <= 1);
        assert_true(error_of_shares(&t, 4, 0) > 1);
        rounding_task_close(&t);
        t = open_near("f32", FAR, OUT_OF("f32", "100, 4"), nodes);
        assert_true(error_of_shares(&t, 1, 0) > 1);
        rounding_task_close(&t);
    }
}

/* Nothing rounds zeros that a graph has as a param, so none is above 0. */
static void zeros_that_are_given_are_exact(void **state)
{
    struct rounding_task t =
        open_near("mixed", FAR,
                  "\"zeros\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [100, 4],"
                  " \"fill\": {\"constant\": 0}}," OUT_OF("bool", "100, 4"),
                  "{\"op\": \"gt\", \"in\": [\"x\", 1e6], \"out\": \"c\"},"
                  "{\"op\": \"where\", \"in\": [\"c\", \"x\", \"zeros\"], \"out\": \"z\"},"
                  "{\"op\": \"gt\", \"in\": [\"z\", 0], \"out\": \"y\"}");

    (void)state;
    assert_true(error_with(&t, COUNT_OF_X, 1, is_first) > 1);
    rounding_task_close(&t);
}

/* A discriminant of zeros is 0 in every kernel, and so is a product of what is cut off at 0. */
static void zeros_that_are_computed_of_zeros_are_exact(void **state)
{
    static const char *const classes[] = {"f32", "mixed"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct rounding_task t =
            open_near(classes[i], "-2, -1", OUT_OF("bool", "100, 4"),
                      "{\"op\": \"relu\", \"in\": [\"x\"], \"out\": \"r\"},"
                      "{\"op\": \"mul\", \"in\": [\"r\", \"x\"], \"out\": \"b\"},"
                      "{\"op\": \"sub\", \"in\": [\"b\", \"r\"], \"out\": \"d\"},"
                      "{\"op\": \"gt\", \"in\": [\"d\", 0], \"out\": \"y\"}");

        assert_true(error_with(&t, COUNT_OF_X, 1, is_first) > 1);
        rounding_task_close(&t);
    }
}

/* Both 16-bit types hold whole numbers up to 256, so that their differences are exact. */
static void short_numbers_that_are_given_are_exact(void **state)
{
    struct rounding_task t =
        open_near("mixed", NEAR,
                  "\"n\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [100, 4],"
                  " \"fill\": {\"integers\": [100, 104]}}," OUT_OF("bool", "100, 4"),
                  "{\"op\": \"gt\", \"in\": [\"x\", 1e6], \"out\": \"c\"},"
                  "{\"op\": \"where\", \"in\": [\"c\", \"x\", \"n\"], \"out\": \"z\"},"
                  "{\"op\": \"gt\", \"in\": [\"z\", 102], \"out\": \"y\"}");

    (void)state;
    assert_true(error_with(&t, COUNT_OF_X, 1, is_any) > 1);
    rounding_task_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_condition_may_end_otherwise_in_both_directions),
        cmocka_unit_test(equal_elements_that_were_selected_stay_equal),
        cmocka_unit_test(another_element_within_reach_may_be_selected),
        cmocka_unit_test(peaks_without_rivals_are_certain),
        cmocka_unit_test(a_cut_index_may_name_either_row),
        cmocka_unit_test(a_chosen_number_may_be_the_opposite_one),
        cmocka_unit_test(a_quotient_of_a_place_is_that_of_any_place),
        cmocka_unit_test(shares_of_zero_may_be_in_any_order),
        cmocka_unit_test(what_is_masked_by_a_threshold_may_have_a_share),
        cmocka_unit_test(zeros_that_are_given_are_exact),
        cmocka_unit_test(zeros_that_are_computed_of_zeros_are_exact),
        cmocka_unit_test(short_numbers_that_are_given_are_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
