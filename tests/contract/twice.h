/*
 * Candidates for y = 2 x, and the verdict that each must have: every way a candidate can end, the
 * attacks of ATTACKS that one small kernel can show, and unusual kernels that are correct.
 */
#ifndef TESTS_CONTRACT_TWICE_H
#define TESTS_CONTRACT_TWICE_H

#include <stddef.h>

#include "core/judge/judge.h"

/* The problem "twice", as JSON, at several values of N. */
extern const char twice_problem[];

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

#define BUSY(name)                                                          \
    "__kernel void " name "(__global float *x, __global float *y, int N)\n" \
    "{\n    int i = get_global_id(0);\n    float s = 0;\n"                  \
    "    for (int k = 0; k < 20; k++) s += sin(x[i] + k);\n"                \
    "    y[i] = s > 1e30f ? s : 2 * x[i];\n}\n"

/* An array of them that ends with one without a name. */
extern const struct ending twice_endings[], twice_attacks[], twice_odd[];

enum { TIMING_US = 200000 };

/*
 * A judge of "twice", which the caller frees. `variable` names the environment variable with the
 * executor's path. Timing ends after `timing_budget_us`, or when the median is known to
 * `precision`.
 */
struct judge *twice_judge(const char *variable, int64_t timing_budget_us, double precision);

/* Judge one candidate; every failure fails the running test. The caller releases the verdict. */
void twice_evaluate(struct judge *judge, const struct ending *ending, struct verdict *verdict);

/* Fail the test unless each candidate gets its verdict. */
void twice_assert(struct judge *judge, const struct ending *cases, size_t count);

#endif
