#include "tests/unit/builtin_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

/* First candidates for large products on the matrix units of Hopper, with operands in 16 bits. */

/*
 * The candidate for the layer x w -> t of some rows, with a graph behind it that makes y; `other`
 * is the shape of its param o, "" for none.
 */
static struct candidate layer(const char *const sizes[3], const char *other, const char *graph,
                              const char *result)
{
    struct strbuf text = {0}, param = {0};
    struct candidate candidate;

    if (*other)
        strbuf_addf(&param,
                    "\"o\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [%s], "
                    "\"fill\": {\"normal\": [0, 1]}},",
                    other);
    strbuf_addf(
        &text,
        "{\"kforge\": 1, \"name\": \"layer\", \"summary\": \"A layer.\", \"dims\": {},"
        "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%s, %s],"
        " \"fill\": {\"uniform\": [0, 1]}}, \"w\": {\"role\": \"param\", \"dtype\": \"f32\","
        " \"shape\": [%s, %s], \"fill\": {\"normal\": [0, 0.02]}}, %s \"y\": {\"role\": "
        "\"output\", \"dtype\": \"f32\", \"shape\": [%s, %s]}}, \"graph\": [{\"op\": "
        "\"linear\", \"in\": [\"x\", \"w\"], \"out\": \"t\"}, %s], \"tolerance\": "
        "{\"class\": \"mixed\"}}",
        sizes[0], sizes[1], sizes[2], sizes[1], strbuf_cstr(&param), sizes[0], result, graph);
    candidate = builtin_fixture_first(strbuf_cstr(&text));
    strbuf_release(&param);
    strbuf_release(&text);
    return candidate;
}

/*
 * Work-groups stay where a product has tiles for several rounds on the GPU, and those of a large
 * one round its first operand while they multiply.
 */
static void work_groups_stay_for_many_tiles(void **state)
{
    static const char relu[] = "{\"op\": \"relu\", \"in\": [\"t\"], \"out\": \"y\"}";
    static const struct {
        const char *sizes[3], *schedule, *written, *missing;
    } cases[] = {
        {{"16384", "4096", "4096"},
         " cluster=2 turns=1 persist=132 ",
         "round_lines<4096, 4096>(p_x, p_x_rows_0, p_rounded_rows_0, 2048, 16384)",
         "NOTHING"},
        {{"9001", "1032", "3000"},
         " cluster=2 turns=1 persist=132 ",
         "wait_for_lines(p_rounded_rows_0, first_row, 9001)",
         "NOTHING"},
        {{"1024", "8192", "8192"}, " persist=0 ", "tensor_map", "gridDim.x / "},
        {{"5226", "600", "1472"},
         " cluster=2 turns=1 persist=132 ",
         "tile += gridDim.x / 2",
         "NOTHING"},
        {{"4201", "400", "4048"}, " persist=0 ", "tensor_map", "gridDim.x / "},
        {{"2048", "4096", "12288"},
         " cluster=2 turns=1 persist=132 ",
         "tile += gridDim.x / 2",
         "round_lines"},
        {{"16384", "4100", "4096"},
         " cluster=2 turns=1 persist=132 ",
         "tile += gridDim.x / 2",
         "round_lines"},
        {{"16384", "4096", "1024"},
         " cluster=2 turns=1 persist=132 ",
         "tile += gridDim.x / 2",
         "round_lines"},
        {{"512", "512", "512"}, " persist=0 ", "tensor_map", "gridDim.x / "},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct candidate candidate = layer(cases[i].sizes, "", relu, cases[i].sizes[2]);

        assert_non_null(strstr(candidate.source, cases[i].schedule));
        assert_non_null(strstr(candidate.source, cases[i].written));
        assert_null(strstr(candidate.source, cases[i].missing));
        candidate_release(&candidate);
    }
}

