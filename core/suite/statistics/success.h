#ifndef CORE_SUITE_STATISTICS_SUCCESS_H
#define CORE_SUITE_STATISTICS_SUCCESS_H

#include <stddef.h>

/*
 * The probability that at least one of `k` tries is right, estimated without bias from `right` of
 * `count` tries: 1 - C(count - right, k) / C(count, k) (Chen et al., "Evaluating large language
 * models trained on code", arXiv 2107.03374, eq. 1).  NaN with fewer than k tries.
 */
double success_at(size_t count, size_t right, size_t k);

#endif
