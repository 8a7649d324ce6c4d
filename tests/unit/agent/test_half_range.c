#include "tests/unit/unit.h"

#include <string.h>

#include "core/agent/builtin/plan/half_range.h"
#include "core/base/strbuf.h"
#include "core/model/problem_reader.h"

/* Whether the exponential in a graph that makes y from x [64, 64] is found to exceed f16. */
static bool exceeds(const char *fill, const char *graph)
{
    struct problem problem = {0};
    struct strbuf text = {0};
    struct graph made = {0};
    struct scope scope;
    struct error err;
    bool is_exceeded;

    strbuf_addf(&text,
                "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {}, \"tensors\": "
                "{\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [64, 64], \"fill\": "
                "{%s}}, \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [64, 64]}}, "
                "\"graph\": [%s], \"tolerance\": {\"class\": \"mixed\"}}",
                fill, graph);
    if (problem_parse(&problem, strbuf_cstr(&text), text.len, "p.json", &err))
        fail_msg("%s", err.text);
    scope = problem_scope(&problem, 0, NULL);
    if (graph_build(&made, &problem, &scope, &err))
        fail_msg("%s", err.text);
    is_exceeded = half_range_is_exceeded(&made);
    graph_release(&made);
    problem_release(&problem);
    strbuf_release(&text);
    return is_exceeded;
}

#define NORMAL       "\"normal\": [0, 1]"
#define EXP(operand) "{\"op\": \"exp\", \"in\": [\"" operand "\"], \"out\": \"y\"}"
#define SCAN         "{\"op\": \"cumsum\", \"in\": [\"x\"], \"dim\": 1, \"out\": \"s\"},"

/* The decays of a state space model are exponentials of differences of running sums. */
static void exponentials_of_sums_exceed_f16(void **state)
{
    (void)state;
    assert_true(exceeds(NORMAL, SCAN EXP("s")));
    assert_true(exceeds(NORMAL, SCAN "{\"op\": \"transpose\", \"in\": [\"s\"], \"dim0\": 0, "
                                     "\"dim1\": 1, \"out\": \"t\"}," EXP("t")));
    assert_true(exceeds("\"uniform\": [0, 1]", SCAN EXP("s")));
}

static void usual_exponentials_do_not(void **state)
{
    (void)state;
    assert_false(exceeds(NORMAL, EXP("x")));
    assert_false(exceeds("\"uniform\": [-1, 0]", SCAN EXP("s")));
    assert_false(
        exceeds("\"uniform\": [0, 20]",
                "{\"op\": \"max\", \"in\": [\"x\"], \"dim\": 1, \"keepdim\": true, \"out\": "
                "\"m\"}, {\"op\": \"sub\", \"in\": [\"x\", \"m\"], \"out\": \"d\"}," EXP("d")));
    assert_false(
        exceeds(NORMAL, "{\"op\": \"matmul\", \"in\": [\"x\", \"x\"], \"out\": \"p\"}," EXP("p")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials_of_sums_exceed_f16),
        cmocka_unit_test(usual_exponentials_do_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
