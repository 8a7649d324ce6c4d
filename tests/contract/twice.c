#include "tests/contract/twice.h"

#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tests/contract/judge_fixture.h"

const char twice_problem[] =
    "{\"kforge\": 1, \"name\": \"twice\", \"summary\": \"Twice a vector.\","
    " \"dims\": {\"N\": 5000}, \"dynamic\": [\"N\"], \"also\": [{\"N\": 1}, {\"N\": 77}],"
    " \"tensors\": {"
    "  \"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"N\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"N\"]}},"
    " \"graph\": [{\"op\": \"mul\", \"in\": [\"x\", 2], \"out\": \"y\"}],"
    " \"tolerance\": {\"class\": \"f32\"}}";

/* Many times what the compiler takes for these kernels; an ending takes it all, page by page. */
enum { COMPILER_BYTES = 300 << 20 };

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

const struct ending twice_endings[] = {
    {"honest", KERNEL("y[i] = 2 * x[i];"), PLAN, OUTCOME_CORRECT, "over the strongest baseline ("},
    {"does not compile", KERNEL("y[i] = 2 * z[i];"), PLAN, OUTCOME_BUILD_FAILED, "line 4"},
    {"wrong", KERNEL("y[i] = 2 * x[i] + (i == 3 ? 0.1f : 0);"), PLAN, OUTCOME_WRONG_VALUES,
     "y: 1 of"},
    {"hangs", KERNEL("volatile __global float *v = y; while (i == 0) v[0] = x[0];"), PLAN,
     OUTCOME_TIMED_OUT, "longer than"},
    /* Judged in new processes, so that they are not judged twice. */
    {"crashes", KERNEL("*(volatile __global int *)(size_t)16 = i;"), PLAN, OUTCOME_CRASHED,
     "egmentation"},
    {"private arrays without end",
     KERNEL("volatile float a[1 << 28]; for (int k = 0; k < 1 << 28; k += 999) a[k] = i;\n"
            "    y[i] = 2 * x[i] + a[999 * N] - i;"),
     PLAN, OUTCOME_CRASHED, "private arrays"},
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
    {"a line for each element", KERNEL("printf(\"%d: %f\\n\", i, x[i]); y[i] = 2 * x[i];"), PLAN,
     OUTCOME_CORRECT, ""},
    {"a flood of output",
     KERNEL("for (int k = 0; k < 8; k++) printf(\"%d: a line, one of many, with %f\\n\", i, "
            "x[i]);\n    y[i] = 2 * x[i];"),
     PLAN, OUTCOME_FLOODED, "printed"},
    {"a source that takes the compiler's memory",
     KERNEL("y[i] = x[i] * sizeof((int[]){[0 ... 400000000] = 1});"), PLAN, OUTCOME_OUT_OF_MEMORY,
     "of memory"},
    {0},
};

/* A name begins with the numbers of the attack's rows in ATTACKS. */
const struct ending twice_attacks[] = {
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
     OUTCOME_WRONG_VALUES, "elements off"},
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
    {"21: writes far behind the output",
     KERNEL("y[i] = 2 * x[i]; if (i == 0) y[N + (1L << 22)] = 1;"), PLAN, OUTCOME_CRASHED,
     "Segmentation"},
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
     OUTCOME_NONDETERMINISTIC, "elements off in a second run"},
    {0},
};

/* Unusual candidates that are correct. */
const struct ending twice_odd[] = {
    {"last bits that change from run to run",
     REMEMBERING("y[i] = as_float(as_uint(2 * x[i]) + 2);"), REMEMBERING_PLAN, OUTCOME_CORRECT, ""},
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
    {0},
};

static void on_nothing(void *data, const struct evaluation_progress *progress)
{
    (void)data;
    (void)progress;
}

struct judge *twice_judge(const char *variable, int64_t timing_budget_us, double precision)
{
    static const char *executor[] = {NULL, "--executor", NULL};
    struct judge_options options = {
        .tune = {.choices = 64, .budget_us = 60000000},
        .executor = {.argv = executor,
                     .build_limit_us = 60000000,
                     .run_limit_us = 2000000,
                     .compiler_bytes = COMPILER_BYTES},
        .trials = 3,
        .unseen = 1,
        .precision = precision,
        .timing_budget_us = timing_budget_us,
        .progress = on_nothing,
    };
    struct judge *judge;
    struct error err;

    executor[0] = getenv(variable);
    judge = judge_new(&options);
    if (judge_load(judge, twice_problem, strlen(twice_problem), "twice.json", &err))
        fail_msg("%s", err.text);
    return judge;
}

void twice_evaluate(struct judge *judge, const struct ending *ending, struct verdict *verdict)
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

void twice_assert(struct judge *judge, const struct ending *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct verdict verdict = {0};

        twice_evaluate(judge, &cases[i], &verdict);
        if (verdict.outcome != cases[i].outcome || !strstr(verdict.detail, cases[i].says))
            fail_msg("%s: %s: %s", cases[i].name, outcome_name(verdict.outcome), verdict.detail);
        verdict_release(&verdict);
    }
}
