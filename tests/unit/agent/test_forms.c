#include "tests/unit/builtin_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "core/model/problem_reader.h"

/* The text of a problem whose graph is one operation on two inputs, with a class of tolerance. */
static char *problem_of_class(const char *a, const char *b, const char *y, const char *operation,
                              const char *class)
{
    struct strbuf text = {0};

    strbuf_addf(&text,
                "{\"kforge\": 1, \"name\": \"binary\", \"summary\": \"Two.\", \"dims\": {},"
                "\"tensors\": {\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%s],"
                " \"fill\": {\"normal\": [0, 1]}}, \"b\": {\"role\": \"param\", \"dtype\": \"f32\","
                " \"shape\": [%s], \"fill\": {\"normal\": [0, 1]}}, \"y\": {\"role\": \"output\","
                " \"dtype\": \"f32\", \"shape\": [%s]}}, \"graph\": [{\"op\": \"%s, \"in\": "
                "[\"a\", \"b\"], \"out\": \"y\"}], \"tolerance\": {\"class\": \"%s\"}}",
                a, b, y, operation, class);
    return strbuf_take(&text);
}

static char *binary_problem(const char *a, const char *b, const char *y, const char *operation)
{
    return problem_of_class(a, b, y, operation, "f32");
}

/* Shapes for which the usual kernel of their operation is many times too slow on a GPU. */
static void rare_shapes_have_kernels_of_their_own(void **state)
{
    static const struct {
        const char *a, *b, *y, *operation;
        const char *said, *written; /* in the remark, and in the source */
    } rows[] = {
        {"2048, 65536", "65536, 1", "2048, 1", "matmul\"", "mul + sum.", "rows_0"},
        {"11, 32340", "47, 32340", "11, 47", "linear\"", "Kernels: mul + sum.", "rows_0"},
        {"16, 1024, 2048", "2048, 768", "16, 1024, 768", "matmul\"", "Kernels: matmul.",
         "tensor_map"},
        {"8, 64, 32, 32", "64, 32, 3, 3", "8, 32, 34, 34", "conv_transpose2d\"",
         "Kernels: conv_transpose2d.", "multiply_32_parts(added"},
        {"8, 3, 64, 64", "96, 3, 3, 3", "8, 96, 62, 62", "conv2d\", \"padding\": [0, 0]",
         "Kernels: conv2d.", "multiply_96_parts(added"},
        {"8, 16, 64, 64", "4, 16, 3, 3", "8, 4, 62, 62", "conv2d\", \"padding\": [0, 0]",
         "Kernels: conv2d.", "matrix=0"},
        {"8, 64, 32, 32", "64, 1, 3, 3", "8, 64, 30, 30",
         "conv2d\", \"groups\": 64, \"padding\": [0, 0]", "Kernels: conv2d.", "total[l]"},
        {"8, 16, 32, 32", "16, 32, 3, 3", "8, 32, 158, 158",
         "conv_transpose2d\", \"stride\": [5, 5], \"padding\": [1, 1], \"dilation\": [2, 2]",
         "Kernels: conv_transpose2d.", "results[i]"},
        {"2, 64, 7, 7", "32, 64, 3, 3", "2, 32, 7, 7", "conv2d\", \"padding\": [1, 1]",
         "Kernels: conv2d.", "conv2d_0_sums"},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = binary_problem(rows[i].a, rows[i].b, rows[i].y, rows[i].operation);
        struct candidate candidate = builtin_fixture_first(text);

        assert_non_null(strstr(candidate.remark, rows[i].said));
        assert_non_null(strstr(candidate.source, rows[i].written));
        candidate_release(&candidate);
        free(text);
    }
}

/* A reshape between two kernels is another name of the buffer that the first one writes. */
static void reshapes_have_no_kernel(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"views\", \"summary\": \"Two.\", \"dims\": {}, \"tensors\": {"
        "\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [512, 256],"
        " \"fill\": {\"normal\": [0, 1]}}, \"b\": {\"role\": \"input\", \"dtype\": \"f32\","
        " \"shape\": [8, 256, 64], \"fill\": {\"normal\": [0, 1]}}, \"y\": {\"role\":"
        " \"output\", \"dtype\": \"f32\", \"shape\": [8, 64, 64]}}, \"graph\": ["
        "{\"op\": \"softmax\", \"in\": [\"a\"], \"out\": \"t\", \"dim\": -1},"
        "{\"op\": \"reshape\", \"in\": [\"t\"], \"out\": \"turned\", \"shape\": [8, 64, 256]},"
        "{\"op\": \"matmul\", \"in\": [\"turned\", \"b\"], \"out\": \"y\"}],"
        "\"tolerance\": {\"class\": \"f32\"}}";
    struct candidate candidate = builtin_fixture_first(text);
    (void)state;

    assert_non_null(strstr(candidate.remark, "reshape"));
    assert_null(strstr(candidate.source, "places_"));
    assert_null(strstr(candidate.plan, "\"turned\""));
    candidate_release(&candidate);
}

