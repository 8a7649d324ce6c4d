/*
 * Tests of every outcome of a candidate, through the real worker program and the real device.
 * KFORGE_WORKER is the path of kforge-worker, KFORGE_FORGING_EXECUTOR that of an executor that lies
 * (forging_executor.c).
 */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/judge/judge.h"
#include "core/model/baseline_label.h"
#include "core/system/file.h"
#include "tests/contract/judge_fixture.h"
#include "tests/contract/twice.h"

enum { TIMING_US = 200000 };

static void hear_nothing(void *data, const struct evaluation_progress *progress)
{
    (void)data;
    (void)progress;
}

/*
 * A judge of "twice". `variable` names the environment variable with the executor's path. Timing
 * ends after `timing_budget_us`, or when the median is known to `precision`.
 */
static struct judge *judge_until(const char *variable, int64_t timing_budget_us, double precision)
{
    static const char *executor[] = {NULL, "--executor", NULL};
    struct judge_options options = {
        .tune = {.choices = 64, .budget_us = 60000000},
        .executor = {.argv = executor, .build_limit_us = 60000000, .run_limit_us = 2000000},
        .trials = 3,
        .unseen = 1,
        .precision = precision,
        .timing_budget_us = timing_budget_us,
        .progress = hear_nothing,
    };
    struct judge *judge;
    struct error err;

    executor[0] = getenv(variable);
    judge = judge_new(&options);
    if (judge_load(judge, twice_problem, strlen(twice_problem), "twice.json", &err))
        fail_msg("%s", err.text);
    return judge;
}

static struct judge *judge_with(const char *variable, int64_t timing_budget_us)
{
    return judge_until(variable, timing_budget_us, 0.05);
}

static int start_judge(void **state)
{
    signal(SIGPIPE, SIG_IGN);
    *state = judge_with("KFORGE_WORKER", TIMING_US);
    return 0;
}

static int end_judge(void **state)
{
    judge_free(*state);
    return 0;
}

static void evaluate(struct judge *judge, const struct ending *ending, struct verdict *verdict)
{
    char language[] = "opencl", remark[] = "";
    struct candidate candidate = {.language = language,
                                  .source = strdup(ending->source),
                                  .plan = strdup(ending->plan),
                                  .remark = remark};
    struct error err;

    judge_fixture_skip_optimizer(&candidate);
    if (judge_evaluate(judge, &(struct judge_request){.candidate = &candidate}, verdict, &err))
        fail_msg("%s: %s", ending->name, err.text);
    free(candidate.source);
    free(candidate.plan);
}

static void assert_endings(struct judge *judge, const struct ending *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct verdict verdict = {0};

        evaluate(judge, &cases[i], &verdict);
        if (verdict.outcome != cases[i].outcome || !strstr(verdict.detail, cases[i].says))
            fail_msg("%s: %s: %s", cases[i].name, outcome_name(verdict.outcome), verdict.detail);
        verdict_release(&verdict);
    }
}

