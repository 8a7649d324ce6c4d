/*
 * Tests of every outcome of a candidate, through the real worker program and the real device.
 * KFORGE_WORKER is the path of kforge-worker.
 */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/judge/judge.h"
#include "core/model/baseline_label.h"
#include "tests/contract/twice.h"

static int start_judge(void **state)
{
    signal(SIGPIPE, SIG_IGN);
    *state = twice_judge("KFORGE_WORKER", TIMING_US, 0.05);
    return 0;
}

static int end_judge(void **state)
{
    judge_free(*state);
    return 0;
}

static void assert_all(struct judge *judge, const struct ending *cases)
{
    size_t count = 0;

    while (cases[count].name)
        count++;
    assert_true(count > 0);
    twice_assert(judge, cases, count);
}

/* Each candidate gets its verdict, and the judge continues with the next one. */
static void every_ending_has_its_verdict(void **state)
{
    assert_all(*state, twice_endings);
}

static void no_attack_is_correct(void **state)
{
    assert_all(*state, twice_attacks);
}

static void nothing_honest_is_refused(void **state)
{
    assert_all(*state, twice_odd);
}

static void a_correct_verdict_has_all_its_parts(void **state)
{
    struct verdict v = {0};

    twice_evaluate(*state, &twice_endings[0], &v);
    assert_int_equal(v.outcome, OUTCOME_CORRECT);
    assert_true(v.build.is_present);
    assert_int_equal(v.trials.count, 3 + 2 + 1 + 9);        /* main, also, unseen, varied */
    assert_true(v.timing.is_present && v.timing.runs >= 4); /* one in each round */
    assert_true(v.timing.time.low_us <= v.timing.time.median_us);
    assert_true(v.timing.time.median_us <= v.timing.time.high_us);
    assert_non_null(verdict_against(&v, BASELINE_PLAIN));
    assert_non_null(verdict_against(&v, BASELINE_HOST));
    assert_true(v.bound.is_present && v.bound.fraction > 0);
    assert_int_equal(strlen(v.where.source_sha256), 64);
    verdict_release(&v);
}

/* Bytes in use of the memory that the judge shares with its executors. */
static long long copied_bytes(void)
{
    long long bytes = 0;
    DIR *open_files = opendir("/proc/self/fd");
    struct dirent *entry;

    assert_non_null(open_files);
    /* cppcheck-suppress readdirCalled ; nobody else reads this stream, readdir(3) */
    while ((entry = readdir(open_files))) {
        char target[64] = "";
        struct stat about;

        if (readlinkat(dirfd(open_files), entry->d_name, target, sizeof(target) - 1) > 0 &&
            strncmp(target, "/memfd:kforge-readback", 22) == 0 &&
            fstatat(dirfd(open_files), entry->d_name, &about, 0) == 0)
            bytes += 512 * (long long)about.st_blocks;
    }
    closedir(open_files);
    return bytes;
}

/*
 * A copy that stays would show the next candidate the right values, and memory would grow with each
 * new layout.
 */
static void no_copy_outlives_an_evaluation(void **state)
{
    struct verdict v = {0};

    twice_evaluate(*state, &twice_endings[0], &v);
    assert_int_equal(v.outcome, OUTCOME_CORRECT);
    assert_int_equal(copied_bytes(), 0);
    verdict_release(&v);
}

/*
 * No dimension of the problem gives the size of the concatenated vector, so a plain kernel cannot
 * be generated.
 */
static void a_task_without_a_plain_kernel_is_judged_without(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"joined\", \"summary\": \"Twice a sum.\","
        " \"dims\": {\"N\": 500}, \"dynamic\": [\"N\"], \"tensors\": {"
        "  \"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"N\"],"
        "         \"fill\": {\"uniform\": [0, 1]}},"
        "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [1]}},"
        " \"graph\": [{\"op\": \"concat\", \"in\": [\"x\", \"x\"], \"out\": \"t\"},"
        "  {\"op\": \"sum\", \"in\": [\"t\"], \"dim\": 0, \"keepdim\": true, \"out\": \"y\"}],"
        " \"tolerance\": {\"class\": \"f32\"}}";
    static const struct ending own = {
        "joined",
        KERNEL("if (i) return; float s = 0; for (int k = 0; k < N; k++) s += x[k]; y[0] = 2 * s;"),
        PLAN, OUTCOME_CORRECT, ""};
    struct verdict v = {0};
    struct error err;

    if (judge_load(*state, text, strlen(text), "joined.json", &err))
        fail_msg("%s", err.text);
    twice_evaluate(*state, &own, &v);
    assert_int_equal(v.outcome, OUTCOME_CORRECT);
    assert_null(verdict_against(&v, BASELINE_PLAIN));
    assert_non_null(verdict_against(&v, BASELINE_HOST));
    assert_true(v.hazards.count >= 1); /* a second one on a machine that is busy */
    assert_string_equal(v.hazards.items[0].name, "no_reference");
    assert_non_null(strstr(v.hazards.items[0].evidence, "\"t\" along axis 0"));
    verdict_release(&v);
}

