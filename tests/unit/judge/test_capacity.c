#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "core/judge/oracle/oracle_memory.h"
#include "core/judge/task/capacity.h"
#include "core/judge/task/expected_outputs.h"
#include "core/model/problem_reader.h"
#include "core/system/machine.h"

/* Tests if a problem fits this machine: nothing is allocated for these. */

/*
 * A problem that adds `inputs` vectors of `elements` elements, and then takes the sum or not: a
 * small output of large inputs, or an elementwise graph.
 */
struct sizes {
    unsigned inputs;
    const char *elements;
    bool is_sum;
};

/* Terabytes of inputs. */
static const struct sizes large_sum = {48, "2147483647", true};
/* One value takes gigabytes. */
static const struct sizes large_values = {2, "2147483647", false};
static const struct sizes small_values = {2, "5", false};
/* A value takes more than the 256 MB from which on outputs stay on a GPU. */
static const struct sizes deferred_values = {2, "83886080", false};

static void add_nodes(struct strbuf *text, const struct sizes *sizes)
{
    for (unsigned i = 1; i < sizes->inputs; i++)
        strbuf_addf(text, "%s{\"op\": \"add\", \"in\": [\"%s%u\", \"x%u\"], \"out\": \"%s%u\"}",
                    i > 1 ? ", " : "", i > 1 ? "t" : "x", i - 1, i,
                    sizes->is_sum || i + 1 < sizes->inputs ? "t" : "y",
                    sizes->is_sum || i + 1 < sizes->inputs ? i : 0);
    if (sizes->is_sum)
        strbuf_addf(text, ", {\"op\": \"sum\", \"in\": [\"t%u\"], \"dim\": [0], \"out\": \"y0\"}",
                    sizes->inputs - 1);
}