static void assert_all(struct judge *judge, const struct ending *cases)
{
    size_t count = 0;

    while (cases[count].name)
        count++;
    assert_true(count > 0);
    assert_endings(judge, cases, count);
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

#define BUSY(name)                                                          \
    "__kernel void " name "(__global float *x, __global float *y, int N)\n" \
    "{\n    int i = get_global_id(0);\n    float s = 0;\n"                  \
    "    for (int k = 0; k < 20; k++) s += sin(x[i] + k);\n"                \
    "    y[i] = s > 1e30f ? s : 2 * x[i];\n}\n"

/*
 * The executor reports forged times, and the judge's own clocks contradict them. No plan can
 * produce this verdict here. A kernel has no clock to patch (ATTACKS 4). A kernel that is faster
 * than the floor because it skips work gives wrong values in a sampled run that it cannot predict
 * (ATTACKS 10, 15). A floor that is too high, because other programs were busy when the roofs were
 * measured, is measured again. The remaining case is a kernel that takes over its executor, which
 * the forging executor simulates.
 */
static void forged_times_are_suspect(void **state)
{
    static const struct ending forgeries[] = {
        {"longer than the judge waited", BUSY("modest"), "{" LAUNCHES(LAUNCH("modest", ARGS)) "}",
         OUTCOME_SUSPECT, "but the judge waited only"},
        {"shorter than the cores worked", BUSY("boastful"),
         "{" LAUNCHES(LAUNCH("boastful", ARGS)) "}", OUTCOME_SUSPECT, "its cores worked"},
        {"shorter than any correct kernel's",
         "__kernel void hasty(__global float *x, __global float *y, int N)\n"
         "{\n    y[get_global_id(0)] = 2 * x[get_global_id(0)];\n}\n",
         "{" LAUNCHES(LAUNCH("hasty", ARGS)) "}", OUTCOME_SUSPECT, "is below the floor of"},
        {"as they are", BUSY("twice"), PLAN, OUTCOME_CORRECT, ""},
    };
    struct judge *judge = judge_with("KFORGE_FORGING_EXECUTOR", TIMING_US);

    (void)state;
    assert_endings(judge, forgeries, sizeof(forgeries) / sizeof(*forgeries));
    judge_free(judge);
}

/*
 * The sum of all products of two vectors, as the product of two sums. It takes a fraction of the
 * graph's bound, on a busy machine too. Both lengths are multiples of 16.
 */
#define PAIRS(name)                                                                           \
    "__kernel void " name "(__global float *a, __global float *b, __global float *y, int N, " \
    "int M)\n{\n    float16 s = 0, t = 0;\n"                                                  \
    "    for (int i = 0; i < N; i += 16) s += vload16(0, a + i);\n"                           \
    "    for (int i = 0; i < M; i += 16) t += vload16(0, b + i);\n"                           \
    "    float8 u = s.lo + s.hi, v = t.lo + t.hi;\n"                                          \
    "    float4 p = u.lo + u.hi, q = v.lo + v.hi;\n"                                          \
    "    y[0] = (p.x + p.y + p.z + p.w) * (q.x + q.y + q.z + q.w);\n}\n"
#define PAIRS_PLAN(name)                                                                           \
    "{\"launches\": [{\"kernel\": \"" name "\", \"global\": [1], \"args\": [\"a\", \"b\", \"y\", " \
    "\"N\", \"M\"]}]}"

/*
 * A candidate that is faster than the graph's bound is looked at closer: more of its runs are
 * verified, and the judge's own clock confirms the time. An honest one passes. The time for timing
 * is enough for several rounds of verified runs on a busy machine too.
 */
static void what_beats_the_bound_is_looked_at_closer(void **state)
{
    static const struct ending cases[] = {
        {"wrong when looked at", PAIRS("unobserved"), PAIRS_PLAN("unobserved"),
         OUTCOME_WRONG_VALUES, "in a timed run"},
        {"slow when looked at", PAIRS("sluggish"), PAIRS_PLAN("sluggish"), OUTCOME_SUSPECT,
         "by the judge's clock"},
        {"as they are", PAIRS("pairs"), PAIRS_PLAN("pairs"), OUTCOME_CORRECT, ""},
    };
    static const char file[] = KFORGE_SOURCE_DIR "/tests/attack/problems/pairs.json";
    struct judge *judge = judge_until("KFORGE_FORGING_EXECUTOR", 60000000, 1);
    struct strbuf text = {0};
    struct error err;

    (void)state;
    if (file_read(file, 1 << 20, &text, &err) ||
        judge_load(judge, strbuf_cstr(&text), text.len, file, &err))
        fail_msg("%s", err.text);
    assert_endings(judge, cases, sizeof(cases) / sizeof(*cases));
    strbuf_release(&text);
    judge_free(judge);
}

/* The cache has binaries, and none from after the first run of a candidate. */
static void assert_nothing_forged(const char *folder)
{
    struct strbuf pattern = {0}, text = {0};
    glob_t found = {0};

    strbuf_addf(&pattern, "%s/kforge/compiled-*", folder);
    assert_int_equal(glob(strbuf_cstr(&pattern), 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        text.len = 0;
        assert_int_equal(file_read(found.gl_pathv[i], 1 << 20, &text, NULL), STATUS_OK);
        assert_null(strstr(strbuf_cstr(&text), "forged"));
    }
    globfree(&found);
    strbuf_release(&text);
    strbuf_release(&pattern);
}

/*
 * On a CPU a kernel shares its process with the compiler, so binaries from after its first run must
 * not enter the cache.
 */
static void binaries_from_after_a_run_on_a_cpu_are_not_cached(void **state)
{
    static const struct ending candidates[] = {
        {"takes over", BUSY("burglar"), "{" LAUNCHES(LAUNCH("burglar", ARGS)) "}", OUTCOME_CORRECT,
         ""},
        {"the next", BUSY("twice"), PLAN, OUTCOME_CORRECT, ""},
    };
    char folder[] = "/tmp/kforge-judge-XXXXXX", *before = getenv("XDG_CACHE_HOME");
    /* The judge looks up the roofs now; measuring them would be an executor's first run. */
    struct judge *judge = judge_with("KFORGE_FORGING_EXECUTOR", TIMING_US);

    (void)state;
    before = before ? mem_strdup(before) : NULL;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    assert_endings(judge, candidates, sizeof(candidates) / sizeof(*candidates));
    judge_free(judge);
    assert_nothing_forged(folder);
    file_remove_folder(folder);
    if (before)
        setenv("XDG_CACHE_HOME", before, 1);
    else
        unsetenv("XDG_CACHE_HOME");
    free(before);
}

/*
 * The last run has no later run that could expose it, so the judge must verify it itself. Without a
 * budget, timing has the fewest batches possible. Several evaluations make sure that the candidate
 * is not refused by chance.
 */
static void the_last_run_is_verified(void **state)
{
    static const struct ending belated = {
        "wrong from some run on",
        "__kernel void belated(__global float *x, __global float *y, int N)\n"
        "{\n    y[get_global_id(0)] = 2 * x[get_global_id(0)];\n}\n",
        "{" LAUNCHES(LAUNCH("belated", ARGS)) "}", OUTCOME_WRONG_VALUES, "in a timed run"};
    struct judge *judge = judge_with("KFORGE_FORGING_EXECUTOR", 0);

    (void)state;
    for (int i = 0; i < 8; i++)
        assert_endings(judge, &belated, 1);
    judge_free(judge);
}

/*
 * The candidate is right in the trials. Of its timed runs every other sixteen are wrong, so that
 * runs which are repeated at once give the same outputs. It is refused in one evaluation.
 */
static void the_middle_of_timing_is_verified(void **state)
{
    static const struct ending lapse = {
        "wrong in half of the timed runs",
        "__kernel void lapsing(__global float *x, __global float *y, int N)\n"
        "{\n    y[get_global_id(0)] = 2 * x[get_global_id(0)];\n}\n",
        "{" LAUNCHES(LAUNCH("lapsing", ARGS)) "}", OUTCOME_WRONG_VALUES, "in a timed run"};
    struct judge *judge = judge_until("KFORGE_FORGING_EXECUTOR", 60000000, 0.2);

    (void)state;
    for (int i = 0; i < 6; i++)
        assert_endings(judge, &lapse, 1);
    judge_free(judge);
}

/*
 * Assert that no process of the candidate outlives the executor. Every process inherits the write
 * end of a pipe; the pipe reports a hang-up when the last of them has ended.
 */
static void assert_ends_as_a_whole(const struct ending *takeover)
{
    int ends[2];
    struct judge *judge;
    struct pollfd other = {.events = POLLIN};

    assert_int_equal(pipe(ends), 0);
    judge = judge_with("KFORGE_FORGING_EXECUTOR", TIMING_US);
    close(ends[1]);
    assert_endings(judge, takeover, 1);
    judge_free(judge);
    other.fd = ends[0];
    assert_int_equal(poll(&other, 1, 60000), 1);
    assert_true(other.revents & POLLHUP);
    close(ends[0]);
}

static void nothing_outlives_the_executor(void **state)
{
    static const struct ending takeovers[] = {
        {"many processes", BUSY("crowd"), "{" LAUNCHES(LAUNCH("crowd", ARGS)) "}", OUTCOME_CRASHED,
         "started more than 64 processes"},
        {"one that would stay", BUSY("fugitive"), "{" LAUNCHES(LAUNCH("fugitive", ARGS)) "}",
         OUTCOME_CORRECT, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(takeovers) / sizeof(*takeovers); i++)
        assert_ends_as_a_whole(&takeovers[i]);
}

static void a_correct_verdict_has_all_its_parts(void **state)
{
    struct verdict v = {0};

    evaluate(*state, &twice_endings[0], &v);
    assert_int_equal(v.outcome, OUTCOME_CORRECT);
    assert_true(v.build.is_present);
    assert_int_equal(v.trials.count, 3 + 2 + 1 + 6); /* main, also, unseen, varied */
    assert_true(v.timing.is_present && v.timing.runs >= 15);
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

    evaluate(*state, &twice_endings[0], &v);
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
    evaluate(*state, &own, &v);
    assert_int_equal(v.outcome, OUTCOME_CORRECT);
    assert_null(verdict_against(&v, BASELINE_PLAIN));
    assert_non_null(verdict_against(&v, BASELINE_HOST));
    assert_int_equal(v.hazards.count, 1);
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
 * A first that fails does not keep the best from taking part.  The budget is so large that a busy
 * machine does not make the first too slow to take part.
 */
static void the_best_and_the_first_are_timed_in_turn(void **state)
{
    struct judge *judge = judge_until("KFORGE_WORKER", 600000000, 10);
    char language[] = "opencl", remark[] = "", plan[] = PLAN;
    char fast[] = KERNEL("y[i] = 2 * x[i];"), sum[] = KERNEL("y[i] = x[i] + x[i];");
    char slow[] = BUSY("twice"), broken[] = "this is no kernel";
    struct candidate own = {.language = language, .source = fast, .plan = plan, .remark = remark};
    struct candidate best = own, first = own, failing = own;
    const struct judge_request requests[] = {{&own, &best, &first, {0}},
                                             {&own, &best, &failing, {0}}};
    struct error err;

    (void)state;
    best.source = slow;
    first.source = sum;
    failing.source = broken;
    for (size_t i = 0; i < 2; i++) {
        const struct comparison *other;
        struct verdict v = {0};

        if (judge_evaluate(judge, &requests[i], &v, &err))
            fail_msg("%s", err.text);
        assert_int_equal(v.outcome, OUTCOME_CORRECT);
        assert_non_null(verdict_against(&v, "best"));
        assert_true(verdict_against(&v, "best")->speedup > 2);
        other = verdict_against(&v, "first");
        assert_int_equal(other != NULL, i == 0);
        assert_true(!other || other->speedup < verdict_against(&v, "best")->speedup);
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
        cmocka_unit_test(forged_times_are_suspect),
        cmocka_unit_test(what_beats_the_bound_is_looked_at_closer),
        cmocka_unit_test(binaries_from_after_a_run_on_a_cpu_are_not_cached),
        cmocka_unit_test(the_last_run_is_verified),
        cmocka_unit_test(the_middle_of_timing_is_verified),
        cmocka_unit_test(nothing_outlives_the_executor),
        cmocka_unit_test(a_correct_verdict_has_all_its_parts),
        cmocka_unit_test(no_copy_outlives_an_evaluation),
        cmocka_unit_test(the_best_and_the_first_are_timed_in_turn),
        cmocka_unit_test(a_task_without_a_plain_kernel_is_judged_without),
    };

    return cmocka_run_group_tests_name("judge", tests, start_judge, end_judge);
}