/* Work-groups do not wait for each other, so a kernel reads no buffer that it writes. */
static void what_a_launch_writes_the_next_one_reads(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"two\", \"summary\": \"Two.\", \"dims\": {}, \"tensors\": {"
        "\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [8, 32],"
        " \"fill\": {\"normal\": [0, 1]}}, \"first\": {\"role\": \"output\", \"dtype\": \"f32\","
        " \"shape\": [8, 32]}, \"second\": {\"role\": \"output\", \"dtype\": \"f32\","
        " \"shape\": [8, 32]}, \"y\": {\"role\": \"output\", \"dtype\": \"f32\","
        " \"shape\": [8, 16]}}, \"graph\": ["
        "{\"op\": \"exp\", \"in\": [\"a\"], \"out\": \"first\"},"
        "{\"op\": \"tanh\", \"in\": [\"first\"], \"out\": \"second\"},"
        "{\"op\": \"slice\", \"in\": [\"second\"], \"out\": \"y\", \"dim\": 1, \"end\": 16}],"
        "\"tolerance\": {\"class\": \"f32\"}}";
    struct candidate candidate = builtin_fixture_first(text);
    (void)state;

    assert_non_null(strstr(candidate.source, "const float *restrict p_first, float *"));
    assert_non_null(strstr(candidate.source, "const float *restrict p_second, float *"));
    candidate_release(&candidate);
}

/* The result of the first product chooses rows; only the second one may have rounded operands. */
static void a_product_that_decides_is_not_rounded(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"choice\", \"summary\": \"One.\", \"dims\": {}, \"tensors\": {"
        "\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [512, 64],"
        " \"fill\": {\"normal\": [0, 1]}}, \"codes\": {\"role\": \"param\", \"dtype\": \"f32\","
        " \"shape\": [128, 64], \"fill\": {\"normal\": [0, 1]}}, \"w\": {\"role\": \"param\","
        " \"dtype\": \"f32\", \"shape\": [96, 64], \"fill\": {\"normal\": [0, 1]}},"
        " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [512, 96]}}, \"graph\": ["
        "{\"op\": \"linear\", \"in\": [\"a\", \"codes\"], \"out\": \"near\"},"
        "{\"op\": \"argmax\", \"in\": [\"near\"], \"out\": \"i\", \"dim\": [1]},"
        "{\"op\": \"index_select\", \"in\": [\"codes\", \"i\"], \"out\": \"q\", \"dim\": 0},"
        "{\"op\": \"linear\", \"in\": [\"q\", \"w\"], \"out\": \"y\"}],"
        "\"tolerance\": {\"class\": \"mixed\"}}";
    struct candidate candidate = builtin_fixture_first(text);
    (void)state;

    assert_null(strstr(candidate.source, "a_rows"));
    assert_null(strstr(candidate.source, "codes_columns"));
    assert_non_null(strstr(candidate.source, "w_columns"));
    candidate_release(&candidate);
}

/* The sums of a softmax are those of the rounded numbers that its other kernel reads. */
static void partial_results_are_of_what_is_stored(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"shares\", \"summary\": \"One.\", \"dims\": {}, \"tensors\": {"
        "\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [256, 512],"
        " \"fill\": {\"normal\": [0, 1]}}, \"w\": {\"role\": \"param\", \"dtype\": \"f32\","
        " \"shape\": [1024, 512], \"fill\": {\"normal\": [0, 1]}}, \"y\": {\"role\": \"output\","
        " \"dtype\": \"f32\", \"shape\": [256, 1024]}}, \"graph\": ["
        "{\"op\": \"linear\", \"in\": [\"a\", \"w\"], \"out\": \"t\"},"
        "{\"op\": \"softmax\", \"in\": [\"t\"], \"out\": \"y\", \"dim\": -1}],"
        "\"tolerance\": {\"class\": \"mixed\"}}";
    struct candidate candidate = builtin_fixture_first(text);
    const char *most;
    (void)state;

    most = strstr(candidate.source, "v_t = stored;");
    assert_non_null(most);
    assert_non_null(strstr(most + 1, "v_t = stored;"));
    candidate_release(&candidate);
}

