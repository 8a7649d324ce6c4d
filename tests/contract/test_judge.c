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

/* y = 2 x, at several values of N. */
static const char problem_text[] =
    "{\"kforge\": 1, \"name\": \"twice\", \"summary\": \"Twice a vector.\","
    " \"dims\": {\"N\": 5000}, \"dynamic\": [\"N\"], \"also\": [{\"N\": 1}, {\"N\": 77}],"
    " \"tensors\": {"
    "  \"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"N\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"N\"]}},"
    " \"graph\": [{\"op\": \"mul\", \"in\": [\"x\", 2], \"out\": \"y\"}],"
    " \"tolerance\": {\"class\": \"f32\"}}";

#define KERNEL(body)                                                        \
    "__kernel void twice(__global float *x, __global float *y, int N)\n{\n" \
    "    int i = get_global_id(0);\n" body "\n}\n"

#define PLAN                                                                                 \
    "{\"launches\": [{\"kernel\": \"twice\", \"global\": [\"N\"], \"args\": [\"x\", \"y\", " \
    "\"N\"]}]}"

struct ending {
    const char *name;
    const char *source, *plan;
    enum outcome outcome;
    const char *says; /* part of the detail */
};

#define LAUNCH(kernel, args) \
    "{\"kernel\": \"" kernel "\", \"global\": [\"N\"], \"args\": [" args "]}"
#define LAUNCHES(launches) "\"launches\": [" launches "]"
#define SCRATCH(name, type, size) \
    "\"scratch\": {\"" name "\": {\"dtype\": \"" type "\", \"shape\": [\"" size "\"]}}"
#define ARGS "\"x\", \"y\", \"N\""

/*
 * The kernel runs `cheat` from the third run on, which it counts in scratch memory; earlier runs
 * are honest.
 */
#define REMEMBERING(cheat)                                                            \
    "__kernel void twice(__global float *x, __global float *y, __global int *runs)\n" \
    "{\n    int i = get_global_id(0);\n"                                              \
    "    if (runs[0] >= 3 && runs[0] < 1000000) { " cheat " }\n"                      \
    "    else y[i] = 2 * x[i];\n}\n"                                                  \
    "__kernel void count(__global int *runs)\n"                                       \
    "{\n    if (get_global_id(0) == 0) runs[0] = "                                    \
    "runs[0] > 0 && runs[0] < 1000000 ? runs[0] + 1 : 1;\n}\n"
#define REMEMBERING_PLAN                           \
    "{" SCRATCH("runs", "i32", "1") ", " LAUNCHES( \
        LAUNCH("twice", "\"x\", \"y\", \"runs\"") ", " LAUNCH("count", "\"runs\"")) "}"

static const struct ending endings[] = {
    {"honest", KERNEL("y[i] = 2 * x[i];"), PLAN, OUTCOME_CORRECT, "over the strongest baseline ("},
    {"does not compile", KERNEL("y[i] = 2 * z[i];"), PLAN, OUTCOME_BUILD_FAILED, "line 4"},
    {"wrong", KERNEL("y[i] = 2 * x[i] + (i == 3 ? 0.1f : 0);"), PLAN, OUTCOME_WRONG_VALUES,
     "y: 1 of"},
    {"crashes", KERNEL("*(volatile __global int *)(size_t)16 = i;"), PLAN, OUTCOME_CRASHED,
     "egmentation"},
    {"hangs", KERNEL("volatile __global float *v = y; while (1) v[0] = x[0];"), PLAN,
     OUTCOME_TIMED_OUT, "longer than"},
    {"another name", KERNEL("y[i] = 2 * x[i];"), "{" LAUNCHES(LAUNCH("thrice", ARGS)) "}",
     OUTCOME_LAUNCH_FAILED, "thrice"},
    {"an argument too few", KERNEL("y[i] = 2 * x[i];"),
     "{" LAUNCHES(LAUNCH("twice", "\"x\", \"y\"")) "}", OUTCOME_LAUNCH_FAILED, "twice"},
    {"an unknown argument", KERNEL("y[i] = 2 * x[i];"), "{" LAUNCHES(LAUNCH("twice", "\"w\"")) "}",
     OUTCOME_BAD_PLAN, "\"w\""},
    {"more memory than there is", KERNEL("y[i] = 2 * x[i];"),
     "{\"scratch\": {\"s\": {\"dtype\": \"f32\", \"shape\": [2000000000]},"
     " \"t\": {\"dtype\": \"f32\", \"shape\": [2000000000]},"
     " \"u\": {\"dtype\": \"f32\", \"shape\": [2000000000]}},"
     " " LAUNCHES(LAUNCH("twice", ARGS)) "}",
     OUTCOME_BAD_PLAN, "bytes"},
    {"private arrays without end",
     KERNEL("volatile float a[1 << 28]; for (int k = 0; k < 1 << 28; k += 999) a[k] = i;\n"
            "    y[i] = 2 * x[i] + a[999 * N] - i;"),
     PLAN, OUTCOME_CRASHED, "private arrays"},
    {"a line for each element", KERNEL("printf(\"%d: %f\\n\", i, x[i]); y[i] = 2 * x[i];"), PLAN,
     OUTCOME_CORRECT, ""},
    {"a flood of output",
     KERNEL("for (int k = 0; k < 8; k++) printf(\"%d: a line, one of many, with %f\\n\", i, "
            "x[i]);\n    y[i] = 2 * x[i];"),
     PLAN, OUTCOME_FLOODED, "printed"},
    {"a source that takes the compiler's memory",
     KERNEL("y[i] = x[i] * sizeof((int[]){[0 ... 400000000] = 1});"), PLAN, OUTCOME_OUT_OF_MEMORY,
     "of memory"},
};

