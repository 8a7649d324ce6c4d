#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/agents.h"
#include "core/agent/builtin/emit/emit_candidate.h"
#include "core/agent/reply/reply.h"
#include "core/base/mem.h"
#include "core/model/plan/plan.h"
#include "core/model/problem_reader.h"
#include "core/system/loop.h"

/*
 * Tests of the built-in agents through the interface that a session uses, on the shipped problems.
 */

static char cpu_language[] = "opencl";
static const struct device_info cpu = {
    .language = cpu_language, .is_cpu = true, .vector_width_f32 = 16};

static char cuda_language[] = "cuda", hopper_compiler[] = "NVRTC 13.0, sm_90a";
static const struct device_info hopper = {
    .language = cuda_language, .compiler = hopper_compiler, .compute_units = 132};

static const char *const shipped[] = {"saxpy", "softmax", "add_rmsnorm", "linear_gelu"};
enum { SHIPPED_COUNT = sizeof(shipped) / sizeof(*shipped) };

/* Shipped problems, one for each family of kernels that the other tests leave out. */
static const char *const others[] = {"attention", "bias_rope_kv_update", "conv2d_bias_relu",
                                     "cumsum",    "groupnorm_silu",      "max_pool2d",
                                     "transpose", "moe_finalize"};
enum { OTHERS_COUNT = sizeof(others) / sizeof(*others) };

struct conversation_end {
    struct loop *loop;
    struct strbuf reply;
    bool is_done, has_tokens;
};

static void hear_text(void *data, const char *text, size_t len)
{
    struct conversation_end *end = data;

    strbuf_add(&end->reply, text, len);
}

static void hear_done(void *data, const struct usage *usage)
{
    struct conversation_end *end = data;

    end->is_done = true;
    end->has_tokens = usage->has_tokens;
    loop_stop(end->loop);
}

/* Ask the agent as a session does; the caller frees the reply. */
static char *ask(enum agent_task task, const struct brief *brief)
{
    struct conversation_end end = {.loop = loop_new()};
    const struct provider_listener listener = {.text = hear_text, .done = hear_done, .data = &end};
    struct agent *agent = NULL;
    struct error err = {0};

    if (agents_open(end.loop, "builtin", &agent, &err) ||
        agent->ops->start(agent, &(struct agent_request){task, brief, ""}, &listener, &err))
        fail_msg("%s", err.text);
    assert_false(end.is_done); /* the agent never answers inside start */
    loop_run(end.loop);
    assert_false(end.has_tokens);
    agent->ops->close(agent);
    loop_free(end.loop);
    return strbuf_take(&end.reply);
}

static struct problem load_from(const char *folder, const char *name)
{
    struct strbuf path = {0};
    struct problem problem = {0};
    struct error err = {0};

    strbuf_addf(&path, KFORGE_SOURCE_DIR "/%s/%s.json", folder, name);
    if (problem_load(&problem, strbuf_cstr(&path), &err))
        fail_msg("%s", err.text);
    strbuf_release(&path);
    return problem;
}

static struct problem load(const char *name)
{
    return load_from("prompts/problems", name);
}

static struct candidate generate(const struct brief *brief)
{
    char *reply = ask(TASK_GENERATE, brief);
    struct candidate candidate = {0};
    struct error err = {0};

    if (reply_parse(reply, brief->device->language, &candidate, &err))
        fail_msg("%s: %s\n%s", brief->problem->name, err.text, reply);
    free(reply);
    return candidate;
}

static struct recommendation analyse(const struct brief *brief)
{
    char *reply = ask(TASK_ANALYSE, brief);
    struct recommendation advice = {0};
    struct error err = {0};

    if (recommendation_parse(&advice, reply, &err))
        fail_msg("%s: %s\n%s", brief->problem->name, err.text, reply);
    free(reply);
    return advice;
}

/* The verdict on a correct kernel that takes four times its bound. */
static struct verdict timed(void)
{
    return (struct verdict){
        .outcome = OUTCOME_CORRECT,
        .timing = {.is_present = true, .time = {400, 390, 410}},
        .bound = {.is_present = true, .us = 100, .fraction = 0.25, .limiter = LIMITER_COMPUTE},
    };
}

