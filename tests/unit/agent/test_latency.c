/*
 * Tests that the built-in generator's GPU kernels wait for memory, and for launches, as little as
 * possible.
 */
#include "tests/unit/unit.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_candidate.h"
#include "core/model/problem_reader.h"

static char cuda[] = "cuda";
static const struct device_info gpu = {
    .language = cuda, .vector_width_f32 = 1, .compute_units = 132};

static struct candidate design(const char *text, const char *change)
{
    struct schedule schedule = schedule_first(&gpu);
    struct problem problem = {0};
    struct candidate candidate = {0};
    struct error err = {0};

    if (problem_parse(&problem, text, strlen(text), "test", &err) ||
        schedule_change(&schedule, change, &err) ||
        emit_candidate(&problem, cuda, &schedule, &candidate, &err))
        fail_msg("%s", err.text);
    problem_release(&problem);
    return candidate;
}

/* Like strstr(); a NULL text holds nothing. */
static const char *find(const char *text, const char *words)
{
    return text ? strstr(text, words) : NULL;
}

/* The source from its first kernel on. */
static const char *kernel_of(const struct candidate *candidate)
{
    const char *kernel = find(candidate->source, "__global__ void");

    assert_non_null(kernel);
    return kernel;
}

static void assert_order(const char *text, const char *first, const char *second)
{
    const char *at = strstr(text, first);

    if (!at || !strstr(at, second))
        fail_msg("no \"%s\" before \"%s\" in\n%s", first, second, text);
}

static const char norm[] =
    "{\"kforge\": 1, \"name\": \"norm\", \"summary\": \"\", \"dims\": {\"M\": 8, \"N\": 2880}, "
    "\"tensors\": {"
    "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"], "
    "\"fill\": {\"uniform\": [-1, 1]}},"
    "\"r\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"], "
    "\"fill\": {\"uniform\": [-1, 1]}},"
    "\"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [\"N\"], "
    "\"fill\": {\"uniform\": [-1, 1]}},"
    "\"h\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"]},"
    "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"]}},"
    "\"graph\": [{\"op\": \"add\", \"in\": [\"x\", \"r\"], \"out\": \"h\"},"
    "{\"op\": \"pow\", \"in\": [\"h\", 2], \"out\": \"squares\"},"
    "{\"op\": \"mean\", \"in\": [\"squares\"], \"out\": \"mean\", \"dim\": -1, \"keepdim\": true},"
    "{\"op\": \"rsqrt\", \"in\": [\"mean\"], \"out\": \"factor\"},"
    "{\"op\": \"mul\", \"in\": [\"h\", \"factor\"], \"out\": \"scaled\"},"
    "{\"op\": \"mul\", \"in\": [\"scaled\", \"w\"], \"out\": \"y\"}],"
    "\"tolerance\": {\"class\": \"f32\"}}";

/* A load after the reduction would wait for memory a second time. */
static void a_row_is_loaded_before_anything_waits(void **state)
{
    struct candidate candidate = design(norm, "fuse: 1 -> 1");
    const char *kernel = kernel_of(&candidate), *waits = strstr(kernel, "__shfl_xor_sync");

    (void)state;
    assert_order(kernel, "early_x[i] = load_aligned<4>", "early_r[i] = load_aligned<4>");
    assert_order(kernel, "early_w[i] = load_aligned<4>", "early_x[i];");
    assert_non_null(waits);
    assert_null(strstr(waits, "load"));
    candidate_release(&candidate);
}

/*
 * A square is emitted as a product, because pow() takes about fifty operations. The squared sum
 * stays in registers.
 */
static void a_square_is_a_product(void **state)
{
    struct candidate candidate = design(norm, "fuse: 1 -> 1");
    const char *kernel = kernel_of(&candidate);

    (void)state;
    assert_null(strstr(kernel, "pow("));
    assert_non_null(strstr(kernel, "v_squares = v_h * v_h;"));
    assert_non_null(strstr(kernel, "held[i] = v_h;"));
    candidate_release(&candidate);
}

/*
 * A row of 2880 floats is 720 vectors, which take three steps of 240 lanes, two of 360, or one of
 * 720. The lanes are rounded up to whole warps.
 */
static void lanes_without_work_are_dropped(void **state)
{
    static const char *const changes[] = {"lanes: 256 -> 256", "lanes: 256 -> 512",
                                          "lanes: 256 -> 1024"};
    static const char *const lanes[] = {"\"256\"", "\"384\"", "\"736\""};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct candidate candidate = design(norm, changes[i]);

        assert_non_null(find(candidate.plan, lanes[i]));
        candidate_release(&candidate);
    }
}

