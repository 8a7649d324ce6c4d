/*
 * Candidates for y = 2 x, and the verdict that each must have: every way a candidate can end, the
 * attacks of ATTACKS that one small kernel can show, and unusual kernels that are correct.
 */
#ifndef TESTS_CONTRACT_TWICE_H
#define TESTS_CONTRACT_TWICE_H

#include <stddef.h>

#include "core/model/verdict.h"

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

/* An array of them that ends with one without a name. */
extern const struct ending twice_endings[], twice_attacks[], twice_odd[];

#endif
