#include "tests/unit/unit.h"

#include <string.h>

#include "core/agent/builtin/plan/rewrites.h"
#include "core/base/json.h"
#include "core/model/problem_reader.h"
#include "tests/unit/builtin_fixture.h"

/*
 * Tests of the rewrites that the built-in analyst recommends. That the rewritten graph computes the
 * same values is tested in contract.schedules.
 */

struct expected {
    const char *change, *before, *after; /* the first step; NULL: no step */
    size_t ahead;
};

static const struct expected expected[] = {
    {"fold: 0 -> 1, ahead: 0 -> 1",
     "t1 = linear(x, w, b); t2 = sub(t1, s); t3 = mul(t2, 0.5); t4 = add(t3, 2); "
     "t5 = sum(t4, dim 1, keepdim true)",
     "w2 = sum(w, dim -2); w3 = sum(b, dim -1, keepdim true); w4 = mul(x, w2); "
     "w5 = sum(w4, dim -1, keepdim true); t1 = add(w5, w3); w1 = sum(s, dim -1, keepdim true); "
     "t2 = sub(t1, w1); t3 = mul(t2, 0.5); t5 = add(t3, 64)",
     4},
    {"drop: 0 -> 1", "t6 = logsumexp(t5, dim 1, keepdim true)", "t5", 4},
};

static void load_file(struct problem *problem, const char *path)
{
    struct error err = {0};

    if (problem_load(problem, path, &err))
        fail_msg("%s", err.text);
}

static void load(struct problem *problem)
{
    load_file(problem, KFORGE_SOURCE_DIR "/tests/contract/problems/rewrites.json");
}

static void operations_before_and_after(void **state)
{
    struct schedule schedule = {0};
    struct rewrite_found found = {0};
    struct problem problem = {0};
    struct error err = {0};
    size_t next = 0, count = 0;

    (void)state;
    load(&problem);
    while (!rewrites_find(&problem, &schedule, &next, &found, &err) && found.steps) {
        const struct json *step = json_first(found.steps);
        struct strbuf change = {0};

        assert_true(count < sizeof(expected) / sizeof(*expected));
        schedule_difference(&schedule, &found.to, ~0U, &change);
        assert_string_equal(strbuf_cstr(&change), expected[count].change);
        assert_string_equal(json_get_string(step, "before", ""), expected[count].before);
        assert_string_equal(json_get_string(step, "after", ""), expected[count].after);
        assert_int_equal(found.ahead, expected[count].ahead);
        assert_true(found.gain > 1);
        strbuf_release(&change);
        json_free(found.steps);
        schedule = found.to;
        count++;
    }
    assert_int_equal(count, sizeof(expected) / sizeof(*expected));
    problem_release(&problem);
}

/* Two layers without a function between them are one after dropout is left out. */
static void products_of_products_merge(void **state)
{
    struct algebra algebra = {0};
    struct problem problem = {0};
    struct error err = {0};

    (void)state;
    load(&problem);
    if (algebra_open(&algebra, &problem, ALGEBRA_CHAIN | ALGEBRA_DROP, &err))
        fail_msg("%s", err.text);
    assert_int_equal(json_count(algebra.steps), 4);
    assert_string_equal(json_get_string(json_at(algebra.steps, 3), "after", ""),
                        "w1 = matmul(u, v); w2 = unsqueeze(c, dim 0); w3 = linear(w2, u); "
                        "w4 = squeeze(w3, dim 0); t9 = linear(x, w1, w4)");
    assert_int_equal(algebra.problem->nodes.count, 14);
    algebra_close(&algebra);
    problem_release(&problem);
}