/* Copies by TMA read lines in pieces of 128 bytes, so that lines begin where those of caches do. */
static void converted_lines_begin_at_lines_of_the_caches(void **state)
{
    static const char relu[] = "{\"op\": \"relu\", \"in\": [\"t\"], \"out\": \"y\"}";
    static const struct {
        const char *sizes[3], *written, *planned;
    } cases[] = {
        {{"9001", "1032", "3000"}, "round_lines<1032, 1088>(", "\"3000\", \"1088\""},
        {{"1423", "1001", "3045"}, "p_x_rows_0)[(pair * 2) / 2]", "\"1423\", \"1024\""},
        {{"1423", "216", "3045"}, "pair / 112,", "\"3045\", \"224\""}, /* half pieces */
        {{"1423", "40", "3045"}, "tensor_map", "\"3045\", \"40\""},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct candidate candidate = layer(cases[i].sizes, "", relu, cases[i].sizes[2]);

        if (!strstr(candidate.source, cases[i].written) ||
            !strstr(candidate.plan, cases[i].planned))
            fail_msg("%s and %s are missing", cases[i].written, cases[i].planned);
        candidate_release(&candidate);
    }
}

/* The results of a row's tiles are few, so that no warp waits for what others read of them. */
static void each_warp_merges_the_results_of_tiles(void **state)
{
    static const char *const sizes[] = {"15572", "536", "1024"};
    static const char softmax[] =
        "{\"op\": \"softmax\", \"in\": [\"t\"], \"out\": \"y\", \"dim\": 1}";
    struct candidate candidate = layer(sizes, "", softmax, "1024");
    (void)state;

    assert_non_null(strstr(candidate.source, "for (int i = lane % 4; i < 4; i += 4)"));
    assert_non_null(strstr(candidate.source, "for (int others = 2; others > 0; others /= 2)"));
    assert_null(strstr(candidate.source, "shared_most_y"));
    candidate_release(&candidate);
}

/* Ordinary cores keep pace with the memory, which a conversion of the operands would load more. */
static void products_of_small_matrices_are_not_converted(void **state)
{
    static const struct {
        const char *a, *b, *y;
        bool is_converted;
    } cases[] = {{"4096, 16, 64", "4096, 64, 64", "4096, 16, 64", false},
                 {"16384, 3, 3", "16384, 3, 1024", "16384, 3, 1024", false},
                 {"64, 256, 64", "64, 64, 256", "64, 256, 256", true}};
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct strbuf text = {0};
        struct candidate candidate;

        strbuf_addf(&text,
                    "{\"kforge\": 1, \"name\": \"batch\", \"summary\": \"\", \"dims\": {},"
                    "\"tensors\": {\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": "
                    "[%s], \"fill\": {\"uniform\": [0, 1]}}, \"b\": {\"role\": \"input\", "
                    "\"dtype\": \"f32\", \"shape\": [%s], \"fill\": {\"uniform\": [0, 1]}}, "
                    "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [%s]}}, "
                    "\"graph\": [{\"op\": \"matmul\", \"in\": [\"a\", \"b\"], \"out\": \"y\"}], "
                    "\"tolerance\": {\"class\": \"mixed\"}}",
                    cases[i].a, cases[i].b, cases[i].y);
        candidate = builtin_fixture_first(strbuf_cstr(&text));
        assert_int_equal(strstr(candidate.source, "halve_") != NULL, cases[i].is_converted);
        candidate_release(&candidate);
        strbuf_release(&text);
    }
}

/* Small products of the same candidate have no pairs of work-groups. */
static void the_other_products_have_no_pairs(void **state)
{
    static const char *const sizes[] = {"16384", "2048", "4096"};
    struct candidate candidate =
        layer(sizes, "64, 4096, 128",
              "{\"op\": \"reshape\", \"in\": [\"t\"], \"out\": \"u\", \"shape\": [64, 256, 4096]}, "
              "{\"op\": \"matmul\", \"in\": [\"u\", \"o\"], \"out\": \"z\"},"
              "{\"op\": \"reshape\", \"in\": [\"z\"], \"out\": \"y\", \"shape\": [16384, 128]}",
              "128");
    const char *second = strstr(candidate.source, " matmul_2(");
    (void)state;

    assert_non_null(strstr(candidate.source, " cluster=2 turns=1 persist=132 "));
    assert_non_null(second);
    assert_non_null(strstr(second, "const int batch"));
    assert_null(strstr(second, "copy_box_to_all"));
    candidate_release(&candidate);
}

