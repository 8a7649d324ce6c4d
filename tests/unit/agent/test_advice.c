#include "tests/unit/builtin_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/emit/emit_candidate.h"
#include "core/base/array.h"
#include "core/base/mem.h"

/*
 * Tests of the built-in analyst, and of the built-in generator's answers to advice and failures.
 */

static char cpu_language[] = "opencl";

/* A problem, the built-in generator's first candidate for it, and the brief of the next attempt. */
struct task {
    struct problem problem;
    struct candidate first;
    struct verdict verdict; /* of the first candidate: correct and timed */
    struct brief brief;     /* refers to the members above */
};

static void begin(struct task *task, const char *problem)
{
    *task =
        (struct task){.problem = builtin_fixture_load(problem), .verdict = builtin_fixture_timed()};
    task->brief =
        (struct brief){.problem = &task->problem, .device = &builtin_fixture_cpu, .attempt = 1};
    task->first = builtin_fixture_generate(&task->brief);
    task->brief.previous = &task->first;
    task->brief.verdict = &task->verdict;
}

static void end(struct task *task)
{
    candidate_release(&task->first);
    problem_release(&task->problem);
}

static void a_recommendation_is_followed(void **state)
{
    struct task task;
    char change[] = "tile_m: 4 -> 8";
    struct recommendation advice = {.change = change};

    (void)state;
    begin(&task, "linear_gelu");
    task.brief.recommendation = &advice;

    struct candidate second = builtin_fixture_generate(&task.brief);

    assert_non_null(strstr(task.first.source, "tile_m=4"));
    assert_non_null(strstr(second.source, "tile_m=8"));
    assert_non_null(strstr(second.remark, change));
    candidate_release(&second);
    end(&task);
}

static void a_recommendation_beyond_the_vocabulary_is_answered(void **state)
{
    struct task task;
    char change[] = "use shared memory";
    struct recommendation advice = {.change = change};

    (void)state;
    begin(&task, "softmax");
    task.brief.recommendation = &advice;

    struct candidate second = builtin_fixture_generate(&task.brief);

    assert_string_equal(second.source, task.first.source);
    assert_non_null(strstr(second.remark, "use shared memory"));
    candidate_release(&second);
    end(&task);
}

/* The generator's answer to wrong values of `previous`, which followed `change` (NULL: none). */
static struct candidate repaired(const struct problem *problem, const struct candidate *previous,
                                 const char *change)
{
    struct verdict wrong = {.outcome = OUTCOME_WRONG_VALUES};
    struct brief_record record = {change, 1.5, 0, OUTCOME_WRONG_VALUES};
    struct brief brief = {.problem = problem,
                          .device = &builtin_fixture_cpu,
                          .previous = previous,
                          .verdict = &wrong,
                          .records = &record,
                          .record_count = change != NULL,
                          .attempt = 2};

    return builtin_fixture_generate(&brief);
}

/*
 * After a change that makes the kernel wrong, the generator goes half of the way, and then gives
 * the change up.
 */
static void a_failed_change_is_tried_differently(void **state)
{
    struct task task;

    (void)state;
    begin(&task, "linear_gelu");

    struct candidate half = repaired(&task.problem, &task.first, "tile_m: 8 -> 4");
    struct candidate given_up = repaired(&task.problem, &task.first, "tile_m: 6 -> 4");

    assert_non_null(strstr(half.source, "tile_m=6"));
    assert_non_null(strstr(half.remark, "Half of tile_m: 8 -> 4"));
    assert_non_null(strstr(given_up.source, "tile_m=6"));
    assert_non_null(strstr(given_up.remark, "dropped"));
    candidate_release(&half);
    candidate_release(&given_up);
    end(&task);
}

/* When the first schedule is wrong, the generator drops fast functions, and then fusion. */
static void a_first_failure_leads_to_plain_kernels(void **state)
{
    struct task task;

    (void)state;
    begin(&task, "linear_gelu");

    struct candidate exact = repaired(&task.problem, &task.first, NULL);
    struct candidate plain = repaired(&task.problem, &exact, NULL);

    assert_non_null(strstr(task.first.source, "erf_fast16("));
    assert_null(strstr(exact.source, "erf_fast16("));
    assert_non_null(strstr(exact.source, "fuse=1"));
    assert_non_null(strstr(plain.source, "fuse=0"));
    candidate_release(&exact);
    candidate_release(&plain);
    end(&task);
}