/* The plan must resolve at the main dimensions and at the others. */
static void check_plan(const struct problem *problem, const struct candidate *candidate)
{
    struct plan plan = {0};
    struct error err = {0};

    if (plan_parse(&plan, candidate->plan, strlen(candidate->plan), &err))
        fail_msg("%s: %s\n%s", problem->name, err.text, candidate->plan);
    for (size_t also = 0; also <= problem->also.count; also++) {
        struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
        struct scope scope = problem_scope(problem, also, bindings);
        struct graph graph = {0};
        struct dispatch dispatch = {0};

        if (graph_build(&graph, problem, &scope, &err) ||
            plan_resolve(&plan, &graph, &scope, &dispatch, &err))
            fail_msg("%s: %s\n%s", problem->name, err.text, candidate->plan);
        dispatch_release(&dispatch);
        graph_release(&graph);
        free(bindings);
    }
    plan_release(&plan);
}

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
            check_plan(problem, &candidate);
            candidate_release(&candidate);
        }
}

static void every_schedule_has_a_plan(void **state)
{
    (void)state;
    for (size_t p = 0; p < SHIPPED_COUNT + OTHERS_COUNT; p++) {
        struct problem problem = load(p < SHIPPED_COUNT ? shipped[p] : others[p - SHIPPED_COUNT]);

        check_schedules(&problem, &cpu);
        check_schedules(&problem, &hopper);
        problem_release(&problem);
    }
}

static void the_first_answer_fuses_the_graph(void **state)
{
    (void)state;
    for (size_t p = 0; p < SHIPPED_COUNT; p++) {
        struct problem problem = load(shipped[p]);
        struct brief brief = {.problem = &problem, .device = &cpu, .attempt = 1};
        struct candidate candidate = generate(&brief);
        struct json *plan = json_parse(candidate.plan, strlen(candidate.plan), NULL);

        assert_int_equal(json_count(json_get(plan, "launches")), 1);
        assert_null(strstr(candidate.plan, "\"t\""));
        assert_non_null(strstr(candidate.remark, "Kernels: "));
        json_free(plan);
        candidate_release(&candidate);
        problem_release(&problem);
    }
}

static void a_recommendation_is_followed(void **state)
{
    struct problem problem = load("linear_gelu");
    char change[] = "tile_m: 4 -> 8";
    struct recommendation advice = {.change = change};
    struct verdict verdict = timed();
    struct brief brief = {.problem = &problem, .device = &cpu, .attempt = 1};
    struct candidate first = generate(&brief);

    (void)state;
    brief.previous = &first;
    brief.verdict = &verdict;
    brief.recommendation = &advice;

    struct candidate second = generate(&brief);

    assert_non_null(strstr(first.source, "tile_m=4"));
    assert_non_null(strstr(second.source, "tile_m=8"));
    assert_non_null(strstr(second.remark, change));
    candidate_release(&first);
    candidate_release(&second);
    problem_release(&problem);
}

static void a_recommendation_beyond_the_vocabulary_is_answered(void **state)
{
    struct problem problem = load("softmax");
    char change[] = "use shared memory";
    struct recommendation advice = {.change = change};
    struct brief brief = {.problem = &problem, .device = &cpu, .attempt = 1};
    struct candidate first = generate(&brief);

    (void)state;
    brief.previous = &first;
    brief.recommendation = &advice;

    struct candidate second = generate(&brief);

    assert_string_equal(second.source, first.source);
    assert_non_null(strstr(second.remark, "use shared memory"));
    candidate_release(&first);
    candidate_release(&second);
    problem_release(&problem);
}

/* The generator's answer to wrong values of `previous`, which followed `change` (NULL: none). */
static struct candidate repaired(const struct problem *problem, const struct candidate *previous,
                                 const char *change)
{
    struct verdict wrong = {.outcome = OUTCOME_WRONG_VALUES};
    struct brief_record record = {change, 1.5, 0, OUTCOME_WRONG_VALUES};
    struct brief brief = {.problem = problem,
                          .device = &cpu,
                          .previous = previous,
                          .verdict = &wrong,
                          .records = &record,
                          .record_count = change != NULL,
                          .attempt = 2};

    return generate(&brief);
}

/*
 * After a change that makes the kernel wrong, the generator goes half of the way, and then gives
 * the change up.
 */
