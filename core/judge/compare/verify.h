#ifndef CORE_JUDGE_COMPARE_VERIFY_H
#define CORE_JUDGE_COMPARE_VERIFY_H

#include "core/model/graph.h"
#include "core/model/problem.h"
#include "core/model/verdict.h"

/*
 * Comparing what a candidate computed with what was expected, element by
 * element, by the rule of struct tolerance.  An element that is not finite
 * matches only one of the same kind: NaN, or infinity of the same sign.
 */

/* How large finite elements are. */
struct magnitude {
    double squares; /* their sum */
    size_t finite;  /* how many they are */
};

/* What is expected of an output: its elements, in double precision or in another type. */
struct wanted {
    const void *elements;
    enum dtype dtype;
    struct magnitude magnitude; /* all zeros: not measured yet */
};

/* An output, as it is and as it should be.  Borrows everything. */
struct output {
    const struct value *value;
    const void *got; /* the elements as the device wrote them */
    struct wanted want;
};

/* Measure what is expected of an output, once for all that are compared with it. */
struct magnitude verify_measure(const struct value *value, const struct wanted *want);

/*
 * Compare one output.  Fills the numbers of `trial` (not its names), where
 * differences are of finite elements, and the worst are those beyond
 * tolerance; and, where `map` is not NULL, replaces the map, which has at
 * most 64 x 128 cells, each rounded up to three digits.
 */
void verify_output(const struct output *output, const struct tolerance *tolerance,
                   struct trial *trial, struct error_map *map);

/* Whether enough elements are within tolerance, and none is wrongly not finite. */
bool verify_passes(const struct trial *trial, const struct tolerance *tolerance);

#endif
