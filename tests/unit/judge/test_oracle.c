#include "tests/unit/unit.h"

#include <string.h>

#include "core/judge/oracle/oracle.h"
#include "core/model/problem_reader.h"

/* golden.oracle checks the results of each operation against NumPy. */

static const char text_of_halves[] =
    "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {\"N\": 1000}, \"tensors\": {"
    "\"x\": {\"role\": \"input\", \"dtype\": \"f16\", \"shape\": [\"N\"],"
    " \"fill\": {\"uniform\": [0, 1]}},"
    "\"y\": {\"role\": \"output\", \"dtype\": \"f16\", \"shape\": [\"N\"]}},"
    "\"graph\": [{\"op\": \"mul\", \"in\": [\"x\", 3], \"out\": \"t\"},"
    " {\"op\": \"add\", \"in\": [\"t\", \"x\"], \"out\": \"y\"}],"
    "\"tolerance\": {\"class\": \"mixed\"}}";

enum { X, Y, CONSTANT, T, VALUES };

struct evaluated {
    struct problem problem;
    struct graph graph;
    struct oracle_values values;
};

static struct evaluated expect(const char *text, uint64_t seed)
{
    struct evaluated e = {0};
    struct binding bindings[1];
    struct scope scope;
    struct error err = {0};

    if (problem_parse(&e.problem, text, strlen(text), "p.json", &err))
        fail_msg("%s", err.text);
    scope = problem_scope(&e.problem, 0, bindings);
    assert_int_equal(graph_build(&e.graph, &e.problem, &scope, &err), STATUS_OK);
    assert_int_equal(
        oracle_expect(&e.graph, NULL, &(struct oracle_seeds){seed, seed}, &e.values, &err),
        STATUS_OK);
    return e;
}

static void release(struct evaluated *e)
{
    oracle_values_release(&e->values);
    graph_release(&e->graph);
    problem_release(&e->problem);
}

/* Evaluate the graph with oracle_evaluate(), which also keeps the inputs. */
static struct oracle_values evaluate(const struct graph *graph, uint64_t seed)
{
    struct oracle_values values = oracle_values_make(graph);
    struct error err = {0};

    oracle_draw(graph, X, seed, &values);
    assert_int_equal(oracle_evaluate(graph, &values, &err), STATUS_OK);
    return values;
}

static void works_on_inputs_rounded_to_their_type(void **state)
{
    struct evaluated e = expect(text_of_halves, 1);
    struct oracle_values given = evaluate(&e.graph, 1);

    (void)state;
    assert_int_equal(e.values.count, VALUES);
    for (size_t i = 0; i < 1000; i++) {
        uint16_t half;
        double x;

        dtype_from_double(DTYPE_F16, &given.items[X][i], &half, 1);
        dtype_to_double(DTYPE_F16, &half, &x, 1);
        assert_true(given.items[X][i] == x);
        assert_true(given.items[Y][i] == x * 3 + x);
        assert_true(e.values.items[Y][i] == x * 3 + x);
    }
    oracle_values_release(&given);
    release(&e);
}

static void keeps_what_it_was_given_and_outputs_only(void **state)
{
    struct evaluated e = expect(text_of_halves, 1);
    struct oracle_values given = evaluate(&e.graph, 1);

    (void)state;
    assert_non_null(given.items[X]);
    assert_non_null(given.items[Y]);
    assert_null(given.items[CONSTANT]);
    assert_null(given.items[T]);
    for (size_t i = 0; i < VALUES; i++)
        assert_true((e.values.items[i] != NULL) == (i == Y));
    oracle_values_release(&given);
    release(&e);
}

static void a_seed_decides_the_values(void **state)
{
    struct evaluated first = expect(text_of_halves, 1), again = expect(text_of_halves, 1);
    struct evaluated other = expect(text_of_halves, 2);
    size_t bytes = 1000 * sizeof(double);

    (void)state;
    assert_memory_equal(first.values.items[Y], again.values.items[Y], bytes);
    assert_memory_not_equal(first.values.items[Y], other.values.items[Y], bytes);
    release(&first);
    release(&again);
    release(&other);
}

static void an_unknown_graph_is_unavailable(void **state)
{
    struct graph graph = {0};
    struct oracle_values values = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(oracle_expect(&graph, NULL, &(struct oracle_seeds){1, 1}, &values, &err),
                     STATUS_INVALID);
    assert_null(values.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(works_on_inputs_rounded_to_their_type),
        cmocka_unit_test(keeps_what_it_was_given_and_outputs_only),
        cmocka_unit_test(a_seed_decides_the_values),
        cmocka_unit_test(an_unknown_graph_is_unavailable),
    };

    return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
