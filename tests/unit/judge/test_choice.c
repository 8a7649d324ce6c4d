#include "tests/unit/unit.h"

#include "core/base/strbuf.h"
#include "core/judge/oracle/choice/choice.h"
#include "tests/unit/rounding_fixture.h"

/*
 * Numbers that rounding may choose otherwise. Rows of x have nearly equal elements of about 1, so
 * that in class mixed any of them may be the largest one.
 */

enum { ROWS = 100 };

/* Open a problem whose quotation marks are written as apostrophes; y has this shape. */
static struct rounding_task open_text(const char *shape, const char *nodes)
{
    struct strbuf body = {0};
    struct rounding_task task;

    strbuf_addf(
        &body,
        "'tensors': {'x': {'role': 'input', 'dtype': 'f32', 'shape': [100, 4],"
        " 'fill': {'uniform': [0.9999, 1.0001]}}, 'one': {'role': 'input', 'dtype': 'i64',"
        " 'shape': [4], 'fill': {'constant': 1}}, 'y': {'role': 'output', 'dtype': 'f32',"
        " 'shape': %s}}, 'graph': [{'op': 'cumsum', 'in': ['one'], 'dim': 0, 'out': 'n'},"
        " {'op': 'sub', 'in': ['n', 1], 'out': 'i'}, {'op': 'gt', 'in': ['i', 1], 'out': 'late'},"
        " {'op': 'lt', 'in': ['i', 3], 'out': 'early'},"
        " {'op': 'where', 'in': ['late', 'early', 'late'], 'out': 'third'}, %s]",
        shape, nodes);
    for (size_t i = 0; i < body.len; i++)
        if (body.data[i] == '\'')
            body.data[i] = '"';
    task = rounding_task_open("mixed", strbuf_cstr(&body));
    strbuf_release(&body);
    return task;
}

/* The error if element `column` of each row of y is `number` and the others are as expected. */
static double error_of(const struct rounding_task *task, size_t columns, size_t column,
                       double number)
{
    const double *y = rounding_task_expected(task);
    double got[ROWS * 4];

    for (size_t i = 0; i < ROWS * columns; i++)
        got[i] = i % columns == column ? number : y[i];
    return rounding_task_error(task, got);
}

/* The third place cannot be the largest: its element is 0.5. */
#define LARGEST                                               \
    "{'op': 'where', 'in': ['third', 0.5, 'x'], 'out': 'z'}," \
    "{'op': 'argmax', 'in': ['z'], 'dim': 1, 'keepdim': true, 'out': 'k'},"

/* The table has 5, 6, 95 and 8. */
#define TABLE                                                  \
    "{'op': 'cast', 'in': ['n'], 'dtype': 'f32', 'out': 'f'}," \
    "{'op': 'add', 'in': ['f', 4], 'out': 'g'},"               \
    "{'op': 'where', 'in': ['third', 95.0, 'g'], 'out': 'table'},"

static void any_of_near_equal_places_may_be_looked_up(void **state)
{
    struct rounding_task task =
        open_text("[100]", LARGEST TABLE
                  "{'op': 'reshape', 'in': ['k'], 'shape': [100], 'out': 'j'},"
                  "{'op': 'index_select', 'in': ['table', 'j'], 'dim': 0, 'out': 'y'}");

    (void)state;
    assert_true(error_of(&task, 1, 0, 5) <= 1);
    assert_true(error_of(&task, 1, 0, 8) <= 1);
    assert_true(error_of(&task, 1, 0, 95) > 1);
    rounding_task_close(&task);
}

/* Indices of flattened tensors are computed from places. */
static void choices_go_through_arithmetic(void **state)
{
    struct rounding_task task = open_text(
        "[100]", LARGEST TABLE "{'op': 'reshape', 'in': ['k'], 'shape': [100], 'out': 'j'},"
                               "{'op': 'mul', 'in': ['j', 2], 'out': 'j2'},"
                               "{'op': 'sub', 'in': ['j2', 'j'], 'out': 'j1'},"
                               "{'op': 'index_select', 'in': ['table', 'j1'], 'dim': 0,"
                               " 'out': 'y'}");

    (void)state;
    assert_true(error_of(&task, 1, 0, 5) <= 1);
    assert_true(error_of(&task, 1, 0, 8) <= 1);
    rounding_task_close(&task);
}

static void any_of_near_equal_places_may_be_compared(void **state)
{
    struct rounding_task task =
        open_text("[100, 4]", LARGEST "{'op': 'eq', 'in': ['k', 'i'], 'out': 'c'},"
                                      "{'op': 'where', 'in': ['c', 'x', 0.0], 'out': 'y'}");

    (void)state;
    for (size_t column = 0; column < 4; column++)
        assert_true(error_of(&task, 4, column, 0) <= 1);
    assert_true(error_of(&task, 4, 0, 1) <= 1);
    assert_true(error_of(&task, 4, 1, 1) <= 1);
    assert_true(error_of(&task, 4, 2, 1) > 1);
    assert_true(error_of(&task, 4, 3, 1) <= 1);
    rounding_task_close(&task);
}