static void a_failed_change_is_tried_differently(void **state)
{
    struct problem problem = load("linear_gelu");
    struct brief brief = {.problem = &problem, .device = &cpu, .attempt = 1};
    struct candidate first = generate(&brief);
    struct candidate half = repaired(&problem, &first, "tile_m: 8 -> 4");
    struct candidate given_up = repaired(&problem, &first, "tile_m: 6 -> 4");

    (void)state;
    assert_non_null(strstr(half.source, "tile_m=6"));
    assert_non_null(strstr(half.remark, "Half of tile_m: 8 -> 4"));
    assert_non_null(strstr(given_up.source, "tile_m=6"));
    assert_non_null(strstr(given_up.remark, "given up"));
    candidate_release(&first);
    candidate_release(&half);
    candidate_release(&given_up);
    problem_release(&problem);
}

/* When the first schedule is wrong, the generator drops fast functions, and then fusion. */
static void a_first_failure_leads_to_plain_kernels(void **state)
{
    struct problem problem = load("linear_gelu");
    struct brief brief = {.problem = &problem, .device = &cpu, .attempt = 1};
    struct candidate first = generate(&brief);
    struct candidate exact = repaired(&problem, &first, NULL);
    struct candidate plain = repaired(&problem, &exact, NULL);

    (void)state;
    assert_non_null(strstr(first.source, "erf_fast16("));
    assert_null(strstr(exact.source, "erf_fast16("));
    assert_non_null(strstr(exact.source, "fuse=1"));
    assert_non_null(strstr(plain.source, "fuse=0"));
    candidate_release(&first);
    candidate_release(&exact);
    candidate_release(&plain);
    problem_release(&problem);
}

/* The device selects the dialect: no kernel contains words of the other language. */
static void a_kernel_is_in_the_language_of_the_device(void **state)
{
    const struct device_info gpus[] = {{.language = cpu_language}, {.language = cuda_language}};
    static const char *const words[] = {"get_group_id(0)", "blockIdx.x"};

    (void)state;
    for (size_t g = 0; g < 2; g++) {
        struct problem problem = load("softmax");
        struct brief brief = {.problem = &problem, .device = &gpus[g], .attempt = 1};
        char *reply = ask(TASK_GENERATE, &brief);

        assert_non_null(strstr(reply, words[g]));
        assert_null(strstr(reply, words[1 - g]));
        free(reply);
        problem_release(&problem);
    }
}

/*
 * Matrix units round operands, so they need a tolerance that permits it. After wrong values the
 * generator goes from f16 to bf16, and then does without matrix units.
 */
static void matrix_units_are_for_what_may_be_rounded(void **state)
{
    struct problem mixed = load_from("tests/contract/problems", "mixed");
    struct problem exact = load("linear_gelu");
    struct verdict wrong = {.outcome = OUTCOME_WRONG_VALUES};
    struct brief brief = {.problem = &exact, .device = &hopper, .attempt = 1};
    struct candidate floats = generate(&brief), halves, bfloats;

    (void)state;
    assert_null(strstr(floats.plan, "tensor_map"));
    brief.problem = &mixed;
    halves = generate(&brief);
    assert_non_null(strstr(halves.plan, "tensor_map"));
    assert_non_null(strstr(halves.plan, "\"f16\""));
    check_plan(&mixed, &halves);
    brief.previous = &halves;
    brief.verdict = &wrong;
    bfloats = generate(&brief);
    assert_non_null(strstr(bfloats.plan, "\"bf16\""));
    candidate_release(&halves);
    brief.previous = &bfloats;
    halves = generate(&brief);
    assert_null(strstr(halves.plan, "tensor_map"));
    candidate_release(&floats);
    candidate_release(&halves);
    candidate_release(&bfloats);
    problem_release(&mixed);
    problem_release(&exact);
}

