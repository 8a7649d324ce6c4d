#include "tests/unit/unit.h"

#include <string.h>

#include "core/judge/oracle/oracle_pieces.h"
#include "core/model/problem_reader.h"

/* Outputs that are evaluated in pieces have the bits of those that are evaluated as a whole. */

/* A vector of which the last piece is short, a second output, a single number and a constant. */
static const char tensors[] =
    "\"a\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [], \"fill\": {\"uniform\": [1, "
    "2]}},"
    "\"x\": {\"role\": \"input\", \"dtype\": \"f16\", \"shape\": [\"N\"], \"fill\": {\"normal\": "
    "[0, 1]}},"
    "\"k\": {\"role\": \"input\", \"dtype\": \"i32\", \"shape\": [1, \"N\"],"
    " \"fill\": {\"integers\": [-3, 3]}},"
    "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"N\"]},"
    "\"z\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [1, \"N\"]}";
static const char graph_of_two[] = "{\"op\": \"mul\", \"in\": [\"a\", \"x\"], \"out\": \"ax\"},"
                                   "{\"op\": \"add\", \"in\": [\"ax\", 3], \"out\": \"y\"},"
                                   "{\"op\": \"mul\", \"in\": [\"y\", \"k\"], \"out\": \"z\"}";

enum { PARAM_SEED = 5, INPUT_SEED = 77, ELEMENTS = ORACLE_PIECE_ELEMENTS + 1235 };
static const struct oracle_seeds seeds = {PARAM_SEED, INPUT_SEED};
static const struct rounding rounding = {0};

struct task {
    struct problem problem;
    struct binding bindings[1];
    struct graph graph;
};

static void open_task(struct task *t, const char *tensor_text, const char *graph, size_t n)
{
    struct strbuf text = {0};
    struct error err = {0};
    struct scope scope;

    *t = (struct task){0};
    strbuf_addf(&text,
                "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {\"N\": %zu}, "
                "\"tensors\": {%s}, \"graph\": [%s], \"tolerance\": {\"class\": \"f32\"}}",
                n, tensor_text, graph);
    if (problem_parse(&t->problem, strbuf_cstr(&text), text.len, "p.json", &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
    scope = problem_scope(&t->problem, 0, t->bindings);
    if (graph_build(&t->graph, &t->problem, &scope, &err))
        fail_msg("%s", err.text);
}

static void close_task(struct task *t)
{
    graph_release(&t->graph);
    problem_release(&t->problem);
}

struct comparison {
    const struct task *task;
    struct oracle_values whole;
    size_t seen; /* elements of the pieces so far */
};

static void compare(void *data, const struct oracle_values *piece, size_t first, size_t count)
{
    struct comparison *c = data;

    assert_int_equal(first, c->seen);
    c->seen += count;
    for (size_t i = 0; i < piece->count; i++) {
        if (c->task->graph.values.items[i].role != TENSOR_OUTPUT)
            continue;
        assert_memory_equal(piece->items[i], c->whole.items[i] + first, count * sizeof(double));
        assert_memory_equal(piece->variances[i], c->whole.variances[i] + first,
                            count * sizeof(double));
    }
}

static void compare_pieces(size_t elements)
{
    struct block_pool *blocks = block_pool_new();
    struct oracle_values of = {.rounding = &rounding, .blocks = blocks};
    struct comparison c = {.whole = of};
    const struct oracle_piece_taker taker = {compare, &c};
    struct error err = {0};
    struct task t;

    open_task(&t, tensors, graph_of_two, elements);
    c.task = &t;
    assert_int_equal(oracle_pieces_elements(&t.graph, &seeds, &rounding), elements);
    assert_int_equal(oracle_expect(&t.graph, NULL, &seeds, &c.whole, &err), STATUS_OK);
    assert_int_equal(oracle_pieces_expect(&t.graph, &seeds, &of, &taker, &err), STATUS_OK);
    assert_int_equal(c.seen, elements);
    oracle_values_release(&c.whole);
    block_pool_free(blocks);
    close_task(&t);
}

static void pieces_have_the_bits_of_the_whole(void **state)
{
    (void)state;
    compare_pieces(ELEMENTS);
}

/* A last piece of one element would have the data of the first element. */
static void one_element_more_than_a_piece_is_right(void **state)
{
    (void)state;
    compare_pieces(ORACLE_PIECE_ELEMENTS + 1);
}

static size_t pieces_of(const char *tensor_text, const char *graph, size_t n, bool is_mixed)
{
    const struct rounding class = {.is_mixed = is_mixed};
    struct task t;
    size_t elements;

    open_task(&t, tensor_text, graph, n);
    elements = oracle_pieces_elements(&t.graph, &seeds, &class);
    close_task(&t);
    return elements;
}

/* Elements that depend on others than those at their place need whole tensors. */
static void only_elements_at_one_place_make_pieces(void **state)
{
    static const char plain[] =
        "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"N\", 2],"
        " \"fill\": {\"normal\": [0, 1]}},"
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"N\", 2]}";
    static const char broadcast[] =
        "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [2], \"fill\": {\"normal\": "
        "[0, 1]}},"
        "\"w\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"N\", 2],"
        " \"fill\": {\"normal\": [0, 1]}},"
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"N\", 2]}";
    static const char permuted[] =
        "\"x\": {\"role\": \"input\", \"dtype\": \"i32\", \"shape\": [\"N\", 2],"
        " \"fill\": {\"permutation\": []}},"
        "\"y\": {\"role\": \"output\", \"dtype\": \"i32\", \"shape\": [\"N\", 2]}";
    static const char exp[] = "{\"op\": \"exp\", \"in\": [\"x\"], \"out\": \"y\"}";
    static const char negative[] = "{\"op\": \"neg\", \"in\": [\"x\"], \"out\": \"y\"}";
    static const char softmax[] =
        "{\"op\": \"softmax\", \"in\": [\"x\"], \"out\": \"y\", \"dim\": -1}";
    static const char product[] = "{\"op\": \"mul\", \"in\": [\"x\", \"w\"], \"out\": \"y\"}";

    (void)state;
    assert_int_equal(pieces_of(plain, exp, ELEMENTS, false), 2 * ELEMENTS);
    assert_int_equal(pieces_of(plain, exp, ELEMENTS, true), 0);
    assert_int_equal(pieces_of(plain, exp, 1000, false), 0);
    assert_int_equal(pieces_of(plain, softmax, ELEMENTS, false), 0);
    assert_int_equal(pieces_of(broadcast, product, ELEMENTS, false), 0);
    assert_int_equal(pieces_of(permuted, negative, ELEMENTS, false), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_have_the_bits_of_the_whole),
        cmocka_unit_test(one_element_more_than_a_piece_is_right),
        cmocka_unit_test(only_elements_at_one_place_make_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