/* The second largest element is near 1 whichever was taken out first; the third place has 0.5. */
static void what_is_left_after_a_choice_is_near_it(void **state)
{
    struct rounding_task task =
        open_text("[100]", LARGEST "{'op': 'eq', 'in': ['k', 'i'], 'out': 'c'},"
                                   "{'op': 'where', 'in': ['c', -3e38, 'z'], 'out': 'left'},"
                                   "{'op': 'max', 'in': ['left'], 'dim': 1, 'out': 'y'}");

    (void)state;
    assert_true(error_of(&task, 1, 0, 1.003) <= 1);
    assert_true(error_of(&task, 1, 0, 0.997) <= 1);
    assert_true(error_of(&task, 1, 0, 0.5) > 1);
    rounding_task_close(&task);
}

/* Numbers in order by their ranks, as graphs write a sort: the third place comes last. */
static void what_is_in_order_is_near_its_place(void **state)
{
    struct rounding_task task = open_text(
        "[100, 4]", "{'op': 'where', 'in': ['third', 0.5, 'x'], 'out': 'z'},"
                    "{'op': 'reshape', 'in': ['z'], 'shape': [100, 4, 1], 'out': 'mine'},"
                    "{'op': 'reshape', 'in': ['z'], 'shape': [100, 1, 4], 'out': 'other'},"
                    "{'op': 'gt', 'in': ['other', 'mine'], 'out': 'before'},"
                    "{'op': 'cast', 'in': ['before'], 'dtype': 'i64', 'out': 'counted'},"
                    "{'op': 'sum', 'in': ['counted'], 'dim': 2, 'out': 'rank'},"
                    "{'op': 'reshape', 'in': ['rank'], 'shape': [100, 1, 4], 'out': 'ranks'},"
                    "{'op': 'reshape', 'in': ['i'], 'shape': [4, 1], 'out': 'place'},"
                    "{'op': 'eq', 'in': ['ranks', 'place'], 'out': 'taken'},"
                    "{'op': 'where', 'in': ['taken', 'i', 0], 'out': 'w'},"
                    "{'op': 'sum', 'in': ['w'], 'dim': 2, 'out': 'order'},"
                    "{'op': 'gather', 'in': ['z', 'order'], 'dim': 1, 'out': 'y'}");

    (void)state;
    for (size_t column = 0; column < 3; column++) {
        assert_true(error_of(&task, 4, column, 1.003) <= 1);
        assert_true(error_of(&task, 4, column, 0.5) > 1);
    }
    assert_true(error_of(&task, 4, 3, 0.5) <= 1);
    assert_true(error_of(&task, 4, 3, 1) > 1);
    rounding_task_close(&task);
}

/* A truth value may flip in both directions where places are used. */
static void conditions_flip_from_true_too(void **state)
{
    struct rounding_task task =
        open_text("[100, 4]",
                  LARGEST "{'op': 'mul', 'in': ['x', 0.995], 'out': 'less'},"
                          "{'op': 'gt', 'in': ['x', 'less'], 'out': 'c'},"
                          "{'op': 'cast', 'in': ['third'], 'dtype': 'f32', 'out': 't'},"
                          "{'op': 'where', 'in': ['c', 'x', 't'], 'out': 'u'},{'op': 'mul', 'in': "
                          "['k', 0], 'out': 'none'},{'op': 'cast', 'in': ['none'], 'dtype': 'f32', "
                          "'out': 'zero'},{'op': 'add', 'in': ['u', 'zero'], 'out': 'y'}");

    (void)state;
    assert_true(error_of(&task, 4, 0, 0) <= 1);
    assert_true(error_of(&task, 4, 0, 3) > 1);
    rounding_task_close(&task);
}

/* Whatever an implementation rounds to, it compares the zeros and ones of a mask alike. */
static void a_mask_that_the_model_makes_leaves_nothing_to_choose(void **state)
{
    struct rounding_task task = rounding_task_open(
        "mixed",
        "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [2, 3],"
        " \"fill\": {\"uniform\": [0, 1]}}, \"m\": {\"role\": \"param\", \"dtype\": \"f32\","
        " \"shape\": [3], \"fill\": {\"model\": []}}, \"y\": {\"role\": \"output\","
        " \"dtype\": \"f32\", \"shape\": [2, 3]}}, \"graph\": ["
        "{\"op\": \"eq\", \"in\": [\"m\", 0], \"out\": \"c\"},"
        "{\"op\": \"where\", \"in\": [\"c\", -3e38, \"x\"], \"out\": \"z\"},"
        "{\"op\": \"softmax\", \"in\": [\"z\"], \"dim\": 1, \"out\": \"y\"}]");
    struct given *given = &task.graph.values.items[graph_find(&task.graph, "m")].given;
    float mask[] = {1, 0, 1};

    (void)state;
    *given = (struct given){(const unsigned char *)mask, sizeof(mask), 1, 0};
    assert_false(choices_in(&task.graph, &task.rounding));
    mask[2] = 1e-9F;
    assert_true(choices_in(&task.graph, &task.rounding));
    mask[2] = 257;
    assert_true(choices_in(&task.graph, &task.rounding));
    rounding_task_close(&task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_of_near_equal_places_may_be_looked_up),
        cmocka_unit_test(choices_go_through_arithmetic),
        cmocka_unit_test(any_of_near_equal_places_may_be_compared),
        cmocka_unit_test(what_is_left_after_a_choice_is_near_it),
        cmocka_unit_test(what_is_in_order_is_near_its_place),
        cmocka_unit_test(conditions_flip_from_true_too),
        cmocka_unit_test(a_mask_that_the_model_makes_leaves_nothing_to_choose),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