/* GPUs before Hopper have matrix units that single warps use; still older ones have none. */
static void matrix_units_are_those_of_the_gpu(void **state)
{
    static char targets[][24] = {"NVRTC 12.4, sm_80", "NVRTC 12.4, sm_75"};
    struct problem mixed = load_from("tests/contract/problems", "mixed");
    struct candidate candidates[2];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct device_info gpu = {.language = cuda_language, .compiler = targets[i]};
        struct brief brief = {.problem = &mixed, .device = &gpu, .attempt = 1};

        candidates[i] = generate(&brief);
        assert_null(strstr(candidates[i].plan, "tensor_map"));
        check_plan(&mixed, &candidates[i]);
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
    struct problem tails = load_from("tests/contract/problems", "tails");
    struct brief brief = {.problem = &tails, .device = &hopper, .attempt = 1};
    struct candidate candidate = generate(&brief);

    (void)state;
    assert_non_null(strstr(candidate.remark, "linear + batch_norm + gelu"));
    assert_non_null(strstr(candidate.remark, "linear + tanh + group_norm + mul"));
    assert_non_null(strstr(candidate.remark, "logsumexp + mean + gelu"));
    assert_non_null(strstr(candidate.plan, "most_parts_b3"));
    assert_non_null(strstr(candidate.plan, "total_parts_b3"));
    assert_null(strstr(candidate.plan, "\"b2\"")); /* the logsumexp's operand */
    assert_null(strstr(candidate.plan, "\"d4\""));
    assert_non_null(strstr(candidate.plan, "\"c1\"")); /* the softmax reads it once more */
    check_plan(&tails, &candidate);
    candidate_release(&candidate);
    problem_release(&tails);
}

/* A kernel from another author gets the first schedule. */
static void a_foreign_kernel_gets_a_first_schedule(void **state)
{
    struct problem problem = load("saxpy");
    char source[] = "kernel void f() {}", nothing[] = "";
    struct candidate foreign = {
        .language = cpu_language, .source = source, .plan = nothing, .remark = nothing};
    struct verdict verdict = timed();
    struct brief brief = {
        .problem = &problem, .device = &cpu, .previous = &foreign, .verdict = &verdict};
    struct candidate candidate = generate(&brief);
    struct recommendation advice = analyse(&brief);

    (void)state;
    assert_non_null(strstr(candidate.source, "fuse=1"));
    assert_string_equal(advice.change, "fuse: 0 -> 1");
    recommendation_release(&advice);
    candidate_release(&candidate);
    problem_release(&problem);
}

enum { MAX_ROUNDS = 400 };

/*
 * No change gains anything. The analyst must not repeat a change, every change must be applicable,
 * no promise may exceed the bound, and in the end nothing is left to recommend.
 */
static void check_analyst(const struct problem *problem, const struct device_info *device)
{
    struct verdict verdict = timed();
    struct brief_record records[MAX_ROUNDS];
    struct brief brief = {
        .problem = problem, .device = device, .verdict = &verdict, .records = records};
    struct brief first = {.problem = problem, .device = device};
    struct candidate best = generate(&first);
    struct schedule schedule;

    brief.previous = &best;
    for (;; brief.record_count++) {
        struct recommendation advice = analyse(&brief);
        bool is_over = strcmp(advice.change, RECOMMENDATION_NOTHING) == 0;

        assert_true(is_over || (advice.gain > 1 && advice.gain <= 4));
        assert_non_null(strstr(advice.evidence, "time = 400.0 us"));
        for (size_t i = 0; i < brief.record_count; i++)
            assert_string_not_equal(records[i].change, advice.change);
        schedule = schedule_first(device);
        assert_true(schedule_read(&schedule, best.source));
        assert_true(is_over || !schedule_change(&schedule, advice.change, NULL));
        if (device->is_cpu) { /* no change that helps GPUs only */
            assert_int_equal(schedule.of[KNOB_LANES], 1);
            assert_int_equal(schedule.of[KNOB_LOCAL], 0);
        }
        assert_true(brief.record_count < MAX_ROUNDS);
        if (!is_over)
            records[brief.record_count] =
                (struct brief_record){mem_strdup(advice.change), advice.gain, 0.9, OUTCOME_CORRECT};
        recommendation_release(&advice);
        if (is_over)
            break;
    }
    assert_true(brief.record_count > 2);
    for (size_t i = 0; i < brief.record_count; i++)
        free((char *)(uintptr_t)records[i].change);
    candidate_release(&best);
}