/* The operand of the next product is stored in whole runs of columns, as it is rounded. */
static void the_next_operand_is_stored_in_runs(void **state)
{
    static const char *const sizes[] = {"4096", "2048", "4096"};
    struct candidate candidate =
        layer(sizes, "1024, 4096",
              "{\"op\": \"sigmoid\", \"in\": [\"t\"], \"out\": \"u\"}, {\"op\": \"linear\", "
              "\"in\": [\"u\", \"o\"], \"out\": \"y\"}",
              "1024");
    (void)state;

    assert_non_null(strstr(candidate.source, "store_runs(packed_u_rows_1, p_u_rows_1 + "));
    candidate_release(&candidate);
}

/* Operands that are the same in each row are loaded once for four rows. */
static void columns_are_loaded_once_for_several_rows(void **state)
{
    static const char *const sizes[] = {"16384", "1024", "4096"};
    struct candidate candidate = layer(
        sizes, "4096",
        "{\"op\": \"mean\", \"in\": [\"t\"], \"out\": \"m\", \"dim\": [0], \"keepdim\": true},"
        "{\"op\": \"sub\", \"in\": [\"t\", \"m\"], \"out\": \"d\"},"
        "{\"op\": \"mul\", \"in\": [\"d\", \"o\"], \"out\": \"y\"}",
        "4096");
    (void)state;

    assert_non_null(strstr(candidate.source, "for (int part = 0; part < 4; part++) {\n"
                                             "        const int row = 16384 - 1 - "));
    assert_non_null(strstr(candidate.plan, "16384 / 4 * align("));
    candidate_release(&candidate);
}

/* A router's eight columns come first, and would leave f32 products on ordinary cores. */
static void the_largest_product_decides_the_tile(void **state)
{
    struct candidate candidate = builtin_fixture_first(
        "{\"kforge\": 1, \"name\": \"routed\", \"summary\": \"A routed layer.\", \"dims\": {},"
        "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [2048, 1024],"
        " \"fill\": {\"normal\": [0, 1]}}, \"r\": {\"role\": \"param\", \"dtype\": \"f32\","
        " \"shape\": [8, 1024], \"fill\": {\"normal\": [0, 1]}}, \"w\": {\"role\": \"param\","
        " \"dtype\": \"f32\", \"shape\": [704, 1024], \"fill\": {\"normal\": [0, 1]}},"
        "\"s\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [2048, 8]},"
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [2048, 704]}}, \"graph\": ["
        "{\"op\": \"linear\", \"in\": [\"x\", \"r\"], \"out\": \"s\"},"
        "{\"op\": \"linear\", \"in\": [\"x\", \"w\"], \"out\": \"y\"}],"
        " \"tolerance\": {\"class\": \"f32\"}}");

    (void)state;
    assert_non_null(strstr(candidate.source, " matrix=3 "));
    candidate_release(&candidate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_groups_stay_for_many_tiles),
        cmocka_unit_test(converted_lines_begin_at_lines_of_the_caches),
        cmocka_unit_test(each_warp_merges_the_results_of_tiles),
        cmocka_unit_test(products_of_small_matrices_are_not_converted),
        cmocka_unit_test(the_other_products_have_no_pairs),
        cmocka_unit_test(the_next_operand_is_stored_in_runs),
        cmocka_unit_test(columns_are_loaded_once_for_several_rows),
        cmocka_unit_test(the_largest_product_decides_the_tile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
