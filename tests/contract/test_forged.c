/*
 * Tests of the judge against an executor that a kernel has taken over, on a real device.
 * KFORGE_FORGING_EXECUTOR is the path of an executor that lies (forging_executor.c).
 */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/model/baseline_label.h"
#include "core/system/file.h"
#include "tests/contract/twice.h"

/*
 * The executor reports forged times, and the judge's own clocks contradict them. No plan can
 * produce this verdict here. A kernel has no clock to patch (ATTACKS 4). A kernel that is faster
 * than the floor because it skips work gives wrong values in a sampled run that it cannot predict
 * (ATTACKS 10, 15). A floor that is too high, because other programs were busy when the roofs were
 * measured, is measured again. The remaining case is a kernel that takes over its executor, which
 * the forging executor simulates.
 *
 * A candidate may leave damage in its process, for which the next one is not blamed: what fails is
 * tried once more in a new process (forging_executor.c has the list). A roof that cannot be
 * measured after "hasty" is measured, so that its verdict is as the others'. No guard zone shows
 * what "boastful" damages: the trespasser's verdict says why it is wrong, and not that it crashed.
 * After its write to a guard zone, the process is not used again: the honest candidate is correct.
 * So is the one after "overrun", which may have written beyond its local memory. The plain kernels
 * crash after "undermining", and are timed all the same: another candidate begins another scale.
 */
static void what_is_forged_is_suspect_and_damage_is_no_others(void **state)
{
    static const struct ending forgeries[] = {
        {"shorter than any correct kernel's",
         "__kernel void hasty(__global float *x, __global float *y, int N)\n"
         "{\n    y[get_global_id(0)] = 2 * x[get_global_id(0)];\n}\n",
         "{" LAUNCHES(LAUNCH("hasty", ARGS)) "}", OUTCOME_SUSPECT, "is below the floor of"},
        {"longer than the judge waited", BUSY("modest"), "{" LAUNCHES(LAUNCH("modest", ARGS)) "}",
         OUTCOME_SUSPECT, "but the judge waited only"},
        {"shorter than the cores worked", BUSY("boastful"),
         "{" LAUNCHES(LAUNCH("boastful", ARGS)) "}", OUTCOME_SUSPECT, "its cores worked"},
        {"writes to a guard zone",
         "__kernel void trespasser(__global float *x, __global float *y, int N)\n"
         "{\n    y[get_global_id(0)] = 2 * x[get_global_id(0)];\n    y[N] = 1;\n}\n",
         "{" LAUNCHES(LAUNCH("trespasser", ARGS)) "}", OUTCOME_OUT_OF_BOUNDS,
         "outside of y, after"},
        {"right, with local memory",
         "__kernel void overrun(__global float *x, __global float *y, int N)\n"
         "{\n    __local float one[1];\n    one[0] = x[0];\n"
         "    y[get_global_id(0)] = 2 * x[get_global_id(0)] + 0 * one[0];\n}\n",
         "{" LAUNCHES(LAUNCH("overrun", ARGS)) "}", OUTCOME_CORRECT, ""},
        {"as they are", BUSY("twice"), PLAN, OUTCOME_CORRECT, ""},
        {"wrong", "__kernel void undermining(__global float *x, __global float *y, int N) {}\n",
         "{" LAUNCHES(LAUNCH("undermining", ARGS)) "}", OUTCOME_WRONG_VALUES, "elements off"},
    };
    static const struct ending honest = {"another", KERNEL("y[i] = x[i] + x[i];"), PLAN,
                                         OUTCOME_CORRECT, ""};
    struct judge *judge = twice_judge("KFORGE_FORGING_EXECUTOR", TIMING_US, 0.05);
    struct verdict v = {0};

    (void)state;
    twice_assert(judge, forgeries, sizeof(forgeries) / sizeof(*forgeries));
    twice_evaluate(judge, &honest, &v);
    assert_int_equal(v.outcome, OUTCOME_CORRECT);
    assert_non_null(verdict_against(&v, BASELINE_PLAIN));
    verdict_release(&v);
    judge_free(judge);
}