/* A name begins with the numbers of the attack's rows in ATTACKS. */
static const struct ending attacks[] = {
    {"7, 11: writes nothing", KERNEL("(void)x;"), PLAN, OUTCOME_WRONG_VALUES, "elements off"},
    {"8: changes its input", KERNEL("y[i] = 2 * x[i]; x[i] = 0;"), PLAN, OUTCOME_CHANGED_INPUTS,
     "x"},
    {"8: changes one bit of it",
     KERNEL("y[i] = 2 * x[i]; if (i == N - 1) ((__global uint *)x)[i] ^= 1;"), PLAN,
     OUTCOME_CHANGED_INPUTS, "x"},
    {"9, 10: keeps the output of an earlier run", REMEMBERING("y[i] = y[i];"), REMEMBERING_PLAN,
     OUTCOME_WRONG_VALUES, "in a timed run"},
    {"10: knows data that it has seen",
     "__kernel void twice(__global float *x, __global float *y, __global float *kept, int N)\n"
     "{\n    int i = get_global_id(0);\n"
     "    if (!(fabs(kept[N]) < 1e30f)) { y[i] = 2 * x[i]; kept[i] = y[i]; }\n"
     "    else y[i] = kept[i];\n}\n"
     "__kernel void seen(__global float *x, __global float *kept, int N)\n"
     "{\n    if (get_global_id(0) == 0) kept[N] = x[0];\n}\n",
     "{" SCRATCH("kept", "f32", "N + 1") ", " LAUNCHES(
         LAUNCH("twice",
                "\"x\", \"y\", \"kept\", \"N\"") ", " LAUNCH("seen", "\"x\", \"kept\", \"N\"")) "}",
     OUTCOME_WRONG_VALUES, "in a timed run"},
    {"11: zeros", KERNEL("y[i] = 0;"), PLAN, OUTCOME_WRONG_VALUES, "elements off"},
    {"11: not a number", KERNEL("y[i] = NAN;"), PLAN, OUTCOME_WRONG_VALUES, "elements off"},
    {"11: one is not a number", KERNEL("y[i] = i == 0 ? NAN : 2 * x[i];"), PLAN,
     OUTCOME_WRONG_VALUES, "y: 1 of"},
    {"12: eleven bits", KERNEL("y[i] = as_float(as_uint(2 * x[i]) & 0xffffe000u);"), PLAN,
     OUTCOME_WRONG_VALUES, "elements off"},
    {"15: another precision when timed",
     REMEMBERING("y[i] = as_float(as_uint(2 * x[i]) & 0xffff0000u);"), REMEMBERING_PLAN,
     OUTCOME_WRONG_VALUES, "in a timed run"},
    {"16: more local memory than there is", KERNEL("(void)x;"),
     "{\"launches\": [{\"kernel\": \"twice\", \"global\": [\"N\"],"
     " \"args\": [\"x\", \"y\", {\"local\": 1000000000}]}]}",
     OUTCOME_LAUNCH_FAILED, "local memory"},
    {"16: declares more of it",
     KERNEL("__local volatile float t[1 << 26]; t[i] = x[i];\n"
            "    y[i] = 2 * t[i];"),
     PLAN, OUTCOME_LAUNCH_FAILED, "local memory"},
    {"16: a group larger than allowed", KERNEL("y[i] = 2 * x[i];"),
     "{\"launches\": [{\"kernel\": \"twice\", \"global\": [\"align(N, 1048576)\"],"
     " \"local\": [1048576], \"args\": [" ARGS "]}]}",
     OUTCOME_LAUNCH_FAILED, "exceeds"},
    {"17: asks the system, in assembler",
     "#define LANGUAGE __as##m__\n" KERNEL(
         "long r; LANGUAGE volatile(\"syscall\" : \"=a\"(r) : \"a\"(57L));\n    y[i] = 2 * x[i];"),
     PLAN, OUTCOME_BUILD_FAILED, "poisoned"},
    {"17: calls what the host has",
     "int getppid(void);\nint kill(int, int);\n" KERNEL(
         "if (i == 0) kill(getppid(), 9);\n    y[i] = 2 * x[i];"),
     PLAN, OUTCOME_BUILD_FAILED, "kill"},
    {"17: jumps to what the host has",
     "typedef void call(void);\n" KERNEL("((call *)(size_t)x)();\n    y[i] = 2 * x[i];"), PLAN,
     OUTCOME_BUILD_FAILED, "function"},
    {"19: the first half", KERNEL("if (i <= N / 2) y[i] = 2 * x[i];"), PLAN, OUTCOME_WRONG_VALUES,
     "elements off"},
    {"19: right at the main size only", KERNEL("y[i] = N == 5000 ? 2 * x[i] : 0;"), PLAN,
     OUTCOME_WRONG_VALUES, "N="},
    {"19: right at the sizes that are shown",
     KERNEL("y[i] = N == 5000 || N == 1 || N == 77 ? 2 * x[i] : 0;"), PLAN, OUTCOME_WRONG_VALUES,
     "N="},
    {"21: writes behind the output", KERNEL("y[i] = 2 * x[i]; y[N] = 1;"), PLAN,
     OUTCOME_OUT_OF_BOUNDS, "outside of y, after"},
    {"21: writes before the output", KERNEL("y[i] = 2 * x[i]; y[-1] = 1;"), PLAN,
     OUTCOME_OUT_OF_BOUNDS, "outside of y, before"},
    {"21: writes behind the input", KERNEL("y[i] = 2 * x[i]; x[N] = 1;"), PLAN,
     OUTCOME_OUT_OF_BOUNDS, "outside of x, after"},
    {"21: writes behind scratch",
     "__kernel void twice(__global float *x, __global float *y, __global float *s)\n"
     "{\n    int i = get_global_id(0);\n    s[i + 1] = x[i];\n    y[i] = 2 * x[i];\n}\n",
     "{" SCRATCH("s", "f32", "N") ", " LAUNCHES(LAUNCH("twice", "\"x\", \"y\", \"s\"")) "}",
     OUTCOME_OUT_OF_BOUNDS, "outside of s, after"},
    {"22: prepares with the input", KERNEL("y[i] = 2 * x[i];"),
     "{\"prepare\": [" LAUNCH("twice", ARGS) "], " LAUNCHES(LAUNCH("twice", ARGS)) "}",
     OUTCOME_BAD_PLAN, "prepare"},
    {"23: a race that loses the second time",
     "__kernel void twice(__global float *x, __global float *y, __global int *runs)\n"
     "{\n    int i = get_global_id(0);\n    y[i] = runs[i] == 1 && i == 0 ? 0 : 2 * x[i];\n"
     "    runs[i] = 1;\n}\n",
     "{" SCRATCH("runs", "i32", "N") ", " LAUNCHES(LAUNCH("twice", "\"x\", \"y\", \"runs\"")) "}",
     OUTCOME_NONDETERMINISTIC, "elements off"},
};