/* Elements of 16 bits are loaded one by one. They too are all loaded before anything waits. */
static void elements_of_16_bits_are_held_too(void **state)
{
    struct strbuf text = {0};
    struct candidate candidate;
    const char *kernel;

    (void)state;
    for (const char *at = norm; *at;) {
        bool is_type = strncmp(at, "f32\", \"shape", 11) == 0;

        strbuf_adds(&text, is_type ? "f16" : "");
        strbuf_add(&text, at, is_type ? 0 : 1);
        at += is_type ? 3 : 1;
    }
    candidate = design(strbuf_cstr(&text), "fuse: 1 -> 1");
    kernel = kernel_of(&candidate);
    assert_order(kernel, "float early_x[12];", "vload_half");
    assert_order(kernel, "early_w[i] = vload_half", "__shfl_xor_sync");
    assert_null(strstr(strstr(kernel, "__shfl_xor_sync"), "vload_half"));
    strbuf_release(&text);
    candidate_release(&candidate);
}

static const char cache[] =
    "{\"kforge\": 1, \"name\": \"cache\", \"summary\": \"\", \"dims\": {\"T\": 64, \"ROWS\": 448}, "
    "\"tensors\": {"
    "\"k\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"T\", 8, 64], "
    "\"fill\": {\"uniform\": [-1, 1]}},"
    "\"slot\": {\"role\": \"input\", \"dtype\": \"i64\", \"shape\": [\"T\"], "
    "\"fill\": {\"integers\": [0, 447]}},"
    "\"past\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"ROWS\", 8, 64], "
    "\"fill\": {\"uniform\": [-1, 1]}},"
    "\"q\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"T\", 4, 64]},"
    "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"ROWS\", 8, 64]}},"
    "\"graph\": [{\"op\": \"slice\", \"in\": [\"k\"], \"out\": \"q\", \"dim\": 1, \"end\": 4},"
    "{\"op\": \"index_copy\", \"in\": [\"past\", \"slot\", \"k\"], \"out\": \"y\", \"dim\": 0}],"
    "\"tolerance\": {\"class\": \"f32\"}}";

/*
 * The lanes of a warp share the search of the index. If each work-item searched the whole index,
 * the time would grow with each token.
 */
static void a_warp_shares_the_search_for_a_row(void **state)
{
    struct candidate candidate = design(cache, "fuse: 1 -> 1");
    const char *kernel = kernel_of(&candidate);

    (void)state;
    assert_order(kernel, "load_aligned<4>(p_past", "= threadIdx.x % 32;");
    assert_order(kernel, "+= 32) {", "__shfl_xor_sync");
    candidate_release(&candidate);
}

/* One launch computes both results, because neither depends on the other. */
static void independent_results_share_a_launch(void **state)
{
    struct candidate candidate = design(cache, "fuse: 1 -> 1");
    const char *kernel = kernel_of(&candidate);

    (void)state;
    assert_null(strstr(kernel + 1, "__global__"));
    assert_non_null(strstr(kernel, "p_q + "));
    assert_non_null(strstr(kernel, "p_y + "));
    candidate_release(&candidate);
}

