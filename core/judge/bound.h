#ifndef CORE_JUDGE_BOUND_H
#define CORE_JUDGE_BOUND_H

#include "core/model/graph.h"
#include "core/model/verdict.h"

/*
 * The time that no implementation can beat: the roofline model (Williams,
 * Waterman, Patterson, CACM 52(4), 2009) with roofs measured on the device.
 */

enum { ROOFS_MEMORY_LEVELS = 6 };

/* The bandwidth seen while working on `bytes` in all, read and write together. */
struct memory_roof {
    double bytes, bytes_per_us;
};

/* So many cores that others keep busy may well have made roofs look low. */
#define ROOFS_DISTURBED_CORES 0.25

/* What a device can do at best; zero is unknown. */
struct roofs {
    struct memory_roof memory[ROOFS_MEMORY_LEVELS]; /* by growing size */
    size_t memory_count;
    double flops_per_us; /* multiply-adds in f32, counted as 2 */
    double busy_cores;   /* of the host, that others kept busy while this was measured */
};

/* What is not there reads as unknown. */
struct json *roofs_encode(const struct roofs *roofs);
void roofs_decode(struct roofs *roofs, const struct json *encoded);

/*
 * The highest bandwidth at which `bytes` can be moved: caches make small
 * sizes faster, so it is the best of the levels from the one that `bytes`
 * has outgrown.
 */
double roofs_bandwidth(const struct roofs *roofs, double bytes);

/*
 * With one roof unknown the other alone bounds; with both, `bound` is left as
 * it is.  `time` may be NULL: fraction is then 0.
 */
void bound_compute(const struct graph *graph, const struct roofs *roofs,
                   const struct estimate *time, struct bound *bound);

#endif