/* The shape stays the same, but elements move. */
static void reversals_and_shifts_are_not_dropped(void **state)
{
    static const char *const nodes[] = {
        "\"op\": \"slice\", \"dim\": 1, \"step\": -1",
        "\"op\": \"pad\", \"pad\": [-1, 1]",
    };
    struct error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
        struct algebra algebra = {0};
        struct problem problem = {0};
        struct strbuf text = {0};

        strbuf_addf(
            &text,
            "{\"kforge\": 1, \"name\": \"moves\", \"summary\": \"\", \"dims\": {}, "
            "\"tolerance\": {\"class\": \"f32\"}, \"tensors\": {\"x\": {\"role\": \"input\", "
            "\"dtype\": \"f32\", \"shape\": [2, 8], \"fill\": {\"uniform\": [0, 1]}}, "
            "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [2, 8]}}, "
            "\"graph\": [{\"op\": \"exp\", \"in\": [\"x\"], \"out\": \"t\"}, "
            "{%s, \"in\": [\"t\"], \"out\": \"y\"}]}",
            nodes[i]);
        if (problem_parse(&problem, strbuf_cstr(&text), text.len, "moves", &err) ||
            algebra_open(&algebra, &problem, ALGEBRA_DROP, &err))
            fail_msg("%s", err.text);
        assert_int_equal(algebra.problem->nodes.count, 2);
        algebra_close(&algebra);
        problem_release(&problem);
        strbuf_release(&text);
    }
}