/* A thin product, and terms that share most of what they compute at the same place. */
static const char grid[] =
    "{\"kforge\": 1, \"name\": \"grid\", \"summary\": \"\", \"dims\": {}, \"tensors\": {"
    "\"p\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [5000, 3], \"fill\": {\"normal\": "
    "[0, 1]}},"
    "\"w\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [6, 3], \"fill\": {\"normal\": "
    "[0, 1]}},"
    "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [5000, 6]}}, \"tolerance\": "
    "{\"class\": \"f32\"}, \"graph\": ["
    "{\"op\": \"matmul\", \"in\": [\"p\", \"w\"], \"out\": \"m\", \"transpose_b\": true},"
    "{\"op\": \"transpose\", \"in\": [\"m\"], \"out\": \"c0\", \"dim0\": 0, \"dim1\": 1},"
    "{\"op\": \"add\", \"in\": [\"c0\", 1.5], \"out\": \"c1\"},"
    "{\"op\": \"mul\", \"in\": [\"c1\", 1.5], \"out\": \"c2\"},"
    "{\"op\": \"add\", \"in\": [\"c2\", 1.5], \"out\": \"c3\"},"
    "{\"op\": \"mul\", \"in\": [\"c3\", 1.5], \"out\": \"c4\"},"
    "{\"op\": \"add\", \"in\": [\"c4\", 1.5], \"out\": \"c5\"},"
    "{\"op\": \"mul\", \"in\": [\"c5\", 1.5], \"out\": \"c6\"},"
    "{\"op\": \"add\", \"in\": [\"c6\", 1.5], \"out\": \"c7\"},"
    "{\"op\": \"mul\", \"in\": [\"c7\", 1.5], \"out\": \"c8\"},"
    "{\"op\": \"add\", \"in\": [\"c8\", 1.5], \"out\": \"c9\"},"
    "{\"op\": \"mul\", \"in\": [\"c9\", 1.5], \"out\": \"c10\"},"
    "{\"op\": \"add\", \"in\": [\"c10\", 1.5], \"out\": \"c11\"},"
    "{\"op\": \"mul\", \"in\": [\"c11\", 1.5], \"out\": \"c12\"},"
    "{\"op\": \"add\", \"in\": [\"c12\", 1.5], \"out\": \"c13\"},"
    "{\"op\": \"mul\", \"in\": [\"c13\", 1.5], \"out\": \"c14\"},"
    "{\"op\": \"mul\", \"in\": [\"c14\", 2], \"out\": \"a0\"},"
    "{\"op\": \"sub\", \"in\": [\"a0\", \"c14\"], \"out\": \"b0\"},"
    "{\"op\": \"transpose\", \"in\": [\"b0\"], \"out\": \"d0\", \"dim0\": 0, \"dim1\": 1},"
    "{\"op\": \"mul\", \"in\": [\"c14\", 3], \"out\": \"a1\"},"
    "{\"op\": \"sub\", \"in\": [\"a1\", \"c14\"], \"out\": \"b1\"},"
    "{\"op\": \"transpose\", \"in\": [\"b1\"], \"out\": \"d1\", \"dim0\": 0, \"dim1\": 1},"
    "{\"op\": \"add\", \"in\": [\"d0\", \"d1\"], \"out\": \"e1\"},"
    "{\"op\": \"mul\", \"in\": [\"c14\", 4], \"out\": \"a2\"},"
    "{\"op\": \"sub\", \"in\": [\"a2\", \"c14\"], \"out\": \"b2\"},"
    "{\"op\": \"transpose\", \"in\": [\"b2\"], \"out\": \"d2\", \"dim0\": 0, \"dim1\": 1},"
    "{\"op\": \"add\", \"in\": [\"e1\", \"d2\"], \"out\": \"e2\"},"
    "{\"op\": \"mul\", \"in\": [\"c14\", 5], \"out\": \"a3\"},"
    "{\"op\": \"sub\", \"in\": [\"a3\", \"c14\"], \"out\": \"b3\"},"
    "{\"op\": \"transpose\", \"in\": [\"b3\"], \"out\": \"d3\", \"dim0\": 0, \"dim1\": 1},"
    "{\"op\": \"add\", \"in\": [\"e2\", \"d3\"], \"out\": \"e3\"},"
    "{\"op\": \"mul\", \"in\": [\"c14\", 6], \"out\": \"a4\"},"
    "{\"op\": \"sub\", \"in\": [\"a4\", \"c14\"], \"out\": \"b4\"},"
    "{\"op\": \"transpose\", \"in\": [\"b4\"], \"out\": \"d4\", \"dim0\": 0, \"dim1\": 1},"
    "{\"op\": \"add\", \"in\": [\"e3\", \"d4\"], \"out\": \"e4\"},"
    "{\"op\": \"mul\", \"in\": [\"c14\", 7], \"out\": \"a5\"},"
    "{\"op\": \"sub\", \"in\": [\"a5\", \"c14\"], \"out\": \"b5\"},"
    "{\"op\": \"transpose\", \"in\": [\"b5\"], \"out\": \"d5\", \"dim0\": 0, \"dim1\": 1},"
    "{\"op\": \"add\", \"in\": [\"e4\", \"d5\"], \"out\": \"y\"}]}";

/*
 * A kernel counts what it computes once, although many terms read it, and takes a product with sums
 * of three terms.
 */
static void shared_operations_count_once(void **state)
{
    struct candidate candidate = design(grid, "fuse: 1 -> 1");

    (void)state;
    assert_null(strstr(kernel_of(&candidate) + 1, "__global__"));
    candidate_release(&candidate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_loaded_before_anything_waits),
        cmocka_unit_test(a_square_is_a_product),
        cmocka_unit_test(lanes_without_work_are_dropped),
        cmocka_unit_test(elements_of_16_bits_are_held_too),
        cmocka_unit_test(a_warp_shares_the_search_for_a_row),
        cmocka_unit_test(independent_results_share_a_launch),
        cmocka_unit_test(shared_operations_count_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