/* Unusual candidates that are correct. */
static const struct ending odd[] = {
    {"through scratch, in place",
     "__kernel void copy(__global const float *x, __global float *s)\n"
     "{\n    s[get_global_id(0)] = x[get_global_id(0)];\n}\n"
     "__kernel void add(__global float *s)\n"
     "{\n    s[get_global_id(0)] += s[get_global_id(0)];\n}\n",
     "{" SCRATCH("s", "f32", "N") ", " LAUNCHES(LAUNCH("copy", "\"x\", \"s\"") ", " LAUNCH(
         "add", "\"s\"") ", " LAUNCH("copy", "\"s\", \"y\"")) "}",
     OUTCOME_CORRECT, ""},
    {"reads what it wrote into the output",
     KERNEL("y[i] = x[i]; barrier(CLK_GLOBAL_MEM_FENCE); y[i] = 2 * y[i];"), PLAN, OUTCOME_CORRECT,
     ""},
    {"work by tickets, from an atomic counter",
     "__kernel void reset(__global int *next)\n{\n    if (get_global_id(0) == 0) next[0] = 0;\n}\n"
     "__kernel void twice(__global float *x, __global float *y, __global int *next)\n"
     "{\n    int i = atomic_inc(next);\n    y[i] = 2 * x[i];\n}\n",
     "{" SCRATCH("next", "i32", "1") ", " LAUNCHES(
         LAUNCH("reset", "\"next\"") ", " LAUNCH("twice", "\"x\", \"y\", \"next\"")) "}",
     OUTCOME_CORRECT, ""},
    {"a table that it prepares",
     "__kernel void two(__global float *factor)\n{\n    factor[get_global_id(0)] = 2;\n}\n"
     "__kernel void twice(__global float *x, __global float *y, __global const float *factor)\n"
     "{\n    int i = get_global_id(0);\n    y[i] = factor[i] * x[i];\n}\n",
     "{" SCRATCH("factor", "f32", "N") ", \"prepare\": [" LAUNCH(
         "two", "\"factor\"") "], " LAUNCHES(LAUNCH("twice", "\"x\", \"y\", \"factor\"")) "}",
     OUTCOME_CORRECT, ""},
    {"groups of seven", KERNEL("if (i < N) y[i] = 2 * x[i];"),
     "{\"launches\": [{\"kernel\": \"twice\", \"global\": [\"align(N, 7)\"], \"local\": [7],"
     " \"args\": [" ARGS "]}]}",
     OUTCOME_CORRECT, ""},
    {"in three dimensions",
     "__kernel void twice(__global float *x, __global float *y, int N)\n"
     "{\n    int i = get_global_id(0) + 5 * (get_global_id(1) + 3 * get_global_id(2));\n"
     "    if (i < N) y[i] = 2 * x[i];\n}\n",
     "{\"launches\": [{\"kernel\": \"twice\", \"global\": [5, 3, \"ceildiv(N, 15)\"],"
     " \"local\": [5, 1, 1], \"args\": [" ARGS "]}]}",
     OUTCOME_CORRECT, ""},
    {"one work-item", KERNEL("for (i = 0; i < N; i++) y[i] = 2 * x[i];"),
     "{\"launches\": [{\"kernel\": \"twice\", \"global\": [1], \"args\": [" ARGS "]}]}",
     OUTCOME_CORRECT, ""},
    {"tuned over choices of which one does not build, one is wrong and one crashes",
     "#if MODE == 0\n#error not this one\n#endif\n" KERNEL(
         "y[i] = MODE == 1 ? 0 : 2 * x[i]; if (MODE == 2) *(volatile __global int *)(size_t)16 = "
         "i;"),
     "{\"tune\": {\"MODE\": [0, 1, 2, 3]}, \"build\": [\"-DMODE={MODE}\"], " LAUNCHES(
         LAUNCH("twice", ARGS)) "}",
     OUTCOME_CORRECT, ""},
    {"tuned over nothing that is right", KERNEL("y[i] = MODE;"),
     "{\"tune\": {\"MODE\": [0, 1]}, \"build\": [\"-DMODE={MODE}\"], " LAUNCHES(
         LAUNCH("twice", ARGS)) "}",
     OUTCOME_WRONG_VALUES, ""},
};

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
    if (judge_load(judge, problem_text, strlen(problem_text), "twice.json", &err))
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

