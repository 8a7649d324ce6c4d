#include "tests/unit/builtin_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/agents.h"
#include "core/agent/builtin/emit/emit_candidate.h"
#include "core/model/problem_reader.h"
#include "core/system/loop.h"

/*
 * Tests of the built-in agents: the way in which they answer, and the first kernels that the
 * generator writes.
 */

static char cpu_language[] = "opencl", cuda_language[] = "cuda";

/* Shipped problems, one for each family of kernels that the other tests leave out. */
static const char *const others[] = {"attention", "bias_rope_kv_update", "conv2d_bias_relu",
                                     "cumsum",    "groupnorm_silu",      "max_pool2d",
                                     "transpose", "moe_finalize"};
enum { OTHERS_COUNT = sizeof(others) / sizeof(*others) };

/* Set each knob to each of its values, one at a time; every candidate must have a valid plan. */
static void check_schedules(const struct problem *problem, const struct device_info *device)
{
    struct error err = {0};

    for (size_t k = 0; k < KNOB_COUNT; k++)
        for (size_t i = 0; i < knob_table[k].count; i++) {
            struct schedule schedule = schedule_first(device);
            struct candidate candidate = {0};

            schedule.of[k] = knob_table[k].values[i];
            if (schedule_check(&schedule, NULL))
                continue;
            if (emit_candidate(problem, device->language, &schedule, &candidate, &err))
                fail_msg("%s", err.text);
            builtin_fixture_check_plan(problem, &candidate);
            candidate_release(&candidate);
        }
}

static void every_schedule_has_a_plan(void **state)
{
    (void)state;
    for (size_t p = 0; p < BUILTIN_FIXTURE_PROBLEMS + OTHERS_COUNT; p++) {
        struct problem problem = builtin_fixture_load(p < BUILTIN_FIXTURE_PROBLEMS
                                                          ? builtin_fixture_problems[p]
                                                          : others[p - BUILTIN_FIXTURE_PROBLEMS]);

        check_schedules(&problem, &builtin_fixture_cpu);
        check_schedules(&problem, &builtin_fixture_hopper);
        problem_release(&problem);
    }
}

static void the_first_answer_fuses_the_graph(void **state)
{
    (void)state;
    for (size_t p = 0; p < BUILTIN_FIXTURE_PROBLEMS; p++) {
        struct problem problem = builtin_fixture_load(builtin_fixture_problems[p]);
        struct brief brief = {.problem = &problem, .device = &builtin_fixture_cpu, .attempt = 1};
        struct candidate candidate = builtin_fixture_generate(&brief);
        struct json *plan = json_parse(candidate.plan, strlen(candidate.plan), NULL);

        assert_int_equal(json_count(json_get(plan, "launches")), 1);
        assert_null(strstr(candidate.plan, "\"t\""));
        assert_non_null(strstr(candidate.remark, "Kernels: "));
        json_free(plan);
        candidate_release(&candidate);
        problem_release(&problem);
    }
}

/*
 * The schedule of a reference is the first one: whole on the same kind of device, in part on the
 * other kind. The remark says what was taken, or why nothing was.
 */