/*
 * The sum of all products of two vectors, as the product of two sums. Both lengths are multiples
 * of 16.
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

/* Copy a file of roofs into the cache with a compute roof that every kernel beats. */
static void keep_low_roof(const char *path)
{
    struct strbuf text = {0};
    struct error err;
    struct json *roofs;
    char *folder = file_place_folder(FILE_CACHE), *copy = file_join(folder, file_name(path));

    assert_int_equal(file_read(path, 1 << 20, &text, &err), STATUS_OK);
    roofs = json_parse(strbuf_cstr(&text), text.len, &err);
    json_put_number(roofs, "flops_per_us", 100);
    json_put_number(roofs, "busy_cores", 0);
    text.len = 0;
    json_print(roofs, &text);
    assert_int_equal(file_make_place(FILE_CACHE, &err), STATUS_OK);
    assert_int_equal(file_write(copy, strbuf_cstr(&text), text.len, &err), STATUS_OK);
    json_free(roofs);
    strbuf_release(&text);
    free(folder);
    free(copy);
}

static char usual_cache[PATH_MAX], low_cache[] = "/tmp/kforge-roofs-XXXXXX";

/* A cache of its own whose compute roof is far too low; its group has measured the real ones. */
static int lower_roof(void **state)
{
    char pattern[PATH_MAX + 32];
    glob_t found = {0};

    (void)state;
    snprintf(usual_cache, sizeof(usual_cache), "%s", getenv("XDG_CACHE_HOME"));
    snprintf(pattern, sizeof(pattern), "%s/kforge/roofs-*.json", usual_cache);
    if (glob(pattern, 0, NULL, &found) || !mkdtemp(low_cache))
        return -1;
    setenv("XDG_CACHE_HOME", low_cache, 1);
    for (size_t i = 0; i < found.gl_pathc; i++)
        keep_low_roof(found.gl_pathv[i]);
    globfree(&found);
    return 0;
}

static int restore_roof(void **state)
{
    (void)state;
    file_remove_folder(low_cache);
    return setenv("XDG_CACHE_HOME", usual_cache, 1);
}

/* Read the problem, with short vectors: each verified run takes expected values of all products. */
static void read_pairs(const char *file, struct strbuf *text)
{
    struct json *document, *dims;
    struct error err;

    if (file_read(file, 1 << 20, text, &err))
        fail_msg("%s", err.text);
    document = json_parse(strbuf_cstr(text), text->len, &err);
    dims = json_put(document, "dims", json_object_new());
    json_put_number(dims, "N", 480);
    json_put_number(dims, "M", 480);
    text->len = 0;
    json_print(document, text);
    json_free(document);
}

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
    struct judge *judge = twice_judge("KFORGE_FORGING_EXECUTOR", 60000000, 1);
    struct strbuf text = {0};
    struct error err;

    (void)state;
    read_pairs(file, &text);
    if (judge_load(judge, strbuf_cstr(&text), text.len, file, &err))
        fail_msg("%s", err.text);
    twice_assert(judge, cases, sizeof(cases) / sizeof(*cases));
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
    struct judge *judge = twice_judge("KFORGE_FORGING_EXECUTOR", TIMING_US, 0.05);

    (void)state;
    before = before ? mem_strdup(before) : NULL;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    twice_assert(judge, candidates, sizeof(candidates) / sizeof(*candidates));
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
    struct judge *judge = twice_judge("KFORGE_FORGING_EXECUTOR", 0, 0.05);

    (void)state;
    for (int i = 0; i < 8; i++)
        twice_assert(judge, &belated, 1);
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
    struct judge *judge = twice_judge("KFORGE_FORGING_EXECUTOR", 60000000, 0.2);

    (void)state;
    for (int i = 0; i < 6; i++)
        twice_assert(judge, &lapse, 1);
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
    judge = twice_judge("KFORGE_FORGING_EXECUTOR", TIMING_US, 0.05);
    close(ends[1]);
    twice_assert(judge, takeover, 1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_forged_is_suspect_and_damage_is_no_others),
        cmocka_unit_test_setup_teardown(what_beats_the_bound_is_looked_at_closer, lower_roof,
                                        restore_roof),
        cmocka_unit_test(binaries_from_after_a_run_on_a_cpu_are_not_cached),
        cmocka_unit_test(the_last_run_is_verified),
        cmocka_unit_test(the_middle_of_timing_is_verified),
        cmocka_unit_test(nothing_outlives_the_executor),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("forged", tests, NULL, NULL);
}
