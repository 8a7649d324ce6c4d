#ifndef CORE_JUDGE_VERIFY_H
#define CORE_JUDGE_VERIFY_H

#include "core/model/graph.h"
#include "core/model/problem.h"
#include "core/model/verdict.h"

/* Comparing what a candidate computed with what was expected. */

/*
 * Compare one output.  `got` holds the elements as the device wrote them;
 * `want` in double precision.  Fills the numbers of `trial` (not its names)
 * and, where `map` is not NULL, the map.
 */
void verify_output(const struct value *value, const void *got, const double *want,
                   const struct tolerance *tolerance, struct trial *trial, struct error_map *map);

/* Whether the trial is within tolerance. */
bool verify_passes(const struct trial *trial, const struct tolerance *tolerance);

#endif