static void read_problem(struct problem *problem, const struct sizes *sizes)
{
    struct strbuf text = {0};
    struct error err;

    strbuf_adds(&text, "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {}, "
                       "\"tensors\": {");
    for (unsigned i = 0; i < sizes->inputs; i++)
        strbuf_addf(&text,
                    "\"x%u\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%s], "
                    "\"fill\": {\"uniform\": [-1, 1]}}, ",
                    i, sizes->elements);
    strbuf_addf(
        &text, "\"y0\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [%s]}}, \"graph\": [",
        sizes->is_sum ? "" : sizes->elements);
    add_nodes(&text, sizes);
    strbuf_adds(&text, "], \"tolerance\": {\"class\": \"f32\"}}");
    if (problem_parse(problem, strbuf_cstr(&text), text.len, "p.json", &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
}

static struct graph graph_of(const struct problem *problem)
{
    struct binding bindings[1];
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    struct error err;

    if (graph_build(&graph, problem, &scope, &err))
        fail_msg("%s", err.text);
    return graph;
}

/* On a GPU the inputs of a large problem are never in the host's memory. */
static void only_outputs_of_a_gpu_need_memory_of_the_host(void **state)
{
    struct device_info device = {.id = (char *)(uintptr_t) "gpu", .max_buffer_bytes = INT64_MAX};
    struct problem problem = {0};
    struct error err;

    (void)state;
    read_problem(&problem, &large_sum);
    assert_int_equal(capacity_check(&problem, NULL, &device, &err), STATUS_OK);
    device.is_cpu = true;
    assert_int_equal(capacity_check(&problem, NULL, &device, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "this machine has"));
    problem_release(&problem);
}

/* Outputs that stay on the GPU may take a quarter of the host's memory; on a CPU they may not. */
static void deferred_outputs_need_room_for_copies_only(void **state)
{
    struct device_info device = {.id = (char *)(uintptr_t) "gpu", .max_buffer_bytes = INT64_MAX};
    double elements = fmin(machine_memory_bytes() / 4 / 6, 2147483647);
    struct problem problem = {0};
    struct error err;
    char text[32];

    (void)state;
    snprintf(text, sizeof(text), "%lld", (long long)elements);
    read_problem(&problem, &(struct sizes){2, text, false});
    assert_int_equal(capacity_check(&problem, NULL, &device, &err), STATUS_OK);
    device.is_cpu = true;
    if (elements < 2147483647)
        assert_int_equal(capacity_check(&problem, NULL, &device, &err), STATUS_INVALID);
    problem_release(&problem);
}

static void floats_can_be_deferred(void **state)
{
    struct problem problem = {0};
    struct graph graph;

    (void)state;
    read_problem(&problem, &large_values);
    graph = graph_of(&problem);
    assert_true(expected_outputs_deferrable_bytes(&graph) == 4.0 * 2147483647);
    graph.values.items[graph_find(&graph, "y0")].dtype = DTYPE_I32;
    assert_true(expected_outputs_deferrable_bytes(&graph) == 0);
    graph_release(&graph);
    problem_release(&problem);
}

/* The product of two matrices, M x K and K x M. */
static void read_product(struct problem *problem, unsigned m, unsigned k)
{
    static const char form[] =
        "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {}, \"tensors\": {"
        "\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%u, %u], "
        "\"fill\": {\"uniform\": [-1, 1]}}, "
        "\"b\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%u, %u], "
        "\"fill\": {\"uniform\": [-1, 1]}}, "
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [%u, %u]}}, "
        "\"graph\": [{\"op\": \"matmul\", \"in\": [\"a\", \"b\"], \"out\": \"y\"}], "
        "\"tolerance\": {\"class\": \"f32\"}}";
    struct strbuf text = {0};
    struct error err;

    strbuf_addf(&text, form, m, k, k, m, m, m);
    if (problem_parse(problem, strbuf_cstr(&text), text.len, "p.json", &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
}

/* Outputs below 256 MB are deferred if computing them again is quick. */
static void outputs_are_deferred_by_their_size_and_cost(void **state)
{
    static const struct {
        unsigned m, k;
        bool are_deferred;
    } cases[] = {{2048, 512, true}, {2047, 512, false}, {2048, 65536, false}, {8192, 65536, true}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct problem problem = {0};
        struct graph graph;

        read_product(&problem, cases[i].m, cases[i].k);
        graph = graph_of(&problem);
        assert_int_equal(expected_outputs_are_deferred(&graph), cases[i].are_deferred);
        graph_release(&graph);
        problem_release(&problem);
    }
}

/* An elementwise graph is evaluated in pieces, of a class that does not widen variances. */
static void pieces_take_little_memory(void **state)
{
    struct problem problem = {0};
    struct graph graph;

    (void)state;
    read_problem(&problem, &large_values);
    graph = graph_of(&problem);
    assert_true(oracle_bytes(&graph) > 2e10);
    assert_true(expected_outputs_host_bytes(&problem, &graph) < 2e7);
    graph_release(&graph);
    problem_release(&problem);
}

static enum status refuse(void *data, const struct problem *problem, const struct graph *graph,
                          struct expectation *made, struct error *err)
{
    (void)problem;
    (void)graph;
    (void)made;
    ++*(unsigned *)data;
    return error_set(err, STATUS_UNAVAILABLE, "no kernel");
}

/* After a failure of the device the CPU does not begin work that would end the judge. */
static void the_cpu_does_not_replace_a_device_beyond_its_memory(void **state)
{
    unsigned asked = 0;
    struct problem problem = {0};
    struct expected_outputs_source source = {.problem = &problem,
                                             .device = {.expect = refuse, .data = &asked}};
    struct expectation made = {0};
    struct graph graph;
    struct error err;

    (void)state;
    read_problem(&problem, &large_sum);
    graph = graph_of(&problem);
    assert_int_equal(expected_outputs_make(&source, &graph, &made, &err), STATUS_UNAVAILABLE);
    assert_int_equal(asked, 1);
    assert_null(made.outputs);
    assert_non_null(strstr(err.text, "make the problem's dimensions smaller"));
    graph_release(&graph);
    problem_release(&problem);
}

/* Fewer trials where their outputs would not fit, and where they stay on a GPU. */
static void outputs_of_trials_fit_into_memory(void **state)
{
    const struct device_info gpu = {.is_cpu = false};
    double bytes = 6.0 * 2147483647;
    struct problem problem = {0};
    unsigned trials;

    (void)state;
    read_problem(&problem, &small_values);
    assert_int_equal(capacity_trials(&problem, NULL, 5, 2), 5);
    problem_release(&problem);
    read_problem(&problem, &deferred_values);
    assert_int_equal(capacity_trials(&problem, &gpu, 5, 2), 3);
    assert_int_equal(capacity_trials(&problem, NULL, 5, 2), 5);
    problem_release(&problem);
    read_problem(&problem, &large_values);
    trials = capacity_trials(&problem, NULL, 1000, 2);
    assert_true(trials == 1 || (trials + 2) * bytes <= machine_memory_bytes() / 4);
    problem_release(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_outputs_of_a_gpu_need_memory_of_the_host),
        cmocka_unit_test(deferred_outputs_need_room_for_copies_only),
        cmocka_unit_test(floats_can_be_deferred),
        cmocka_unit_test(outputs_are_deferred_by_their_size_and_cost),
        cmocka_unit_test(pieces_take_little_memory),
        cmocka_unit_test(the_cpu_does_not_replace_a_device_beyond_its_memory),
        cmocka_unit_test(outputs_of_trials_fit_into_memory),
    };

    return cmocka_run_group_tests_name("capacity", tests, NULL, NULL);
}
