#include "core/model/roofline/floor.h"

#include <math.h>

#include "core/model/roofline/bound.h"

static double output_bytes(const struct graph *graph)
{
    double bytes = 0;

    for (size_t i = 0; i < graph->values.count; i++)
        if (graph->values.items[i].role == TENSOR_OUTPUT)
            bytes += graph_value_bytes(graph, i);
    return bytes;
}

void floor_compute(const struct graph *graph, const bool *ignored, const struct roofs *roofs,
                   struct time_floor *result)
{
    double bytes = needs_input_bytes(graph, ignored) + output_bytes(graph);
    double bandwidth = roofs_bandwidth(roofs, bytes);
    double us = fmax(bandwidth > 0 ? bytes / bandwidth : 0, roofs->launch_us);

    if (us <= 0)
        return;
    *result = (struct time_floor){
        .is_present = true,
        .us = us,
        .bytes = bytes,
        .bytes_per_us = bandwidth,
        .launch_us = roofs->launch_us,
    };
}

bool floor_is_launch(const struct time_floor *limit)
{
    return limit->launch_us >= limit->us;
}

/* A time that is shorter than the floor by more than this factor is suspect. */
static const double suspect_factor = 1.25;

double floor_least_us(const struct time_floor *limit, const struct roofs *roofs, unsigned cores)
{
    double left = cores ? fmax(0, 1 - roofs->busy_cores / cores) : 1;

    return limit->is_present ? limit->us * left / suspect_factor : 0;
}

bool floor_is_beaten(const struct time_floor *limit, double us, const struct roofs *roofs,
                     unsigned cores)
{
    return us < floor_least_us(limit, roofs, cores);
}
