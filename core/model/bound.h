#ifndef CORE_MODEL_BOUND_H
#define CORE_MODEL_BOUND_H

#include "core/model/graph.h"
#include "core/model/problem.h"
#include "core/model/verdict.h"

/*
 * The time that no implementation can beat: the roofline model (Williams,
 * Waterman, Patterson, CACM 52(4), 2009) with roofs measured on the device.
 */

/*
 * The highest bandwidth at which `bytes` can be moved: caches make small
 * sizes faster, so it is the best of the levels from the one that `bytes`
 * has outgrown.
 */
double roofs_bandwidth(const struct roofs *roofs, double bytes);

/* The roofs of candidates under the tolerance: matrix units are for those that may round to 16
 * bits.
 */
struct roofs roofs_allowed(const struct roofs *roofs, const struct tolerance *tolerance);

/*
 * With one roof unknown the other alone bounds; with both, `bound` is left as
 * it is.  `time` may be NULL: fraction is then 0.
 */
void bound_compute(const struct graph *graph, const struct roofs *roofs,
                   const struct estimate *time, struct bound *bound);

/*
 * Whether the fraction of the bound is more than anybody believes, since the roofs are measured as
 * well.  They are of a device that is so many of the machine's `cores`, or none of them (0): of
 * cores that others were busy on, only what was left has been measured.
 */
bool bound_is_beaten(const struct bound *bound, const struct roofs *roofs, unsigned cores);

#endif
