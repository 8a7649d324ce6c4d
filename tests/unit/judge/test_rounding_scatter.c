#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/rounding_fixture.h"

/* Elements that are combined at an index, and running statistics, with infinities among them. */

enum { ROWS = 8, ADDED = 5 };

#define TENSOR(name, role, dtype, shape, fill)                                                     \
    "\"" name "\": {\"role\": \"" role "\", \"dtype\": \"" dtype "\", \"shape\": [" shape "]" fill \
    "}"
#define FILL(text) ", \"fill\": {" text "}"
#define NODE(op, in, out, more) \
    "{\"op\": \"" op "\", \"in\": [" in "], \"out\": \"" out "\"" more "}"

/* The largest element at an index where there is one, and z elsewhere. */
static const char largest_body[] =
    "\"tensors\": {" TENSOR("x", "input", "f32", "5", FILL("\"normal\": [0, 1]")) ", " TENSOR("z", "input", "f32", "8", FILL("\"normal\": [0, 1]")) ", " TENSOR("i", "input", "i64", "5", FILL("\"integers\": [0, 7]")) ", " TENSOR(
        "none", "param", "f32", "8",
        FILL("\"constant\": 0")) ", " TENSOR("one", "param", "f32", "5",
                                             FILL("\"const"
                                                  "ant\": "
                                                  "1")) ","
                                                        " " TENSOR("y", "output", "f32", "8", "") "}, \"graph\": [" NODE(
                                                            "log", "\"none\"", "low",
                                                            "") ", " NODE("index_reduce",
                                                                          "\"low\", \"i\", \"x\"",
                                                                          "m",
                                                                          ", \"dim\": 0, "
                                                                          "\"reduce\": "
                                                                          "\"amax\"") ", " NODE("in"
                                                                                                "de"
                                                                                                "x_"
                                                                                                "re"
                                                                                                "du"
                                                                                                "c"
                                                                                                "e",
                                                                                                "\""
                                                                                                "no"
                                                                                                "ne"
                                                                                                "\""
                                                                                                ", "
                                                                                                "\""
                                                                                                "i"
                                                                                                "\""
                                                                                                ", "
                                                                                                "\""
                                                                                                "on"
                                                                                                "e"
                                                                                                "\"",
                                                                                                "n",
                                                                                                ", "
                                                                                                "\""
                                                                                                "di"
                                                                                                "m"
                                                                                                "\""
                                                                                                ": "
                                                                                                "0") ","
                                                                                                     " " NODE(
                                                                                                         "gt",
                                                                                                         "\"n\", 0",
                                                                                                         "seen",
                                                                                                         "") ", " NODE("where",
                                                                                                                       "\"seen\", \"m\", \"z\"",
                                                                                                                       "y",
                                                                                                                       "") "]";

static void elements_that_no_index_names_are_sure(void **state)
{
    struct rounding_task t = rounding_task_open("f32", largest_body);
    const double *index = rounding_task_given(&t, "i");
    double got[ROWS];
    bool seen[ROWS] = {false};

    (void)state;
    for (size_t i = 0; i < ADDED; i++)
        seen[(size_t)index[i]] = true;
    for (size_t i = 0; i < ROWS; i++)
        got[i] = rounding_task_expected(&t)[i];
    assert_true(rounding_task_error(&t, got) <= 1);
    for (size_t i = 0; i < ROWS; i++)
        got[i] += seen[i] ? 0 : 0.001;
    assert_true(rounding_task_error(&t, got) > 1);
    rounding_task_close(&t);
}

/* Of the logarithms of 0 and 1 or more, of which many are infinite. */
static const char
    logs_body[] = "\"tensors\": {" TENSOR("x", "input", "f32", "200", FILL("\"normal\": [-4.6, 0.5]")) ", " TENSOR(
        "i", "input", "f32", "200",
        FILL(
            "\"integers\": [0, 1]")) ", " TENSOR("y", "output", "f32", "200",
                                                 "") "}, \"graph\": [" NODE("log", "\"i\"", "l",
                                                                            "") ", " NODE("add",
                                                                                          "\"x\", "
                                                                                          "\"l\"",
                                                                                          "t",
                                                                                          "") ","
                                                                                              " " NODE(
                                                                                                  "logc"
                                                                                                  "umsu"
                                                                                                  "mex"
                                                                                                  "p",
                                                                                                  "\"t"
                                                                                                  "\"",
                                                                                                  "y",
                                                                                                  ", "
                                                                                                  "\"di"
                                                                                                  "m\":"
                                                                                                  " 0") "]";

/* The logarithm of the sum of two exponentials. */
static float log_add(float a, float b)
{
    float most = fmaxf(a, b), least = fminf(a, b);

    return isinf(least) ? most : most + log1pf(expf(least - most));
}

/* A loop in float over the elements from `first` on. */
static double logs_error(size_t first)
{
    struct rounding_task t = rounding_task_open("f32", logs_body);
    double got[200], error;
    float sum = -INFINITY;

    for (size_t i = 0; i < 200; i++) {
        if (rounding_task_given(&t, "i")[i] != 0 && i >= first)
            sum = log_add(sum, (float)rounding_task_given(&t, "x")[i]);
        got[i] = (double)sum;
    }
    error = rounding_task_error(&t, got);
    rounding_task_close(&t);
    return error;
}

static void running_logarithms_keep_their_errors_at_infinite_elements(void **state)
{
    (void)state;
    assert_true(logs_error(0) <= 1);
    assert_true(logs_error(3) > 1);
}

/* Whether each of 100 products is the largest so far. */
static const char records_body[] =
    "\"tensors\": {" TENSOR("x", "input", "f32", "100", FILL("%s")) ", " TENSOR("w", "input", "f32", "100", FILL("\"constant\": 0.7")) ", " TENSOR(
        "y", "output", "f32", "100",
        "") "}, \"graph\": [" NODE("mul", "\"x\", \"w\"", "t",
                                   "") ", " NODE("cummax", "\"t\"", "m",
                                                 ", \"dim\": 0") ", " NODE("eq", "\"t\", \"m\"",
                                                                           "e",
                                                                           "") ", " NODE("cast",
                                                                                         "\"e\"",
                                                                                         "y",
                                                                                         ", "
                                                                                         "\"dtype\""
                                                                                         ": "
                                                                                         "\"f32\"") "]";

/* How many of the answers may be the other one. */
static size_t count_unsure(const char *fill)
{
    char body[1024];
    struct rounding_task t;
    double got[100];
    size_t count = 0;

    snprintf(body, sizeof(body), records_body, fill);
    t = rounding_task_open("f32", body);
    memcpy(got, rounding_task_expected(&t), sizeof(got));
    for (size_t i = 0; i < 100; i++) {
        got[i] = 1 - got[i];
        count += rounding_task_error(&t, got) <= 1;
        got[i] = 1 - got[i];
    }
    rounding_task_close(&t);
    return count;
}

static void the_largest_element_so_far_is_sure_without_a_rival(void **state)
{
    (void)state;
    assert_int_equal(count_unsure("\"normal\": [0, 1]"), 0);
    assert_in_range(count_unsure("\"uniform\": [1, 1.000001]"), 20, 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_that_no_index_names_are_sure),
        cmocka_unit_test(running_logarithms_keep_their_errors_at_infinite_elements),
        cmocka_unit_test(the_largest_element_so_far_is_sure_without_a_rival),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