/* Elements are divided by their row's number without a branch, unless an approximate one does. */
static void a_row_shares_its_divisor(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"shares\", \"summary\": \"One.\", \"dims\": {}, \"tensors\": {"
        "\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [256, 512],"
        " \"fill\": {\"normal\": [0, 1]}}, \"y\": {\"role\": \"output\", \"dtype\": \"f32\","
        " \"shape\": [256, 512]}}, \"graph\": [{\"op\": \"sum\", \"in\": [\"a\"], \"out\": \"t\", "
        "\"dim\": [1], \"keepdim\": true},"
        "{\"op\": \"div\", \"in\": [\"a\", \"t\"], \"out\": \"u\"},"
        "{\"op\": \"div\", \"in\": [\"u\", 3], \"out\": \"y\"}],"
        "\"tolerance\": {\"class\": \"%s\"}}";
    (void)state;

    for (int is_mixed = 0; is_mixed < 2; is_mixed++) {
        struct strbuf problem = {0};
        struct candidate candidate;

        strbuf_addf(&problem, text, is_mixed ? "mixed" : "f32");
        candidate = builtin_fixture_first(strbuf_cstr(&problem));
        assert_int_equal(!is_mixed, strstr(candidate.source, "v_a / by_t;") != NULL);
        assert_int_equal(!is_mixed, strstr(candidate.source, "/ shared_divisor(3.0f)") != NULL);
        candidate_release(&candidate);
        strbuf_release(&problem);
    }
}

/* Kernels for a CPU load and store neighbours, also those of rare shapes. */
/*
 * A work-group stores both phases of a line, and rounds what it loads where a kernel that rounds
 * the operand ahead would take longer than it saves. Few filters, and a few rows of long sums, stay
 * on the ordinary cores.
 */