/*
 * A listing is possible before any evaluation. The judge still runs the tunable choices, on inputs
 * that it draws for this purpose. This test is the first for its judge.
 */
static void a_listing_may_be_the_first_request(void **state)
{
    char language[] = "opencl", remark[] = "",
         source[] = KERNEL("y[i] = WIDTH / WIDTH * 2 * x[i];");
    char plan[] = "{\"tune\": {\"WIDTH\": [1, 2]}, \"build\": [\"-DWIDTH={WIDTH}\"], " LAUNCHES(
        LAUNCH("twice", ARGS)) "}";
    struct candidate own = {.language = language, .source = source, .plan = plan, .remark = remark};
    struct strbuf text = {0};
    struct error err;

    assert_int_not_equal(
        judge_listing(*state, &(struct judge_listing){.candidate = &own, .form = LISTING_PTX},
                      &text, &err),
        STATUS_OK);
    assert_non_null(strstr(err.text, " does not show PTX"));
    strbuf_release(&text);
}

/*
 * The best and the first are timed in turn with the candidate, with the choice of their tunables
 * that they were judged with; without it they are not timed. The budget is so large that a busy
 * machine does not make the first too slow to take part.
 */
static void the_best_and_the_first_are_timed_in_turn(void **state)
{
    struct judge *judge = twice_judge("KFORGE_WORKER", 600000000, 10);
    char language[] = "opencl", remark[] = "", plan[] = PLAN, tuned[] = "SLOW=0";
    char fast[] = KERNEL("y[i] = 2 * x[i];"), slow[] = BUSY("twice");
    char both[] = "#if SLOW\n" BUSY("twice") "#else\n" KERNEL("y[i] = x[i] + x[i];") "#endif\n";
    char plan_of_both[] =
        "{\"tune\": {\"SLOW\": [1, 0]}, \"build\": [\"-DSLOW={SLOW}\"], " LAUNCHES(
            LAUNCH("twice", ARGS)) "}";
    struct candidate own = {.language = language, .source = fast, .plan = plan, .remark = remark};
    struct candidate best = own, first = own;
    const struct judge_request request = {.candidate = &own, .best = &best, .first = &first};

    (void)state;
    best.source = slow;
    first.source = both;
    first.plan = plan_of_both;
    for (int is_known = 0; is_known < 2; is_known++) {
        struct verdict v = {0};
        struct error err;

        first.tuned = is_known ? tuned : NULL;
        if (judge_evaluate(judge, &request, &v, &err))
            fail_msg("%s", err.text);
        assert_int_equal(v.outcome, OUTCOME_CORRECT);
        assert_true(verdict_against(&v, "best")->speedup > 2);
        assert_int_equal(verdict_against(&v, "first") != NULL, is_known);
        if (is_known)
            assert_true(verdict_against(&v, "first")->speedup <
                        verdict_against(&v, "best")->speedup / 2);
        verdict_release(&v);
    }
    judge_free(judge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_listing_may_be_the_first_request),
        cmocka_unit_test(every_ending_has_its_verdict),
        cmocka_unit_test(no_attack_is_correct),
        cmocka_unit_test(nothing_honest_is_refused),
        cmocka_unit_test(a_correct_verdict_has_all_its_parts),
        cmocka_unit_test(no_copy_outlives_an_evaluation),
        cmocka_unit_test(the_best_and_the_first_are_timed_in_turn),
        cmocka_unit_test(a_task_without_a_plain_kernel_is_judged_without),
    };

    return cmocka_run_group_tests_name("judge", tests, start_judge, end_judge);
}
