#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#include "core/judge/oracle/oracle.h"
#include "core/judge/oracle/rounding/dependence.h"
#include "core/model/problem_reader.h"

/* Tolerances of operations whose operands share an error, and of sums that are scaled. */

enum { ELEMENTS = 2048 };

struct task {
    struct problem problem;
    struct graph graph;
    struct rounding rounding;
};

#define TENSOR(name, more) "\"" name "\": {\"dtype\": \"f32\", \"shape\": [2048], " more "}"
#define INPUT(name)        TENSOR(name, "\"role\": \"input\", \"fill\": {\"uniform\": [0.5, 1]}")
#define OUTPUT(name)       TENSOR(name, "\"role\": \"output\"")
#define NODE(op, in, out)  "{\"op\": \"" op "\", \"in\": [" in "], \"out\": \"" out "\"}"

/* A problem of class `class` whose nodes compute z from a and b, and a sum, for it must use both.
 */
static void open_task(struct task *t, const char *class, const char *nodes)
{
    struct strbuf text = {0};
    struct binding bindings[1];
    struct error err = {0};

    strbuf_addf(
        &text,
        "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {}, \"tensors\": "
        "{" INPUT("a") ", " INPUT("b") ", " OUTPUT("z") ", " OUTPUT(
            "sum") "}, \"graph\": "
                   "[" NODE("add", "\"a\", \"b\"", "sum") ", %s], \"tolerance\": {\"class\": "
                                                          "\"%s\"}}",
        nodes, class);
    *t = (struct task){0};
    if (problem_parse(&t->problem, strbuf_cstr(&text), text.len, "p.json", &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);

    struct scope scope = problem_scope(&t->problem, 0, bindings);

    assert_true(rounding_of(&t->problem.tolerance, &t->rounding));
    assert_int_equal(graph_build(&t->graph, &t->problem, &scope, &err), STATUS_OK);
}

static void close_task(struct task *t)
{
    graph_release(&t->graph);
    problem_release(&t->problem);
}

/* True if the operands of z, which the last node computes, share an error. */
static bool share(const char *class, const char *nodes)
{
    struct task t;
    bool is;

    open_task(&t, class, nodes);
    is = dependence_in(&t.graph, t.graph.nodes.count - 1, &t.rounding);
    close_task(&t);
    return is;
}

static void operands_from_one_rounded_value_share_its_error(void **state)
{
    static const char square[] = NODE("mul", "\"a\", \"a\"", "z");

    (void)state;
    assert_true(share("mixed", square));
    assert_false(share("f32", square)); /* inputs are exact */
    assert_true(share("f32", NODE("sub", "\"a\", \"b\"", "t") ", " NODE(
                                 "tanh", "\"t\"", "h") ", " NODE("add", "\"t\", \"h\"", "z")));
    assert_true(share("mixed", NODE("exp", "\"a\"", "t") ", " NODE(
                                   "mul", "\"a\", 3", "h") ", " NODE("div", "\"t\", \"h\"", "z")));
}

static void other_operands_do_not(void **state)
{
    (void)state;
    assert_false(share("mixed", NODE("mul", "\"a\", \"b\"", "z")));
    assert_false(share("mixed", NODE("mul", "\"a\", 3", "z")));
    assert_false(
        share("mixed", "{\"op\": \"softmax\", \"in\": [\"a\"], \"out\": \"t\", \"dim\": 0}," NODE(
                           "mul", "\"a\", \"t\"", "z")));
}

/* The largest error of z = t hardswish(t), t = a - b, when t is off by so many deviations. */
static double error_of(struct task *t, double deviations)
{
    const double sigma = 0x1p-8 / sqrt(6); /* of two operands in bf16, below 1 */
    const struct oracle_seeds seeds = {5, 5};
    struct oracle_values expected = {.rounding = &t->rounding};
    struct oracle_values given = oracle_values_make(&t->graph);
    size_t a = graph_find(&t->graph, "a"), b = graph_find(&t->graph, "b");
    size_t z = graph_find(&t->graph, "z");
    double worst = 0;
    float *allowed;

    assert_int_equal(oracle_expect(&t->graph, NULL, &seeds, &expected, NULL), STATUS_OK);
    oracle_draw(&t->graph, a, 5, &given);
    oracle_draw(&t->graph, b, 5, &given);
    allowed = rounding_allowed(&t->graph.values.items[z], expected.items[z], expected.variances[z]);
    for (size_t i = 0; i < ELEMENTS; i++) {
        double moved = given.items[a][i] - given.items[b][i] + deviations * sigma;
        double wrong = moved * moved * fmin(fmax(moved + 3, 0), 6) / 6;

        worst = fmax(worst, fabs(wrong - expected.items[z][i]) / (double)allowed[i]);
    }
    free(allowed);
    oracle_values_release(&given);
    oracle_values_release(&expected);
    return worst;
}

static void both_operands_of_a_product_may_move_together(void **state)
{
    struct task t;

    (void)state;
    open_task(&t, "mixed",
              NODE("sub", "\"a\", \"b\"",
                   "t") ", " NODE("hardswish", "\"t\"", "h") ", " NODE("mul", "\"t\", \"h\"", "z"));
    assert_true(error_of(&t, 7) < 1);
    assert_true(error_of(&t, 16) > 1);
    close_task(&t);
}

#define DIFFERENCE NODE("sub", "\"a\", \"b\"", "t")
#define SCALED(by) DIFFERENCE ", " NODE("mul", "\"t\", " by, "z")
#define ROOT       NODE("sqrt", "\"b\"", "r") ", "

/* True if factors may be multiplied into t = a - b, the node `number` after the sum. */
static bool may_be(const char *nodes, size_t number)
{
    struct task t;
    bool is;

    open_task(&t, "f32", nodes);
    is = dependence_may_distribute(&t.graph, 1 + number);
    close_task(&t);
    return is;
}

static void a_sum_that_is_scaled_may_be_distributed(void **state)
{
    (void)state;
    assert_true(may_be(SCALED("0.3"), 0));
    assert_true(may_be(ROOT DIFFERENCE ", " NODE("div", "\"t\", \"r\"", "z"), 1));
    assert_false(may_be(ROOT DIFFERENCE ", " NODE("div", "\"r\", \"t\"", "z"), 1));
    assert_false(may_be(SCALED("\"t\""), 0));
    assert_false(may_be(DIFFERENCE ", " NODE("tanh", "\"t\"", "z"), 0));
    assert_false(may_be(SCALED("0.3"), 1));
}

/* The largest error of a f - b f, with the factor f, by the tolerance of z. */
static double error_of_products(struct task *t, float factor)
{
    const struct oracle_seeds seeds = {5, 5};
    struct oracle_values expected = {.rounding = &t->rounding};
    struct oracle_values given = oracle_values_make(&t->graph);
    size_t a = graph_find(&t->graph, "a"), b = graph_find(&t->graph, "b");
    size_t z = graph_find(&t->graph, "z");
    double worst = 0;
    float *allowed;

    assert_int_equal(oracle_expect(&t->graph, NULL, &seeds, &expected, NULL), STATUS_OK);
    oracle_draw(&t->graph, a, 5, &given);
    oracle_draw(&t->graph, b, 5, &given);
    allowed = rounding_allowed(&t->graph.values.items[z], expected.items[z], expected.variances[z]);
    for (size_t i = 0; i < ELEMENTS; i++) {
        float minus = -(float)given.items[b][i] * factor;
        double got = (double)fmaf((float)given.items[a][i], factor, minus);

        worst = fmax(worst, fabs(got - expected.items[z][i]) / (double)allowed[i]);
    }
    free(allowed);
    oracle_values_release(&given);
    oracle_values_release(&expected);
    return worst;
}

static void products_may_be_subtracted_in_place_of_numbers(void **state)
{
    struct task t;

    (void)state;
    open_task(&t, "f32", SCALED("0.3"));
    assert_true(error_of_products(&t, 0.3F) < 1);
    assert_true(error_of_products(&t, 0.30001F) > 1);
    close_task(&t);
}

/* The largest tolerance of z in class f32. */
static double flip_of(const char *nodes)
{
    const struct oracle_seeds seeds = {5, 5};
    struct task t;
    double most = 0;
    float *allowed;

    open_task(&t, "f32", nodes);

    struct oracle_values expected = {.rounding = &t.rounding};
    size_t z = graph_find(&t.graph, "z");

    assert_int_equal(oracle_expect(&t.graph, NULL, &seeds, &expected, NULL), STATUS_OK);
    allowed = rounding_allowed(&t.graph.values.items[z], expected.items[z], expected.variances[z]);
    for (size_t i = 0; i < ELEMENTS; i++)
        most = fmax(most, (double)allowed[i]);
    free(allowed);
    oracle_values_release(&expected);
    close_task(&t);
    return most;
}

/* Equal positions stay equal, also if their difference times a slope is a bias. */
static void a_comparison_does_not_distribute(void **state)
{
    static const char bias[] =
        "{\"op\": \"reshape\", \"in\": [\"a\"], \"out\": \"c\", \"shape\": [2048]}, " NODE(
            "sub", "\"a\", \"c\"",
            "t") ", " NODE("mul", "\"t\", 0.3",
                           "u") ", " NODE("gt", "\"t\", 0",
                                          "g") ", {\"op\": \"cast\", \"in\": [\"g\"], \"out\": "
                                               "\"h\", \"dtype\": "
                                               "\"f32\"}, " NODE("add", "\"h\", \"u\"", "z");

    (void)state;
    assert_true(flip_of(bias) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_from_one_rounded_value_share_its_error),
        cmocka_unit_test(other_operands_do_not),
        cmocka_unit_test(both_operands_of_a_product_may_move_together),
        cmocka_unit_test(a_sum_that_is_scaled_may_be_distributed),
        cmocka_unit_test(products_may_be_subtracted_in_place_of_numbers),
        cmocka_unit_test(a_comparison_does_not_distribute),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
