#include "core/judge/bound.h"

void bound_compute(const struct graph *graph, const struct roofs *roofs, bool allows_mixed,
                   const struct estimate *time, struct bound *bound)
{
    bool is_low = allows_mixed && roofs->low_flops_per_us > roofs->flops_per_us;
    double flops_per_us = is_low ? roofs->low_flops_per_us : roofs->flops_per_us;
    double flops = graph_flops(graph), bytes = graph_bytes(graph);
    double memory_us = roofs->bytes_per_us > 0 ? bytes / roofs->bytes_per_us : 0;
    double compute_us = flops_per_us > 0 ? flops / flops_per_us : 0;
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
    };
}
