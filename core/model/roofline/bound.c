#include "core/model/roofline/bound.h"

#include <math.h>
#include <stdio.h>

#include "core/base/format.h"

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

/* The bytes that rounding params to 16 bits saves. */
static double saved_bytes(const struct graph *graph)
{
    double bytes = 0;

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (value->role == TENSOR_PARAM && dtype_is_float(value->dtype))
            bytes += graph_value_bytes(graph, i) *
                     (1 - (double)dtype_bytes(DTYPE_F16) / (double)dtype_bytes(value->dtype));
    }
    return bytes;
}

double bound_bytes(const struct graph *graph, const struct tolerance *tolerance)
{
    return graph_bytes(graph) - (tolerance->allows_mixed ? saved_bytes(graph) : 0);
}

void bound_compute(const struct graph *graph, const struct tolerance *tolerance,
                   const struct roofs *roofs, const struct estimate *time, struct bound *bound)
{
    const struct roofs allowed = roofs_allowed(roofs, tolerance);
    double flops = graph_flops(graph), bytes = bound_bytes(graph, tolerance);
    double bandwidth = roofs_bandwidth(roofs, bytes);
    double memory_us = bandwidth > 0 ? bytes / bandwidth : 0;
    double compute_us = allowed.flops_per_us > 0 ? flops / allowed.flops_per_us : 0;
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
        .roofs = allowed,
    };
}

/* Errors in the measured roofs may explain a fraction of the bound up to this one. */
static const double same_as_bound = 1.05;

bool bound_is_beaten(const struct bound *bound)
{
    return bound->is_present && bound->fraction > same_as_bound;
}

/* `less` says what a candidate that beats the bound needs less of: "operations". */
static const char *describe_share(double fraction, const char *less, char text[BOUND_SHARE_SIZE])
{
    char share[FORMAT_SIZE];

    if (fraction > same_as_bound)
        snprintf(text, BOUND_SHARE_SIZE, "%.*fx %s than the graph", fraction < 10 ? 1 : 0, fraction,
                 less);
    else
        snprintf(text, BOUND_SHARE_SIZE, "%s %% of the graph's bound",
                 format_share(share, fraction));
    return text;
}

const char *bound_share(const struct bound *bound, char text[BOUND_SHARE_SIZE])
{
    return describe_share(bound->fraction,
                          bound->limiter == LIMITER_MEMORY ? "fewer bytes" : "fewer operations",
                          text);
}

const char *bound_share_of(double fraction, char text[BOUND_SHARE_SIZE])
{
    return describe_share(fraction, "less work", text);
}
