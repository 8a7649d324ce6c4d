#include "core/model/bound.h"

#include <math.h>

double roofs_bandwidth(const struct roofs *roofs, double bytes)
{
    double best = 0;

    for (size_t i = roofs->memory_count; i-- > 0;) {
        if (roofs->memory[i].bytes_per_us > best)
            best = roofs->memory[i].bytes_per_us;
        if (roofs->memory[i].bytes <= bytes)
            break;
    }
    return best;
}

struct roofs roofs_allowed(const struct roofs *roofs, const struct tolerance *tolerance)
{
    struct roofs allowed = *roofs;

    if (tolerance->allows_mixed && roofs->matrix_flops_per_us > roofs->flops_per_us)
        allowed.flops_per_us = roofs->matrix_flops_per_us;
    return allowed;
}

void bound_compute(const struct graph *graph, const struct roofs *roofs,
                   const struct estimate *time, struct bound *bound)
{
    double flops = graph_flops(graph), bytes = graph_bytes(graph);
    double bandwidth = roofs_bandwidth(roofs, bytes);
    double memory_us = bandwidth > 0 ? bytes / bandwidth : 0;
    double compute_us = roofs->flops_per_us > 0 ? flops / roofs->flops_per_us : 0;
    double us = memory_us > compute_us ? memory_us : compute_us;

    if (us <= 0)
        return;
    *bound = (struct bound){
        .is_present = true,
        .flops = flops,
        .bytes = bytes,
        .us = us,
        .limiter = memory_us > compute_us ? LIMITER_MEMORY : LIMITER_COMPUTE,
        .fraction = time && time->median_us > 0 ? us / time->median_us : 0,
        .roofs = *roofs,
    };
}

/* A time that is better than the bound by more than this factor is suspect. */
static const double suspect_fraction = 1.25;

bool bound_is_beaten(const struct bound *bound, const struct roofs *roofs, unsigned cores)
{
    double left = cores ? fmax(0, 1 - roofs->busy_cores / cores) : 1;

    return bound->is_present && bound->fraction * left > suspect_fraction;
}