/* Each candidate gets its verdict, and the judge continues with the next one. */
static void every_ending_has_its_verdict(void **state)
{
    assert_endings(*state, endings, sizeof(endings) / sizeof(*endings));
}

static void no_attack_is_correct(void **state)
{
    assert_endings(*state, attacks, sizeof(attacks) / sizeof(*attacks));
}

static void nothing_honest_is_refused(void **state)
{
    assert_endings(*state, odd, sizeof(odd) / sizeof(*odd));
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

    evaluate(*state, &endings[0], &v);
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

    evaluate(*state, &endings[0], &v);
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

static void the_best_candidate_is_timed_alternately(void **state)
{
    char language[] = "opencl", remark[] = "", plan[] = PLAN;
    char fast[] = KERNEL("y[i] = 2 * x[i];");
    char slow[] = BUSY("twice");
    struct candidate best = {.language = language, .source = slow, .plan = plan, .remark = remark};
    struct candidate own = {.language = language, .source = fast, .plan = plan, .remark = remark};
    struct verdict v = {0};
    struct error err;

    if (judge_evaluate(*state, &(struct judge_request){.candidate = &own, .best = &best}, &v, &err))
        fail_msg("%s", err.text);
    assert_non_null(verdict_against(&v, "best"));
    assert_true(verdict_against(&v, "best")->speedup_low > 2);
    verdict_release(&v);
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
        cmocka_unit_test(the_best_candidate_is_timed_alternately),
        cmocka_unit_test(a_task_without_a_plain_kernel_is_judged_without),
    };

    return cmocka_run_group_tests_name("judge", tests, start_judge, end_judge);
}