static void the_analyst_does_not_repeat_itself(void **state)
{
    struct problem mixed = load_from("tests/contract/problems", "mixed");

    (void)state;
    for (size_t p = 0; p < SHIPPED_COUNT; p++) {
        struct problem problem = load(shipped[p]);

        check_analyst(&problem, &cpu);
        check_analyst(&problem, &hopper);
        problem_release(&problem);
    }
    check_analyst(&mixed, &hopper);
    problem_release(&mixed);
}

static double promise_at(double fraction)
{
    struct problem problem = load("softmax");
    struct verdict verdict = timed();
    struct brief brief = {.problem = &problem, .device = &cpu, .attempt = 1};
    struct candidate first = generate(&brief);
    struct recommendation advice;
    double promise;

    verdict.bound.fraction = fraction;
    brief.previous = &first;
    brief.verdict = &verdict;
    advice = analyse(&brief);
    promise = advice.gain;
    recommendation_release(&advice);
    candidate_release(&first);
    problem_release(&problem);
    return promise;
}

/* The bound limits promises up to it. A kernel that beats it needs less than the graph. */
static void a_beaten_bound_limits_no_promise(void **state)
{
    double free_promise = promise_at(0.1);

    (void)state;
    assert_true(free_promise > 1.02);
    assert_true(promise_at(0.99) <= 1.02);
    assert_true(promise_at(1.3) == free_promise);
}

/* A promise that was not kept makes the next promises smaller. */
static void promises_follow_the_record(void **state)
{
    struct problem problem = load("softmax");
    struct verdict verdict = timed();
    struct brief_record record = {"fuse: 0 -> 1", 2, 1.01, OUTCOME_CORRECT};
    struct brief brief = {.problem = &problem, .device = &cpu, .attempt = 1};
    struct candidate first = generate(&brief);

    (void)state;
    brief.previous = &first;
    brief.verdict = &verdict;

    struct recommendation before = analyse(&brief);

    brief.records = &record;
    brief.record_count = 1;

    struct recommendation after = analyse(&brief);

    assert_string_equal(before.change, after.change);
    assert_true(after.gain < before.gain);
    recommendation_release(&before);
    recommendation_release(&after);
    candidate_release(&first);
    problem_release(&problem);
}

static void a_cancelled_answer_is_not_heard(void **state)
{
    struct problem problem = load("saxpy");
    struct brief brief = {.problem = &problem, .device = &cpu, .attempt = 1};
    struct conversation_end cancelled = {.loop = loop_new()}, heard = {.loop = cancelled.loop};
    const struct provider_listener first = {hear_text, NULL, hear_done, NULL, &cancelled};
    const struct provider_listener second = {hear_text, NULL, hear_done, NULL, &heard};
    const struct agent_request request = {TASK_GENERATE, &brief, ""};
    struct agent *agent = NULL;
    struct error err = {0};

    (void)state;
    assert_int_equal(agents_open(cancelled.loop, "builtin", &agent, &err), STATUS_OK);
    assert_int_equal(agent->ops->start(agent, &request, &first, &err), STATUS_OK);
    agent->ops->cancel(agent);
    assert_int_equal(agent->ops->start(agent, &request, &second, &err), STATUS_OK);
    loop_run(heard.loop);
    assert_false(cancelled.is_done);
    assert_true(heard.is_done);
    agent->ops->close(agent);
    loop_free(heard.loop);
    strbuf_release(&heard.reply);
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
        cmocka_unit_test(a_recommendation_is_followed),
        cmocka_unit_test(a_recommendation_beyond_the_vocabulary_is_answered),
        cmocka_unit_test(a_failed_change_is_tried_differently),
        cmocka_unit_test(a_first_failure_leads_to_plain_kernels),
        cmocka_unit_test(a_kernel_is_in_the_language_of_the_device),
        cmocka_unit_test(matrix_units_are_for_what_may_be_rounded),
        cmocka_unit_test(matrix_units_are_those_of_the_gpu),
        cmocka_unit_test(rows_behind_a_product_begin_in_its_registers),
        cmocka_unit_test(a_foreign_kernel_gets_a_first_schedule),
        cmocka_unit_test(the_analyst_does_not_repeat_itself),
        cmocka_unit_test(a_beaten_bound_limits_no_promise),
        cmocka_unit_test(promises_follow_the_record),
        cmocka_unit_test(a_cancelled_answer_is_not_heard),
        cmocka_unit_test(an_unknown_agent_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
