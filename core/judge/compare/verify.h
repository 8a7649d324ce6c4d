#ifndef CORE_JUDGE_COMPARE_VERIFY_H
#define CORE_JUDGE_COMPARE_VERIFY_H

#include "core/model/graph.h"
#include "core/model/problem.h"
#include "core/model/verdict.h"

/*
 * Element by element comparison of a candidate's outputs with the expected outputs, by the rule of
 * struct tolerance. An element that is not finite matches only one of the same kind: NaN, or
 * infinity of the same sign, unless its tolerance allows any that is not finite. A bool is the byte
 * 0 or 1; any other byte is wrong.
 *
 * Under a derived tolerance `allowed` says how far each element may be off. Without it integers
 * and bools are exact, and floats may be off by the larger of the rule by scale and one spacing of
 * the output's type.
 */

/* The magnitude of the finite elements of a tensor. */
struct magnitude {
    double squares; /* sum of squares */
    size_t finite;  /* number of finite elements */
};

/* The expected elements of an output, in double precision or in another type. */
struct wanted {
    const void *elements;
    enum dtype dtype;
    struct magnitude magnitude; /* all zeros: not measured yet */
    /*
     * the tolerance of each element as codes of tolerance16.h; NULL if it is not derived by element
     */
    const uint16_t *allowed;
};

/* The elements of an output as computed and as expected. Borrows everything. */
struct output {
    const struct value *value;
    const void *got; /* the elements as the device wrote them */
    struct wanted want;
};

/* Measure the expected elements once, for all outputs that are compared with them. */
struct magnitude verify_measure(const struct value *value, const struct wanted *want);

/*
 * Compare one output. Fills the numbers of `trial` but not its names; differences are those of
 * finite elements, and the worst are those beyond the tolerance. If `map` is not NULL, replaces it
 * with a new map (heatmap.h).
 */
void verify_output(const struct output *output, const struct tolerance *tolerance,
                   struct trial *trial, struct error_map *map);

/* True if enough elements are within the tolerance and no element is wrongly not finite. */
bool verify_passes(const struct trial *trial, const struct tolerance *tolerance);

#endif