static void the_schedule_of_a_reference_is_the_first(void **state)
{
    static const struct {
        const char *reference, *verdict, *tile, *said;
        bool is_hopper;
    } rows[] = {
        {"Words\n```c\n// schedule: fuse=1 group=1 tile_m=8 tile_n=16 unroll=4\n", NULL, "tile_m=8",
         "tile_m: 4 -> 8", false},
        {"// schedule: fuse=1 group=256 tile_m=8 fold=1\n", NULL, "tile_m=4", "fold: 0 -> 1",
         false},
        {"void other(void);\n", NULL, "tile_m=4", "no schedule of the built-in agents", false},
        {"// schedule: fuse=1 group=1 tile_m=8\n", "wrong", "tile_m=4",
         "not correct on this device", false},
        /* from a device without matrix units */
        {"// schedule: fuse=1 group=256 tile_m=4 matrix=0\n", NULL, " matrix=3", "The reference's",
         true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct problem problem = builtin_fixture_load("linear_gelu");
        struct brief brief = {.problem = &problem,
                              .device = rows[i].is_hopper ? &builtin_fixture_hopper
                                                          : &builtin_fixture_cpu,
                              .attempt = 1,
                              .reference = rows[i].reference,
                              .reference_name = "kernel.cl",
                              .reference_verdict = rows[i].verdict};
        struct candidate candidate = builtin_fixture_generate(&brief);

        assert_non_null(strstr(candidate.source, rows[i].tile));
        assert_non_null(strstr(candidate.remark, rows[i].said));
        builtin_fixture_check_plan(&problem, &candidate);
        candidate_release(&candidate);
        problem_release(&problem);
    }
}

/* The device selects the dialect: no kernel contains words of the other language. */
static void a_kernel_is_in_the_language_of_the_device(void **state)
{
    const struct device_info gpus[] = {{.language = cpu_language}, {.language = cuda_language}};
    static const char *const words[] = {"get_group_id(0)", "blockIdx.x"};

    (void)state;
    for (size_t g = 0; g < 2; g++) {
        struct problem problem = builtin_fixture_load("softmax");
        struct brief brief = {.problem = &problem, .device = &gpus[g], .attempt = 1};
        char *reply = builtin_fixture_ask(TASK_GENERATE, &brief);

        assert_non_null(strstr(reply, words[g]));
        assert_null(strstr(reply, words[1 - g]));
        free(reply);
        problem_release(&problem);
    }
}

/*
 * Operands are rounded for matrix units where the tolerance permits it. After wrong values the
 * generator goes from f16 to bf16, and then does without matrix units.
 */
static void operands_are_rounded_for_matrix_units(void **state)
{
    struct problem mixed = builtin_fixture_load_from("tests/contract/problems", "mixed");
    struct verdict wrong = {.outcome = OUTCOME_WRONG_VALUES};
    struct brief brief = {.problem = &mixed, .device = &builtin_fixture_hopper, .attempt = 1};
    struct candidate halves = builtin_fixture_generate(&brief), bfloats;

    (void)state;
    assert_non_null(strstr(halves.plan, "tensor_map"));
    assert_non_null(strstr(halves.plan, "\"f16\""));
    builtin_fixture_check_plan(&mixed, &halves);
    brief.previous = &halves;
    brief.verdict = &wrong;
    bfloats = builtin_fixture_generate(&brief);
    assert_non_null(strstr(bfloats.plan, "\"bf16\""));
    candidate_release(&halves);
    brief.previous = &bfloats;
    halves = builtin_fixture_generate(&brief);
    assert_null(strstr(halves.plan, "tensor_map"));
    candidate_release(&halves);
    candidate_release(&bfloats);
    problem_release(&mixed);
}

/*
 * Operands that must not be rounded are split into three parts, each a plane of a buffer in bf16.
 * After wrong values, and where a size of the product is not fixed, there are no matrix units.
 */
static void operands_in_f32_are_split_for_matrix_units(void **state)
{
    struct problem exact = builtin_fixture_load("linear_gelu");
    struct problem dynamic = builtin_fixture_load("matmul_square");
    struct verdict wrong = {.outcome = OUTCOME_WRONG_VALUES};
    struct brief brief = {.problem = &exact, .device = &builtin_fixture_hopper, .attempt = 1};
    struct candidate parts = builtin_fixture_generate(&brief), floats;

    (void)state;
    assert_non_null(strstr(parts.source, " matrix=3 "));
    assert_non_null(strstr(parts.plan, "tensor_map"));
    assert_non_null(strstr(parts.plan, "\"bf16\""));
    builtin_fixture_check_plan(&exact, &parts);
    brief.previous = &parts;
    brief.verdict = &wrong;
    floats = builtin_fixture_generate(&brief);
    assert_null(strstr(floats.plan, "tensor_map"));
    candidate_release(&floats);
    brief = (struct brief){.problem = &dynamic, .device = &builtin_fixture_hopper, .attempt = 1};
    floats = builtin_fixture_generate(&brief);
    assert_non_null(strstr(floats.source, " matrix=0 "));
    candidate_release(&floats);
    candidate_release(&parts);
    problem_release(&dynamic);
    problem_release(&exact);
}

#define TENSOR(name, role, shape)                                                         \
    "\"" name "\": {\"role\": \"" role "\", \"dtype\": \"f32\", \"shape\": [" shape "], " \
    "\"fill\": {\"normal\": [0, 1]}}"
#define PRODUCT(a, b, y) "{\"op\": \"matmul\", \"in\": [\"" a "\", \"" b "\"], \"out\": \"" y "\"}"

/*
 * Matrix units multiply the matrices of a batch and sections of long sums, and the epilogue of a
 * product stores the operand of the next one.
 */
static void matrix_units_take_batches_sections_and_chains(void **state)
{
    static const struct {
        const char *tensors, *graph, *there, *absent;
    } rows[] = {
        {TENSOR("a", "input", "64, 512, 1024") ", " TENSOR("b", "input", "64, 1024, 512"),
         PRODUCT("a", "b", "y"), "batch * 512 + line", "_sums("},
        {TENSOR("a", "input", "256, 65536") ", " TENSOR("b", "param", "65536, 256"),
         PRODUCT("a", "b", "y"), "matmul_0_sums(", "batch"},
        {TENSOR("a", "input", "4096, 4096") ", " TENSOR("b", "param", "4096, 4096"),
         PRODUCT("a", "b", "t") ", " PRODUCT("t", "b", "y"), "p_t_rows_1 + (size_t)p", "halve_a_1"},
    };
    static const char *const results[] = {"64, 512, 512", "256, 256", "4096, 4096"};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct strbuf text = {0};
        struct candidate candidate;

        strbuf_addf(&text,
                    "{\"kforge\": 1, \"name\": \"product\", \"summary\": \"A product.\", \"dims\": "
                    "{}, \"tensors\": {%s, \"y\": {\"role\": \"output\", \"dtype\": \"f32\", "
                    "\"shape\": [%s]}}, \"graph\": [%s], \"tolerance\": {\"class\": \"f32\"}}",
                    rows[i].tensors, results[i], rows[i].graph);
        candidate = builtin_fixture_first(strbuf_cstr(&text));
        assert_non_null(strstr(candidate.source, " matrix=3 "));
        assert_non_null(strstr(candidate.source, rows[i].there));
        assert_null(strstr(candidate.source, rows[i].absent));
        candidate_release(&candidate);
        strbuf_release(&text);
    }
}

