#ifndef CORE_JUDGE_BOUND_H
#define CORE_JUDGE_BOUND_H

#include "core/model/graph.h"
#include "core/model/verdict.h"

/*
 * The time that no implementation can beat: the roofline model (Williams,
 * Waterman, Patterson, CACM 52(4), 2009) with roofs measured on the device.
 */

/* What a device can do at best; zero is unknown. */
struct roofs {
    double bytes_per_us;     /* memory, read and write together */
    double flops_per_us;     /* f32 multiply-adds, counted as 2 */
    double low_flops_per_us; /* the same in 16 bits, where that is faster; else as f32 */
};

/*
 * With one roof unknown the other alone bounds; with both, `bound` is left as
 * it is.  `time` may be NULL: fraction is then 0.
 */
void bound_compute(const struct graph *graph, const struct roofs *roofs, bool allows_mixed,
                   const struct estimate *time, struct bound *bound);

#endif
