#include "tests/unit/unit.h"

#include <string.h>

#include "core/judge/oracle/variation.h"
#include "core/judge/task/expectations.h"
#include "core/model/problem_reader.h"

/*
 * Varied data of a large problem whose sizes are fixed, on a device that computes what is expected:
 * here one that only counts what it is asked for.
 */

static const char line_problem[] =
    "{\"kforge\": 1, \"name\": \"lines\", \"summary\": \"\", \"dims\": {}, \"tensors\": {"
    "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [32768, 4096], \"fill\": "
    "{\"uniform\": [0, 1]}}, \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": "
    "[32768]}}, \"graph\": [{\"op\": \"logsumexp\", \"in\": [\"x\"], \"dim\": 1, \"out\": "
    "\"y\"}], \"tolerance\": {\"class\": \"f32\"}}";
static const char product_problem[] =
    "{\"kforge\": 1, \"name\": \"product\", \"summary\": \"\", \"dims\": {}, \"tensors\": {"
    "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [40960, 256], \"fill\": "
    "{\"normal\": [0, 1]}}, \"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [256, "
    "256], \"fill\": {\"normal\": [0, 1]}}, \"y\": {\"role\": \"output\", \"dtype\": \"f32\", "
    "\"shape\": [40960, 256]}}, \"graph\": [{\"op\": \"matmul\", \"in\": [\"x\", \"w\"], "
    "\"out\": \"y\"}], \"tolerance\": {\"class\": \"f32\"}}";

static const char sum_problem[] =
    "{\"kforge\": 1, \"name\": \"sum\", \"summary\": \"\", \"dims\": {}, \"tensors\": {"
    "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [67108864], \"fill\": "
    "{\"uniform\": [0, 1]}}, \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [1]}}, "
    "\"graph\": [{\"op\": \"sum\", \"in\": [\"x\"], \"dim\": 0, \"keepdim\": true, \"out\": "
    "\"y\"}], \"tolerance\": {\"class\": \"f32\"}}";

/* The variations that the device was asked for. */
struct asked {
    unsigned count, varied;
    bool is_for[VARIATION_COUNT];
};

static enum status expect(void *data, const struct problem *problem, const struct graph *graph,
                          struct expectation *made, struct error *err)
{
    struct asked *asked = data;

    (void)problem;
    (void)graph;
    (void)err;
    asked->count++;
    asked->varied += variation_of(made->input_seed) != VARIATION_NONE;
    asked->is_for[variation_of(made->input_seed)] = true;
    assert_int_equal(variation_of(made->param_seed), variation_of(made->input_seed));
    return STATUS_OK;
}

/* Take all trials of the problem; returns how many are unfair. */
static unsigned take_all(const char *text, struct asked *asked)
{
    struct problem problem = {0};
    const struct expectations_options options = {
        .problem = &problem, .trials = 2, .device = {.expect = expect, .data = asked}};
    struct expectations *all;
    const struct expectation *made;
    unsigned unfair = 0;
    struct error err;

    assert_int_equal(problem_parse(&problem, text, strlen(text), "p.json", &err), STATUS_OK);
    if (expectations_new(&options, &all, &err) || expectations_start(all, &err))
        fail_msg("%s", err.text);
    for (unsigned t = 0; t < expectations_trials(all, EXPECTATIONS_MAIN); t++) {
        if (expectations_take(all, EXPECTATIONS_MAIN, t, &made, &err))
            fail_msg("%s", err.text);
        assert_null(made->outputs);
        unfair += made->is_unfair;
    }
    expectations_free(all);
    problem_release(&problem);
    return unfair;
}

static void lines_are_tried_with_two_variations(void **state)
{
    struct asked asked = {0};
    unsigned unfair = take_all(line_problem, &asked);

    (void)state;
    assert_int_equal(asked.varied + unfair, 2);
    assert_true(asked.is_for[VARIATION_NONE]);
}

/* Outliers are left out: fast algorithms spread their errors to other elements. */
static void products_are_tried_with_numbers_of_usual_sizes(void **state)
{
    struct asked asked = {0};
    unsigned unfair = take_all(product_problem, &asked);

    (void)state;
    assert_int_equal(asked.varied + unfair, 2);
    assert_false(asked.is_for[VARIATION_OUTLIERS] || asked.is_for[VARIATION_HUGE] ||
                 asked.is_for[VARIATION_LARGE] || asked.is_for[VARIATION_MINUTE]);
}

