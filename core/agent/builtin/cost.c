#include "core/agent/builtin/cost.h"

#include <math.h>

/* A core as most are: two multiply-adds and two loads a cycle, four cycles for a multiply-add. */
static const double issue_per_cycle = 2, latency_cycles = 4, loop_cycles = 1;

/*
 * A second-level cache of a core, and the bytes a cycle from it and from what is behind it that the
 * core has to wait for: most of the way is hidden behind arithmetic.
 */
static const double cache_bytes = 1 << 20, near_bytes_per_cycle = 128, far_bytes_per_cycle = 24;

/* 32 registers where vectors have 512 bits, else 16. */
static double registers(const struct cost_shape *shape)
{
    return shape->vector_width >= 16 ? 32 : 16;
}

/* Neighbouring work-groups go through all panels when they share rows, and stay on one otherwise.
 */
static double panel_cycles(const struct schedule *s, const struct cost_shape *shape)
{
    double columns = s->of[KNOB_ORDER] ? s->of[KNOB_TILE_N] : shape->n;
    bool is_near = columns * shape->k * sizeof(float) < cache_bytes;

    return s->of[KNOB_TILE_N] * (double)sizeof(float) /
           (is_near ? near_bytes_per_cycle : far_bytes_per_cycle);
}

double cost_of(const struct schedule *s, const struct cost_shape *shape)
{
    double m = s->of[KNOB_TILE_M], vectors = (double)s->of[KNOB_TILE_N] / s->of[KNOB_VEC];
    double used = m * vectors + vectors + 1, spilled = fmax(used - registers(shape), 0);
    double cycles = fmax(latency_cycles, fmax(m * vectors, m + vectors) / issue_per_cycle);
    double rows = ceil(shape->m / m) * m, columns = ceil(shape->n / s->of[KNOB_TILE_N]);

    cycles += panel_cycles(s, shape) + loop_cycles / s->of[KNOB_UNROLL] + 2 * spilled;
    return cycles * columns * rows / m;
}