/* Pooling joins the params of its product, and the norm of one channel becomes one of rows. */
static void work_over_features_needs_no_views(void **state)
{
    static const char *const after[] = {
        "w1 = reshape(w, shape [6,4,16]); w2 = mean(w1, dim 1); w3 = reshape(b, shape [6,4]); "
        "w4 = mean(w3, dim 1); t1 = linear(x, w2, w4); t3 = reshape(t1, shape [6,1,6])",
        "w5 = layer_norm(t5, eps 0.001); t8 = reshape(w5, shape [6,1,1,24])"};
    struct algebra algebra = {0};
    struct problem problem = {0};
    struct error err = {0};

    (void)state;
    load_file(&problem, KFORGE_SOURCE_DIR "/tests/contract/problems/features.json");
    if (algebra_open(&algebra, &problem, ALGEBRA_FOLD | ALGEBRA_STAGES, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(json_get_string(json_at(algebra.steps, i), "after", ""), after[i]);
    for (size_t n = 4; n < algebra.problem->nodes.count; n++)
        assert_string_not_equal(algebra.problem->nodes.items[n].op, "reshape");
    algebra_close(&algebra);
    problem_release(&problem);
}

/*
 * What is split again needs no concatenation, unless an input would have no use then: the kernels
 * take all inputs.
 */
static void parts_of_concatenations_are_operands(void **state)
{
    static const struct {
        const char *nodes;
        size_t count;
    } graphs[] = {
        {"{\"op\": \"exp\", \"in\": [\"x\"], \"out\": \"a\"}, "
         "{\"op\": \"neg\", \"in\": [\"z\"], \"out\": \"b\"}, "
         "{\"op\": \"concat\", \"in\": [\"a\", \"b\"], \"out\": \"c\", \"dim\": 1}, "
         "{\"op\": \"slice\", \"in\": [\"c\"], \"out\": \"d\", \"dim\": 1, \"end\": 8}, "
         "{\"op\": \"slice\", \"in\": [\"c\"], \"out\": \"e\", \"dim\": -1, \"start\": -6, "
         "\"end\": 15}, {\"op\": \"sum\", \"in\": [\"e\"], \"out\": \"f\", \"dim\": 1, "
         "\"keepdim\": true}, {\"op\": \"mul\", \"in\": [\"d\", \"f\"], \"out\": \"y\"}",
         5},
        {"{\"op\": \"concat\", \"in\": [\"x\", \"z\"], \"out\": \"c\", \"dim\": 1}, "
         "{\"op\": \"slice\", \"in\": [\"c\"], \"out\": \"d\", \"dim\": 1, \"end\": 8}, "
         "{\"op\": \"exp\", \"in\": [\"d\"], \"out\": \"y\"}",
         3},
        {"{\"op\": \"concat\", \"in\": [\"x\", \"z\"], \"out\": \"c\", \"dim\": 1}, "
         "{\"op\": \"slice\", \"in\": [\"c\"], \"out\": \"y\", \"dim\": 1, \"start\": 4, "
         "\"end\": 12}",
         2},
    };
    struct error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(graphs) / sizeof(*graphs); i++) {
        struct algebra algebra = {0};
        struct problem problem = {0};
        struct strbuf text = {0};

        strbuf_addf(&text,
                    "{\"kforge\": 1, \"name\": \"parts\", \"summary\": \"\", \"dims\": {}, "
                    "\"tolerance\": {\"class\": \"f32\"}, \"tensors\": {\"x\": {\"role\": "
                    "\"input\", \"dtype\": \"f32\", \"shape\": [2, 8], \"fill\": {\"uniform\": [0, "
                    "1]}}, \"z\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [2, 8], "
                    "\"fill\": {\"uniform\": [0, 1]}}, \"y\": {\"role\": \"output\", \"dtype\": "
                    "\"f32\", \"shape\": [2, 8]}}, \"graph\": [%s]}",
                    graphs[i].nodes);
        if (problem_parse(&problem, strbuf_cstr(&text), text.len, "parts", &err) ||
            algebra_open(&algebra, &problem, ALGEBRA_STAGES, &err))
            fail_msg("%s", err.text);
        assert_int_equal(algebra.problem->nodes.count, graphs[i].count);
        algebra_close(&algebra);
        problem_release(&problem);
        strbuf_release(&text);
    }
}

/* A reshape before the multiplication would keep the sum out of its kernel. */
static void a_row_is_multiplied_without_a_reshape(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"row\", \"summary\": \"\", \"dims\": {}, \"tolerance\": "
        "{\"class\": \"f32\"}, \"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", "
        "\"shape\": [1, 1, 64], \"fill\": {\"uniform\": [0, 1]}}, \"w\": {\"role\": \"param\", "
        "\"dtype\": \"f32\", \"shape\": [96, 64], \"fill\": {\"uniform\": [0, 1]}}, \"y\": "
        "{\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [1, 1, 96]}}, \"graph\": [{\"op\": "
        "\"gelu\", \"in\": [\"x\"], \"out\": \"t\"}, {\"op\": \"linear\", \"in\": [\"t\", \"w\"], "
        "\"out\": \"y\"}]}";
    struct algebra algebra = {0};
    struct problem problem = {0};
    struct error err = {0};
    struct candidate candidate = builtin_fixture_first(text);

    (void)state;
    if (problem_parse(&problem, text, strlen(text), "row", &err) ||
        algebra_open(&algebra, &problem, ALGEBRA_STAGES, &err))
        fail_msg("%s", err.text);
    assert_string_equal(json_get_string(json_at(algebra.steps, 0), "after", ""),
                        "w1 = mul(w, t); w2 = sum(w1, dim [2]); y = reshape(w2, shape [1,1,96])");
    assert_null(strstr(candidate.source, " places_"));
    candidate_release(&candidate);
    algebra_close(&algebra);
    problem_release(&problem);
}

/* Load an attention whose rows have `width` elements, with more attributes as JSON. */
static void load_attention(struct problem *problem, int width, const char *attributes)
{
    struct strbuf text = {0};
    struct error err = {0};

    strbuf_adds(&text, "{\"kforge\": 1, \"name\": \"rows\", \"summary\": \"\", \"dims\": {}, "
                       "\"tolerance\": {\"class\": \"f32\"}, \"tensors\": {");
    for (const char *name = "qkv"; *name; name++)
        strbuf_addf(&text,
                    "\"%c\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [2, 8, %d], "
                    "\"fill\": {\"uniform\": [0, 1]}}, ",
                    *name, width);
    strbuf_addf(&text,
                "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [2, 8, %d]}}, "
                "\"graph\": [{\"op\": \"scaled_dot_product_attention\", \"in\": [\"q\", \"k\", "
                "\"v\"], \"out\": \"y\"%s}]}",
                width, attributes);
    if (problem_parse(problem, strbuf_cstr(&text), text.len, "rows.json", &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
}

/* A GPU has no room for good tiles of long rows; the kernels of products have. */
static void attention_with_long_rows_is_products(void **state)
{
    static const struct {
        int width;
        const char *attributes, *after;
    } rows[] = {
        {64, "", ""},
        {1024, ", \"is_causal\": true", ""},
        {1024, "",
         "w1 = matmul(q, k, transpose_b true); w2 = mul(w1, 0.03125); w3 = softmax(w2, dim -1); "
         "y = matmul(w3, v)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct algebra algebra = {0};
        struct problem problem = {0};
        struct error err = {0};

        load_attention(&problem, rows[i].width, rows[i].attributes);
        if (algebra_open(&algebra, &problem, ALGEBRA_STAGES, &err))
            fail_msg("%s", err.text);
        assert_string_equal(json_get_string(json_at(algebra.steps, 0), "after", ""), rows[i].after);
        algebra_close(&algebra);
        problem_release(&problem);
    }
}

/* Load two layers of the same rows, with parts of one weight; the second begins at row `second`. */
static void load_layers(struct problem *problem, int second)
{
    struct strbuf text = {0};
    struct error err = {0};

    strbuf_addf(
        &text,
        "{\"kforge\": 1, \"name\": \"heads\", \"summary\": \"\", \"dims\": {}, "
        "\"tolerance\": {\"class\": \"f32\"}, \"tensors\": {\"x\": {\"role\": \"input\", "
        "\"dtype\": \"f32\", \"shape\": [6, 8], \"fill\": {\"uniform\": [0, 1]}}, "
        "\"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [8, 8], "
        "\"fill\": {\"uniform\": [0, 1]}}, "
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [4, 4]}}, \"graph\": ["
        "{\"op\": \"slice\", \"in\": [\"w\"], \"out\": \"a\", \"dim\": 0, \"end\": 4}, "
        "{\"op\": \"slice\", \"in\": [\"w\"], \"out\": \"b\", \"dim\": 0, \"start\": %d, "
        "\"end\": %d}, "
        "{\"op\": \"linear\", \"in\": [\"x\", \"a\"], \"out\": \"q\"}, "
        "{\"op\": \"linear\", \"in\": [\"x\", \"b\"], \"out\": \"k\"}, "
        "{\"op\": \"transpose\", \"in\": [\"q\"], \"out\": \"t\", \"dim0\": 0, \"dim1\": 1}, "
        "{\"op\": \"transpose\", \"in\": [\"k\"], \"out\": \"u\", \"dim0\": 0, \"dim1\": 1}, "
        "{\"op\": \"matmul\", \"in\": [\"t\", \"u\"], \"out\": \"y\", "
        "\"transpose_b\": true}]}",
        second, second + 4);
    if (problem_parse(problem, strbuf_cstr(&text), text.len, "heads.json", &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
}

/* Layers with parts of a weight are one layer if the parts are the whole weight. */
static void layers_with_slices_of_a_weight_are_one(void **state)
{
    static const struct {
        int second;
        size_t nodes;
        const char *after;
    } layers[] = {
        {3, 7, ""},
        {4, 6, "w1 = linear(x, w); q = slice(w1, dim 1, start 0, end 4)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(layers) / sizeof(*layers); i++) {
        struct algebra algebra = {0};
        struct problem problem = {0};
        struct error err = {0};

        load_layers(&problem, layers[i].second);
        if (algebra_open(&algebra, &problem, ALGEBRA_STAGES, &err))
            fail_msg("%s", err.text);
        assert_string_equal(json_get_string(json_at(algebra.steps, 0), "after", ""),
                            layers[i].after);
        assert_int_equal(algebra.problem->nodes.count, layers[i].nodes);
        algebra_close(&algebra);
        problem_release(&problem);
    }
}

static void add_tensor(struct strbuf *text, const char *name, const char *role, const char *shape)
{
    strbuf_addf(text,
                "\"%s\": {\"role\": \"%s\", \"dtype\": \"f32\", \"shape\": [%s], "
                "\"fill\": {\"uniform\": [0, 1]}}, ",
                name, role, shape);
}

/* A recurrent layer with a layer behind it, step by step, whose last step reads `last`. */
static void load_steps(struct problem *problem, int last)
{
    enum { STEPS = 4 };
    struct strbuf text = {0}, joined = {0};
    struct error err = {0};

    strbuf_addf(&text, "{\"kforge\": 1, \"name\": \"steps\", \"summary\": \"\", \"dims\": {}, "
                       "\"tolerance\": {\"class\": \"f32\"}, \"tensors\": {");
    add_tensor(&text, "x", "input", "4, 2, 3");
    add_tensor(&text, "h", "input", "2, 8");
    add_tensor(&text, "w", "param", "8, 11");
    add_tensor(&text, "v", "param", "5, 8");
    strbuf_addf(&text, "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": "
                       "[2, 4, 5]}}, \"graph\": [");
    for (int i = 0; i < STEPS; i++) {
        int step = i == STEPS - 1 ? last : i;

        strbuf_addf(&text,
                    "{\"op\": \"slice\", \"in\": [\"x\"], \"out\": \"s%d\", \"dim\": 0, "
                    "\"start\": %d, \"end\": %d}, {\"op\": \"reshape\", \"in\": [\"s%d\"], "
                    "\"out\": \"x%d\", \"shape\": [2, 3]}, ",
                    i, step, step + 1, i, i);
        strbuf_addf(&text, "{\"op\": \"concat\", \"in\": [\"x%d\", \"h", i);
        if (i > 0)
            strbuf_addf(&text, "%d", i - 1);
        strbuf_addf(&text,
                    "\"], \"out\": \"j%d\", \"dim\": 1}, {\"op\": \"linear\", \"in\": "
                    "[\"j%d\", \"w\"], \"out\": \"l%d\"}, {\"op\": \"tanh\", \"in\": "
                    "[\"l%d\"], \"out\": \"h%d\"}, ",
                    i, i, i, i, i);
        strbuf_addf(&text,
                    "{\"op\": \"linear\", \"in\": [\"h%d\", \"v\"], \"out\": \"o%d\"}, "
                    "{\"op\": \"unsqueeze\", \"in\": [\"o%d\"], \"out\": \"y%d\", "
                    "\"dim\": 1}, ",
                    i, i, i, i);
        strbuf_addf(&joined, "%s\"y%d\"", i > 0 ? ", " : "", i);
    }
    strbuf_addf(&text, "{\"op\": \"concat\", \"in\": [%s], \"out\": \"y\", \"dim\": 1}]}",
                strbuf_cstr(&joined));
    if (problem_parse(problem, strbuf_cstr(&text), text.len, "steps.json", &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
    strbuf_release(&joined);
}

/* Steps that are written one by one are one layer if none is missing. */
static void steps_of_a_recurrent_layer_are_one(void **state)
{
    static const struct {
        int last;
        size_t nodes;
        const char *after;
    } rows[] = {
        {2, 29, ""},
        {3, 6,
         "w1 = slice(w, dim 1, start 0, end 3); w2 = linear(x, w1); "
         "w3 = slice(w, dim 1, start 3, end 11); w4 = rnn(w2, w3, h, nonlinearity tanh)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct algebra algebra = {0};
        struct problem problem = {0};
        struct error err = {0};

        load_steps(&problem, rows[i].last);
        if (algebra_open(&algebra, &problem, ALGEBRA_STAGES, &err))
            fail_msg("%s", err.text);
        assert_string_equal(json_get_string(json_at(algebra.steps, 0), "after", ""), rows[i].after);
        assert_int_equal(algebra.problem->nodes.count, rows[i].nodes);
        algebra_close(&algebra);
        problem_release(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_before_and_after),
        cmocka_unit_test(products_of_products_merge),
        cmocka_unit_test(reversals_and_shifts_are_not_dropped),
        cmocka_unit_test(work_over_features_needs_no_views),
        cmocka_unit_test(parts_of_concatenations_are_operands),
        cmocka_unit_test(a_row_is_multiplied_without_a_reshape),
        cmocka_unit_test(attention_with_long_rows_is_products),
        cmocka_unit_test(layers_with_slices_of_a_weight_are_one),
        cmocka_unit_test(steps_of_a_recurrent_layer_are_one),
    };

    return cmocka_run_group_tests_name("rewrites", tests, NULL, NULL);
}