/* True if a device computes what is expected of a chain of so many operations on a small tensor. */
static bool are_on_device_for(unsigned operations)
{
    struct strbuf text = {0};
    struct problem problem = {0};
    struct asked asked = {0};
    const struct expectations_options options = {
        .problem = &problem, .trials = 1, .device = {.expect = expect, .data = &asked}};
    struct expectations *all;
    struct error err;
    bool are;

    strbuf_adds(&text,
                "{\"kforge\": 1, \"name\": \"chain\", \"summary\": \"\", \"dims\": {}, "
                "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": "
                "[1024, 512], \"fill\": {\"normal\": [0, 1]}}, \"y\": {\"role\": \"output\", "
                "\"dtype\": \"f32\", \"shape\": [1024, 512]}}, \"graph\": ["
                "{\"op\": \"relu\", \"in\": [\"x\"], \"out\": \"t0\"}, ");
    for (unsigned i = 1; i < operations; i++)
        strbuf_addf(&text, "{\"op\": \"tanh\", \"in\": [\"t%u\"], \"out\": \"t%u\"}, ", i - 1, i);
    strbuf_addf(&text, "{\"op\": \"neg\", \"in\": [\"t%u\"], \"out\": \"y\"}], ", operations - 1);
    strbuf_adds(&text, "\"tolerance\": {\"class\": \"f32\"}}");
    if (problem_parse(&problem, strbuf_cstr(&text), text.len, "p.json", &err) ||
        expectations_new(&options, &all, &err))
        fail_msg("%s", err.text);
    are = expectations_are_on_device(all);
    expectations_free(all);
    problem_release(&problem);
    strbuf_release(&text);
    return are;
}

/* The CPU takes seconds for many operations that each take few. */
static void deep_graphs_of_small_tensors_are_computed_there(void **state)
{
    (void)state;
    assert_true(are_on_device_for(60));
    assert_false(are_on_device_for(30));
}

/* What happens while outputs are made: the CPU begins, the device begins, and computes. */
struct order {
    struct asked asked;
    char text[8];
};

static void note(struct order *order, char step)
{
    order->text[strlen(order->text)] = step;
}

static void begin_on_host(void *data)
{
    note(data, 'h');
}

static void begin_on_device(void *data)
{
    note(data, 'd');
}

static enum status compute(void *data, const struct problem *problem, const struct graph *graph,
                           struct expectation *made, struct error *err)
{
    struct order *order = data;

    note(order, 'c');
    return expect(&order->asked, problem, graph, made, err);
}

/* The steps by which outputs for varied data are made. */
static void assert_steps(const char *text, const char *steps)
{
    struct problem problem = {0};
    struct graph graph = {0};
    struct order order = {.text = ""};
    const struct expected_outputs_source source = {.problem = &problem,
                                                   .device = {.expect = compute, .data = &order},
                                                   .begins_on_host = begin_on_host,
                                                   .begins_on_device = begin_on_device,
                                                   .data = &order};
    uint64_t seed = variation_seed(VARIATION_OUTLIERS, 5);
    struct expectation made = {.param_seed = seed, .input_seed = seed};
    struct scope scope;
    struct error err;

    assert_int_equal(problem_parse(&problem, text, strlen(text), "p.json", &err), STATUS_OK);
    scope = problem_scope(&problem, 0, NULL);
    assert_int_equal(graph_build(&graph, &problem, &scope, &err), STATUS_OK);
    assert_int_equal(expected_outputs_make(&source, &graph, &made, &err), STATUS_OK);
    assert_string_equal(order.text, steps);
    assert_int_equal(made.is_unfair, !strchr(steps, 'c'));
    graph_release(&graph);
    problem_release(&problem);
}

/*
 * The CPU checks for seconds whether varied data are fair; other judges use the device meanwhile.
 * They are not if the problem has no smaller size for this check.
 */
static void the_check_of_varied_data_leaves_the_device(void **state)
{
    (void)state;
    assert_steps(line_problem, "hdc");
    assert_steps(sum_problem, "h");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_tried_with_two_variations),
        cmocka_unit_test(products_are_tried_with_numbers_of_usual_sizes),
        cmocka_unit_test(deep_graphs_of_small_tensors_are_computed_there),
        cmocka_unit_test(the_check_of_varied_data_leaves_the_device),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