/* The second dimension of a GPU's grid has at most 65,535 groups: many rows share the first one. */
static void many_rows_fit_the_grid_of_a_gpu(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"rows\", \"summary\": \"A sum.\", \"dims\": {}, \"tensors\": {"
        "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [300000, 48],"
        " \"fill\": {\"normal\": [0, 1]}},"
        "\"b\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [300000, 1],"
        " \"fill\": {\"normal\": [0, 1]}},"
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [300000, 48]}},"
        "\"graph\": [{\"op\": \"add\", \"in\": [\"x\", \"b\"], \"out\": \"y\"}],"
        "\"tolerance\": {\"class\": \"f32\"}}";
    struct candidate candidate = builtin_fixture_first(text);

    (void)state;
    assert_non_null(strstr(candidate.plan, "300000 * align("));
    candidate_release(&candidate);
}

static void add_tensor(struct strbuf *text, const char *role, size_t number, size_t size)
{
    bool is_output = *role == 'o';

    strbuf_addf(text, "%s\"%c%zu\": {\"role\": \"%s\", \"dtype\": \"f32\", \"shape\": [%zu]%s}",
                number || is_output ? ", " : "", *role, number, role, size,
                is_output ? "" : ", \"fill\": {\"normal\": [0, 1]}");
}

static void add_concat(struct strbuf *text, const char *in, size_t first, const char *out)
{
    enum { WIDTH = 8 };

    strbuf_addf(text, "{\"op\": \"concat\", \"dim\": 0, \"out\": \"%s\", \"in\": [", out);
    for (size_t i = first; i < first + WIDTH; i++)
        strbuf_addf(text, "%s\"%s%zu\"", i == first ? "" : ", ", in, i);
    strbuf_adds(text, "]}");
}