static void rounded_operands_have_faster_kernels(void **state)
{
    static const struct {
        const char *a, *b, *y, *operation, *class;
        const char *written, *missing; /* in the source */
    } rows[] = {
        {"8, 64, 32, 32", "64, 32, 3, 3", "8, 32, 65, 65", "conv_transpose2d\", \"stride\": [2, 2]",
         "f32", "kept[i * 256] = sums[i]", "frame_0"},
        {"8, 64, 32, 32", "64, 32, 3, 3", "8, 32, 65, 65", "conv_transpose2d\", \"stride\": [2, 2]",
         "mixed", "kept[i * 256] = sums[i]", "frame_0"},
        {"8, 64, 64, 64", "64, 64, 3, 3", "8, 64, 64, 64", "conv2d\", \"padding\": [1, 1]", "mixed",
         "frame_0", "kept"},
        {"8, 64, 64, 64", "128, 64, 3, 3", "8, 128, 62, 62", "conv2d\"", "mixed",
         "multiply_128(sums, a + i * 2", "frame_0"},
        {"8, 3, 64, 64", "64, 3, 5, 5", "8, 64, 60, 60", "conv2d\"", "mixed",
         "multiply_64(sums, a + i * 2", "frame_0"},
        {"8, 64, 64, 64", "64, 64, 1, 1", "8, 64, 64, 64", "conv2d\"", "mixed",
         "multiply_64(sums, a + i * 2", "frame_0"},
        {"2, 6, 99, 99", "9, 2, 3, 3", "2, 9, 97, 97", "conv2d\", \"groups\": 3", "mixed", "fma(",
         "multiply_16"},
        {"11, 4096", "47, 4096", "11, 47", "linear\"", "mixed", "rows_0", "linear_0"},
        {"3, 34, 20, 26", "10, 34, 3, 3", "3, 10, 18, 24", "conv2d\"", "f32", "a_block[4][32]",
         "a_block[6][4]"},
        {"150, 192", "96, 192", "150, 96", "linear\"", "f32", "a_block[4][32]", "a_block[4][16]"},
        {"165, 40", "48, 40", "165, 48", "linear\"", "mixed", "fma(", "halve_"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text =
            problem_of_class(rows[i].a, rows[i].b, rows[i].y, rows[i].operation, rows[i].class);
        struct candidate candidate = builtin_fixture_first(text);

        if (!strstr(candidate.source, rows[i].written) || strstr(candidate.source, rows[i].missing))
            fail_msg("row %zu: %s", i, candidate.source);
        candidate_release(&candidate);
        free(text);
    }
}

static void a_cpu_reads_neighbours(void **state)
{
    static const struct {
        const char *a, *b, *y, *operation;
        const char *written, *missing; /* in the source; NULL: nothing */
    } rows[] = {
        {"2, 6, 9, 11", "6, 8, 3, 3", "2, 8, 17, 21",
         "conv_transpose2d\", \"stride\": [2, 2], \"padding\": [1, 1]", "woven[i]", "pack_1"},
        {"2, 6, 9, 11", "6, 8, 3, 3", "2, 8, 11, 13", "conv_transpose2d\"", "tile[i][j] = fma(",
         "woven"},
        {"2048, 512", "512, 1", "2048, 1", "matmul\"", "rows_0", "panels"},
        {"64, 96", "96, 40", "64, 40", "matmul\"", "from + l * 16", NULL},
        {"3, 96", "96, 64", "3, 64", "matmul\"", "tile[i][j] = fma(", "panels"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = binary_problem(rows[i].a, rows[i].b, rows[i].y, rows[i].operation);
        struct candidate candidate = builtin_fixture_first_on(&builtin_fixture_cpu, text);

        if (!strstr(candidate.source, rows[i].written))
            fail_msg("no %s in %s", rows[i].written, candidate.source);
        if (rows[i].missing && strstr(candidate.source, rows[i].missing))
            fail_msg("%s in %s", rows[i].missing, candidate.source);
        candidate_release(&candidate);
        free(text);
    }
}

/* The analyst says why a convolution or a product stays on the ordinary cores. */
static void an_obstacle_to_matrix_units_is_evidence(void **state)
{
    static const struct {
        const char *a, *b, *y, *operation, *said; /* NULL: nothing */
    } rows[] = {
        {"8, 16, 64, 64", "4, 16, 3, 3", "8, 4, 62, 62", "conv2d\", \"padding\": [0, 0]",
         "conv2d on the ordinary cores: a group has too few filters"},
        {"8, 16, 64, 64", "64, 16, 3, 3", "8, 64, 62, 62", "conv2d\", \"padding\": [0, 0]", NULL},
        {"512, 512", "512, 63", "512, 63", "matmul\"",
         "matmul on the ordinary cores: operands in three parts are estimated to take longer"},
        {"4096, 4096", "4096, 4096", "4096, 4096", "matmul\"", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct problem problem = {0};
        struct verdict timed = builtin_fixture_timed();
        struct brief brief = {.problem = &problem, .device = &builtin_fixture_hopper, .attempt = 1};
        char *text = binary_problem(rows[i].a, rows[i].b, rows[i].y, rows[i].operation), *reply;
        struct candidate candidate;
        struct error err;

        if (problem_parse(&problem, text, strlen(text), "binary.json", &err))
            fail_msg("%s", err.text);
        candidate = builtin_fixture_generate(&brief);
        brief.previous = &candidate;
        brief.verdict = &timed;
        reply = builtin_fixture_ask(TASK_ANALYSE, &brief);
        if (rows[i].said ? !strstr(reply, rows[i].said) : !!strstr(reply, "ordinary cores"))
            fail_msg("%s", reply);
        free(reply);
        candidate_release(&candidate);
        verdict_release(&timed);
        problem_release(&problem);
        free(text);
    }
}

/* Tiles of long rows have a part of the columns, so that no work-item keeps a whole row. */
static void attention_with_long_rows_has_parts(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"rows\", \"summary\": \"\", \"dims\": {}, \"tensors\": "
        "{\"q\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [64, 512, 1024], \"fill\": "
        "{\"uniform\": [0, 1]}}, \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": "
        "[64, 512, 1024]}}, \"graph\": [{\"op\": \"scaled_dot_product_attention\", \"in\": [\"q\", "
        "\"q\", \"q\"], \"out\": \"y\", \"is_causal\": true}], "
        "\"tolerance\": {\"class\": \"f32\"}}";
    struct candidate candidate = builtin_fixture_first(text);

    (void)state;
    assert_non_null(strstr(candidate.source, "vec<float, 4> sums[2][16];"));
    assert_non_null(strstr(candidate.source, "step < 1024; step += 128"));
    candidate_release(&candidate);
}

/* A result without axes has one element, which no vector may hold: it would reach past the end. */
static void a_scalar_has_no_vectors(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"scalar\", \"summary\": \"\", \"dims\": {}, \"tensors\": "
        "{\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 64], \"fill\": "
        "{\"uniform\": [0, 1]}}, \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": "
        "[]}}, "
        "\"graph\": [{\"op\": \"linear\", \"in\": [\"a\", \"a\"], \"out\": \"product\"}, "
        "{\"op\": \"reshape\", \"in\": [\"product\"], \"out\": \"scalar\", \"shape\": []}, "
        "{\"op\": \"sum\", \"in\": [\"a\"], \"out\": \"total\"}, "
        "{\"op\": \"sub\", \"in\": [\"scalar\", \"total\"], \"out\": \"y\"}], "
        "\"tolerance\": {\"class\": \"f32\"}}";
    const struct device_info *devices[] = {&builtin_fixture_cpu, &builtin_fixture_hopper};
    (void)state;

    for (size_t i = 0; i < COUNT(devices); i++) {
        struct candidate candidate = builtin_fixture_first_on(devices[i], text);

        assert_non_null(strstr(candidate.source, "p_y[0] = "));
        assert_null(strstr(candidate.source, "p_y + 0"));
        candidate_release(&candidate);
    }
}

/* A number that a tensor holds is the same for each group of channels, also where the batch has one
 * row. */
static void a_number_after_a_group_norm_is_one_for_all_groups(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"scaled\", \"summary\": \"A norm.\", \"dims\": {}, "
        "\"tensors\": {"
        "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [1, 36], \"fill\": "
        "{\"normal\": [0, 1]}},"
        "\"s\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [], \"fill\": {\"normal\": "
        "[0, 1]}},"
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [1, 36]}}, \"graph\": ["
        "{\"op\": \"group_norm\", \"in\": [\"x\"], \"out\": \"t\", \"num_groups\": 4},"
        "{\"op\": \"mul\", \"in\": [\"t\", \"s\"], \"out\": \"y\"}],"
        "\"tolerance\": {\"class\": \"f32\"}}";
    struct candidate candidate = builtin_fixture_first_on(&builtin_fixture_cpu, text);

    (void)state;
    assert_non_null(strstr(candidate.remark, "group_norm + mul"));
    assert_non_null(strstr(candidate.source, "p_s[0]"));
    assert_null(strstr(candidate.source, "p_s[row]"));
    candidate_release(&candidate);
}

/* To wake a thread takes longer than small work; large work has all threads. */
static void small_work_has_few_threads(void **state)
{
    static char c_language[] = "c";
    const struct device_info device = {
        .language = c_language, .is_cpu = true, .vector_width_f32 = 16};
    static const struct {
        const char *a, *y, *threads;
    } rows[] = {
        {"16, 24", "16, 32", "\"threads\":\t\"1\""},
        {"1024, 24", "1024, 32", "\"threads\":\t\"15\""},
        {"262144, 24", "262144, 32", "\"threads\":\t\"all\""},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = binary_problem(rows[i].a, "32, 24", rows[i].y, "linear\"");
        struct candidate candidate = builtin_fixture_first_on(&device, text);

        assert_non_null(strstr(candidate.plan, rows[i].threads));
        candidate_release(&candidate);
        free(text);
    }
}

/* A chain of operations on elements, however long, has one kernel. */
static void long_chains_have_one_kernel(void **state)
{
    struct strbuf text = {0};
    struct candidate candidate;
    size_t launches = 0;
    (void)state;

    strbuf_adds(&text,
                "{\"kforge\": 1, \"name\": \"chain\", \"summary\": \"One.\", \"dims\": {},"
                "\"tensors\": {\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": "
                "[4096, 512], \"fill\": {\"normal\": [0, 1]}}, \"y\": {\"role\": \"output\", "
                "\"dtype\": \"f32\", \"shape\": [4096, 512]}}, \"graph\": [");
    for (int i = 0; i < 50; i++)
        strbuf_addf(&text, "{\"op\": \"sin\", \"in\": [\"%s%.0d\"], \"out\": \"t%d\"}, ",
                    i ? "t" : "a", i, i + 1);
    strbuf_adds(&text, "{\"op\": \"mul\", \"in\": [\"t50\", \"a\"], \"out\": \"y\"}], "
                       "\"tolerance\": {\"class\": \"f32\"}}");
    candidate = builtin_fixture_first(strbuf_cstr(&text));
    for (const char *at = candidate.plan; (at = strstr(at, "\"kernel\"")); at++)
        launches++;
    assert_int_equal(launches, 1);
    candidate_release(&candidate);
    strbuf_release(&text);
}

/* Each step reads the one before twice, so there are 2^40 paths through the graph. */
static void a_graph_of_many_paths_is_searched_once(void **state)
{
    struct strbuf text = {0};
    struct candidate candidate;
    (void)state;

    strbuf_adds(&text,
                "{\"kforge\": 1, \"name\": \"paths\", \"summary\": \"One.\", \"dims\": {},"
                "\"tensors\": {\"t0\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": "
                "[4096, 512], \"fill\": {\"normal\": [0, 1]}}, \"y\": {\"role\": \"output\", "
                "\"dtype\": \"f32\", \"shape\": [4096, 512]}}, \"graph\": [");
    for (int i = 0; i < 40; i++)
        strbuf_addf(
            &text,
            "{\"op\": \"slice\", \"in\": [\"t%d\"], \"out\": \"a%d\", \"dim\": 1, \"end\": 256}, "
            "{\"op\": \"slice\", \"in\": [\"t%d\"], \"out\": \"b%d\", \"dim\": 1, \"start\": 256}, "
            "{\"op\": \"concat\", \"in\": [\"b%d\", \"a%d\"], \"out\": \"t%d\", \"dim\": 1}, ",
            i, i, i, i, i, i, i + 1);
    strbuf_adds(&text,
                "{\"op\": \"slice\", \"in\": [\"t40\"], \"out\": \"c\", \"dim\": 1, \"end\": 1}, "
                "{\"op\": \"add\", \"in\": [\"t0\", \"c\"], \"out\": \"y\"}], "
                "\"tolerance\": {\"class\": \"f32\"}}");
    candidate = builtin_fixture_first(strbuf_cstr(&text));
    assert_non_null(candidate.source);
    candidate_release(&candidate);
    strbuf_release(&text);
}

/* A work-item computes lines of a volume: each step along the depth has whole planes of weights. */
static void few_filters_of_volumes_find_their_weights(void **state)
{
    struct candidate candidate = builtin_fixture_first(
        "{\"kforge\": 1, \"name\": \"volume\", \"summary\": \"\", \"dims\": {}, \"tolerance\": "
        "{\"class\": \"f32\"}, \"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", "
        "\"shape\": [2, 8, 16, 20, 24], \"fill\": {\"uniform\": [0, 1]}}, \"w\": {\"role\": "
        "\"param\", \"dtype\": \"f32\", \"shape\": [1, 8, 2, 3, 5], \"fill\": {\"uniform\": [0, "
        "1]}}, \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [2, 1, 15, 18, 20]}}, "
        "\"graph\": [{\"op\": \"conv3d\", \"in\": [\"x\", \"w\"], \"out\": \"y\"}]}");

    (void)state;
    assert_non_null(strstr(candidate.source, "weights[((0 * 2 + k2) * 3 + reach / 1) * 5 + k]"));
    candidate_release(&candidate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_filters_of_volumes_find_their_weights),
        cmocka_unit_test(a_graph_of_many_paths_is_searched_once),
        cmocka_unit_test(long_chains_have_one_kernel),
        cmocka_unit_test(rare_shapes_have_kernels_of_their_own),
        cmocka_unit_test(small_work_has_few_threads),
        cmocka_unit_test(a_number_after_a_group_norm_is_one_for_all_groups),
        cmocka_unit_test(rounded_operands_have_faster_kernels),
        cmocka_unit_test(reshapes_have_no_kernel),
        cmocka_unit_test(what_a_launch_writes_the_next_one_reads),
        cmocka_unit_test(a_product_that_decides_is_not_rounded),
        cmocka_unit_test(partial_results_are_of_what_is_stored),
        cmocka_unit_test(a_row_shares_its_divisor),
        cmocka_unit_test(a_cpu_reads_neighbours),
        cmocka_unit_test(an_obstacle_to_matrix_units_is_evidence),
        cmocka_unit_test(attention_with_long_rows_has_parts),
        cmocka_unit_test(a_scalar_has_no_vectors)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