/* A kernel from another author gets the first schedule. */
static void a_foreign_kernel_gets_a_first_schedule(void **state)
{
    struct problem problem = builtin_fixture_load("saxpy");
    char source[] = "kernel void f() {}", nothing[] = "";
    struct candidate foreign = {
        .language = cpu_language, .source = source, .plan = nothing, .remark = nothing};
    struct verdict verdict = builtin_fixture_timed();
    struct brief brief = {.problem = &problem,
                          .device = &builtin_fixture_cpu,
                          .previous = &foreign,
                          .verdict = &verdict};
    struct candidate candidate = builtin_fixture_generate(&brief);
    struct recommendation advice = builtin_fixture_analyse(&brief);

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
    struct verdict verdict = builtin_fixture_timed();
    struct brief_record records[MAX_ROUNDS];
    struct brief brief = {
        .problem = problem, .device = device, .verdict = &verdict, .records = records};
    struct brief first = {.problem = problem, .device = device};
    struct candidate best = builtin_fixture_generate(&first);
    bool is_c = strcmp(device->language, "c") == 0;
    struct schedule schedule;

    brief.previous = &best;
    for (;; brief.record_count++) {
        struct recommendation advice = builtin_fixture_analyse(&brief);
        bool is_over = strcmp(advice.change, RECOMMENDATION_NOTHING) == 0;

        assert_true(is_over || (advice.gain > 1 && advice.gain <= 4));
        assert_non_null(strstr(advice.evidence, "time = 400 us"));
        for (size_t i = 0; i < brief.record_count; i++)
            assert_string_not_equal(records[i].change, advice.change);
        schedule = schedule_first(device);
        assert_true(schedule_read(&schedule, best.source));
        assert_true(is_over || !schedule_change(&schedule, advice.change, NULL));
        if (device->is_cpu) { /* no change that helps GPUs only */
            assert_int_equal(schedule.of[KNOB_LANES], 1);
            assert_int_equal(schedule.of[KNOB_LOCAL], 0);
        }
        if (is_c)
            assert_int_equal(schedule.of[KNOB_GROUP], 1); /* its work-items have no groups */
        assert_true(brief.record_count < MAX_ROUNDS);
        if (!is_over)
            records[brief.record_count] =
                (struct brief_record){mem_strdup(advice.change), advice.gain, 0.9, OUTCOME_CORRECT};
        recommendation_release(&advice);
        if (is_over)
            break;
    }
    assert_true(brief.record_count > (is_c ? 0 : 2));
    for (size_t i = 0; i < brief.record_count; i++)
        free((char *)(uintptr_t)records[i].change);
    candidate_release(&best);
}

static void the_analyst_does_not_repeat_itself(void **state)
{
    static char c[] = "c";
    const struct device_info host = {.language = c, .is_cpu = true, .vector_width_f32 = 16};
    struct problem mixed = builtin_fixture_load_from("tests/contract/problems", "mixed");

    (void)state;
    for (size_t p = 0; p < BUILTIN_FIXTURE_PROBLEMS; p++) {
        struct problem problem = builtin_fixture_load(builtin_fixture_problems[p]);

        check_analyst(&problem, &builtin_fixture_cpu);
        check_analyst(&problem, &host);
        check_analyst(&problem, &builtin_fixture_hopper);
        problem_release(&problem);
    }
    check_analyst(&mixed, &builtin_fixture_hopper);
    problem_release(&mixed);
}

static double promise_at(double fraction)
{
    struct task task;
    struct recommendation advice;
    double promise;

    begin(&task, "softmax");
    task.verdict.bound.fraction = fraction;
    advice = builtin_fixture_analyse(&task.brief);
    promise = advice.gain;
    recommendation_release(&advice);
    end(&task);
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

/* The engineer vetoed a change, or asked for another one: neither agent proposes it again. */
static void a_refused_change_is_not_proposed_again(void **state)
{
    struct task task;

    (void)state;
    begin(&task, "softmax");

    struct recommendation vetoed = builtin_fixture_analyse(&task.brief);
    const char *refused[] = {vetoed.change};

    task.brief.refused = refused;
    task.brief.refused_count = COUNT(refused);

    struct recommendation other = builtin_fixture_analyse(&task.brief);
    struct candidate drawn = builtin_fixture_generate(&task.brief);

    assert_string_not_equal(other.change, vetoed.change);
    assert_non_null(strstr(drawn.remark, "there is no recommendation"));
    assert_string_not_equal(drawn.source, task.first.source);
    assert_null(strstr(drawn.remark, vetoed.change));
    recommendation_release(&vetoed);
    recommendation_release(&other);
    candidate_release(&drawn);
    end(&task);
}

/* A promise that was not kept makes the next promises smaller. */
static void promises_follow_the_record(void **state)
{
    struct task task;
    struct brief_record record = {"fuse: 0 -> 1", 2, 1.01, OUTCOME_CORRECT};

    (void)state;
    begin(&task, "softmax");

    struct recommendation before = builtin_fixture_analyse(&task.brief);

    task.brief.records = &record;
    task.brief.record_count = 1;

    struct recommendation after = builtin_fixture_analyse(&task.brief);

    assert_string_equal(before.change, after.change);
    assert_true(after.gain < before.gain);
    recommendation_release(&before);
    recommendation_release(&after);
    end(&task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recommendation_is_followed),
        cmocka_unit_test(a_recommendation_beyond_the_vocabulary_is_answered),
        cmocka_unit_test(a_failed_change_is_tried_differently),
        cmocka_unit_test(a_first_failure_leads_to_plain_kernels),
        cmocka_unit_test(a_foreign_kernel_gets_a_first_schedule),
        cmocka_unit_test(the_analyst_does_not_repeat_itself),
        cmocka_unit_test(a_beaten_bound_limits_no_promise),
        cmocka_unit_test(a_refused_change_is_not_proposed_again),
        cmocka_unit_test(promises_follow_the_record),
    };

    return cmocka_run_group_tests_name("advice", tests, NULL, NULL);
}