/* A kernel has at most 64 arguments, and a tensor may be put together from any number of others. */
static void many_tensors_are_put_together_in_parts(void **state)
{
    enum { PARTS = 8, EACH = 8, SIZE = 5 };
    struct strbuf text = {0};
    struct problem problem = {0};
    struct brief brief = {.problem = &problem, .device = &builtin_fixture_hopper, .attempt = 1};
    struct candidate candidate;
    struct error err;

    (void)state;
    strbuf_adds(&text,
                "{\"kforge\": 1, \"name\": \"parts\", \"summary\": \"A concat.\", \"dims\": {},"
                " \"tensors\": {");
    for (size_t i = 0; i < (size_t)PARTS * EACH; i++)
        add_tensor(&text, "input", i, SIZE);
    add_tensor(&text, "output", 0, (size_t)PARTS * EACH * SIZE);
    strbuf_adds(&text, "}, \"graph\": [");
    for (size_t i = 0; i < PARTS; i++) {
        char name[] = {'t', (char)('0' + i), '\0'};

        add_concat(&text, "i", i * EACH, name);
        strbuf_adds(&text, ", ");
    }
    add_concat(&text, "t", 0, "o0");
    strbuf_adds(&text, "], \"tolerance\": {\"class\": \"f32\"}}");
    if (problem_parse(&problem, strbuf_cstr(&text), text.len, "parts.json", &err))
        fail_msg("%s", err.text);
    candidate = builtin_fixture_generate(&brief);
    builtin_fixture_check_plan(&problem, &candidate);
    candidate_release(&candidate);
    problem_release(&problem);
    strbuf_release(&text);
}

/* GPUs before Hopper have matrix units that single warps use; still older ones have none. */
static void matrix_units_are_those_of_the_gpu(void **state)
{
    static char targets[][24] = {"NVRTC 12.4, sm_80", "NVRTC 12.4, sm_75"};
    struct problem mixed = builtin_fixture_load_from("tests/contract/problems", "mixed");
    struct candidate candidates[2];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct device_info gpu = {.language = cuda_language, .compiler = targets[i]};
        struct brief brief = {.problem = &mixed, .device = &gpu, .attempt = 1};

        candidates[i] = builtin_fixture_generate(&brief);
        assert_null(strstr(candidates[i].plan, "tensor_map"));
        builtin_fixture_check_plan(&mixed, &candidates[i]);
    }
    assert_non_null(strstr(candidates[0].source, "mma.sync"));
    assert_non_null(strstr(candidates[0].plan, "\"f16\""));
    assert_null(strstr(candidates[1].plan, "\"f16\""));
    candidate_release(&candidates[0]);
    candidate_release(&candidates[1]);
    problem_release(&mixed);
}

/*
 * A norm or a reduction after a product starts from the product's sums in registers; a value that
 * is only reduced is not stored.
 */
static void rows_behind_a_product_begin_in_its_registers(void **state)
{
    struct problem tails = builtin_fixture_load_from("tests/contract/problems", "tails");
    struct brief brief = {.problem = &tails, .device = &builtin_fixture_hopper, .attempt = 1};
    struct candidate candidate = builtin_fixture_generate(&brief);

    (void)state;
    assert_non_null(strstr(candidate.remark, "linear + batch_norm + gelu"));
    assert_non_null(strstr(candidate.remark, "linear + tanh + group_norm + mul"));
    assert_non_null(strstr(candidate.remark, "logsumexp + mean + gelu"));
    assert_non_null(strstr(candidate.plan, "most_parts_b3"));
    assert_non_null(strstr(candidate.plan, "total_parts_b3"));
    assert_null(strstr(candidate.plan, "\"b2\"")); /* the logsumexp's operand */
    assert_null(strstr(candidate.plan, "\"d4\""));
    assert_non_null(strstr(candidate.plan, "\"c1\"")); /* the softmax reads it once more */
    assert_non_null(strstr(candidate.remark, "linear + mul, mean + var + add + rsqrt, sub + mul"));
    assert_non_null(strstr(candidate.plan, "squares_of_columns_k2")); /* of the tiles */
    assert_null(strstr(candidate.plan, "\"k4\""));
    builtin_fixture_check_plan(&tails, &candidate);
    candidate_release(&candidate);
    problem_release(&tails);
}

/*
 * A softmax that starts from partial results of a product has no pass over its elements, so none of
 * them are in its output buffer before the end. (store: a pass stores its elements there.)
 */
static void merged_partials_leave_no_elements_in_the_output(void **state)
{
    struct problem tails = builtin_fixture_load_from("tests/contract/problems", "tails");
    struct brief brief = {.problem = &tails, .device = &builtin_fixture_hopper, .attempt = 1};
    struct candidate candidate = builtin_fixture_generate(&brief);
    struct schedule schedule;
    struct error err = {0};

    (void)state;
    assert_true(schedule_read(&schedule, candidate.source));
    candidate_release(&candidate);
    schedule.of[KNOB_STORE] = 1;
    if (emit_candidate(&tails, cuda_language, &schedule, &candidate, &err))
        fail_msg("%s", err.text);
    assert_non_null(strstr(candidate.source, ", p_y3 + "));         /* a store */
    assert_null(strstr(candidate.source, "load_aligned<4>(p_y3 ")); /* no load */
    candidate_release(&candidate);
    problem_release(&tails);
}

