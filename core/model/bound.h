#ifndef CORE_MODEL_BOUND_H
#define CORE_MODEL_BOUND_H

#include "core/model/graph.h"
#include "core/model/problem.h"
#include "core/model/verdict.h"

/*
 * The time that no implementation can beat, by the roofline model (Williams, Waterman, Patterson,
 * CACM 52(4), 2009) with roofs that were measured on the device.
 */

/*
 * The highest bandwidth, in bytes per microsecond, for a problem that moves `bytes`. The roofs have
 * one level for each size, and caches make small sizes faster, so this is the best of the largest
 * level that is not above `bytes` and all larger ones.
 */
double roofs_bandwidth(const struct roofs *roofs, double bytes);

/*
 * The roofs for candidates under this tolerance: only a mixed tolerance, which allows rounding to
 * 16 bits, permits the matrix units.
 */
struct roofs roofs_allowed(const struct roofs *roofs, const struct tolerance *tolerance);

/*
 * Compute the bound from the roofs that are known; `bound` stays as it is when none is. `time` may
 * be NULL: the fraction is then 0.
 */
void bound_compute(const struct graph *graph, const struct roofs *roofs,
                   const struct estimate *time, struct bound *bound);

/*
 * True when the candidate beats the bound by more than the roofs' own error of measurement, so that
 * its time is suspect. `cores` is the number of the host's cores that make up the device, 0 for a
 * GPU: while other processes kept some of these cores busy, the roofs were measured on the
 * remaining ones only.
 */
bool bound_is_beaten(const struct bound *bound, const struct roofs *roofs, unsigned cores);

#endif
