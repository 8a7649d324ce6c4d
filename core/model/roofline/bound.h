#ifndef CORE_MODEL_ROOFLINE_BOUND_H
#define CORE_MODEL_ROOFLINE_BOUND_H

#include "core/model/graph.h"
#include "core/model/problem.h"
#include "core/model/verdict.h"

/*
 * The time of a graph as it is written: its operations and bytes over roofs that were measured on
 * the device, by the roofline model (Williams, Waterman, Patterson, CACM 52(4), 2009). A candidate
 * may legitimately beat the bound, because it may need fewer operations or bytes than the graph. No
 * correct candidate can beat the floor (floor.h).
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

/* Under a mixed tolerance params count as the 16-bit copies that `prepare` may make of them. */
double bound_bytes(const struct graph *graph, const struct tolerance *tolerance);

/*
 * Compute the bound from the roofs that are known and the tolerance allows; `bound` is not changed
 * if none is known. `time` may be NULL: the fraction is then 0.
 */
void bound_compute(const struct graph *graph, const struct tolerance *tolerance,
                   const struct roofs *roofs, const struct estimate *time, struct bound *bound);

/* True for a candidate that is faster than its bound by more than the roofs' own error. */
bool bound_is_beaten(const struct bound *bound);

enum { BOUND_SHARE_SIZE = 64 };

/*
 * The share of the bound that is reached: "85 % of the graph's bound"; for a candidate that beats
 * it "3.2x fewer operations than the graph", or bytes. The second function has only the fraction
 * and gives "3.2x less work than the graph".
 */
const char *bound_share(const struct bound *bound, char text[BOUND_SHARE_SIZE]);
const char *bound_share_of(double fraction, char text[BOUND_SHARE_SIZE]);

#endif