/* The remark's first line is the change. */
static char *change_of(const struct candidate *candidate)
{
    return strndup(candidate->remark, strcspn(candidate->remark, "\n"));
}

static void without_an_analyst_each_change_is_drawn_once(void **state)
{
    enum { DRAWS = 8 };
    struct problem problem = builtin_fixture_load("softmax");
    struct verdict verdict = builtin_fixture_timed();
    struct brief brief = {.problem = &problem, .device = &builtin_fixture_cpu};
    struct candidate first = builtin_fixture_generate(&brief);
    struct brief_record records[DRAWS];
    char *changes[DRAWS];

    (void)state;
    brief.previous = &first;
    brief.verdict = &verdict;
    brief.is_unadvised = true;
    brief.records = records;
    for (unsigned i = 0; i < DRAWS; i++) {
        struct candidate drawn;

        brief.attempt = i + 2;
        brief.record_count = i;
        drawn = builtin_fixture_generate(&brief);
        changes[i] = change_of(&drawn);
        assert_non_null(strstr(changes[i], " -> "));
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(changes[i], changes[j]);
        records[i] = (struct brief_record){.change = changes[i], .outcome = OUTCOME_CORRECT};
        candidate_release(&drawn);
    }
    for (unsigned i = 0; i < DRAWS; i++)
        free(changes[i]);
    candidate_release(&first);
    verdict_release(&verdict);
    problem_release(&problem);
}

static void a_cancelled_answer_is_not_heard(void **state)
{
    struct problem problem = builtin_fixture_load("saxpy");
    struct brief brief = {.problem = &problem, .device = &builtin_fixture_cpu, .attempt = 1};
    struct builtin_fixture_end cancelled = {.loop = loop_new()},
                               completed = {.loop = cancelled.loop};
    const struct provider_listener first = builtin_fixture_listener(&cancelled);
    const struct provider_listener second = builtin_fixture_listener(&completed);
    const struct agent_request request = {TASK_GENERATE, &brief, ""};
    struct agent *agent = NULL;
    struct error err = {0};

    (void)state;
    assert_int_equal(agents_open(cancelled.loop, "builtin", &agent, &err), STATUS_OK);
    assert_int_equal(agent->ops->start(agent, &request, &first, &err), STATUS_OK);
    agent->ops->cancel(agent);
    assert_int_equal(agent->ops->start(agent, &request, &second, &err), STATUS_OK);
    loop_run(completed.loop);
    assert_false(cancelled.is_done);
    assert_true(completed.is_done);
    agent->ops->close(agent);
    loop_free(completed.loop);
    strbuf_release(&completed.reply);
    problem_release(&problem);
}

static void an_unknown_agent_is_an_error(void **state)
{
    struct loop *loop = loop_new();
    struct agent *agent = NULL;
    struct error err = {0};

    (void)state;
    assert_int_equal(agents_open(loop, "oracle", &agent, &err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err.text, "openai"));
    loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schedule_has_a_plan),
        cmocka_unit_test(the_first_answer_fuses_the_graph),
        cmocka_unit_test(the_schedule_of_a_reference_is_the_first),
        cmocka_unit_test(a_kernel_is_in_the_language_of_the_device),
        cmocka_unit_test(operands_are_rounded_for_matrix_units),
        cmocka_unit_test(operands_in_f32_are_split_for_matrix_units),
        cmocka_unit_test(matrix_units_take_batches_sections_and_chains),
        cmocka_unit_test(many_rows_fit_the_grid_of_a_gpu),
        cmocka_unit_test(many_tensors_are_put_together_in_parts),
        cmocka_unit_test(matrix_units_are_those_of_the_gpu),
        cmocka_unit_test(rows_behind_a_product_begin_in_its_registers),
        cmocka_unit_test(merged_partials_leave_no_elements_in_the_output),
        cmocka_unit_test(without_an_analyst_each_change_is_drawn_once),
        cmocka_unit_test(a_cancelled_answer_is_not_heard),
        cmocka_unit_test(an_unknown_agent_is_an_error),
    };

    return cmocka_run_group_tests_name("builtin", tests, NULL, NULL);
}
