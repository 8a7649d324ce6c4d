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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_loaded_before_anything_waits),
        cmocka_unit_test(a_square_is_a_product),
        cmocka_unit_test(lanes_without_work_are_dropped),
        cmocka_unit_test(elements_of_16_bits_are_held_too),
        cmocka_unit_test(a_warp_shares_the_search_for_a_row),
        cmocka_unit_test(independent_results_share_a_launch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
