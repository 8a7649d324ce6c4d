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

/* Floats that a work-item of a GPU keeps in registers before fewer of them fit on a core. */
static const double gpu_tile = 64;

/* A step loads its row and column from local memory, which takes longer than a multiply-add. */
static double gpu_cost(const struct schedule *s, const struct cost_shape *shape)
{
    double m = s->of[KNOB_TILE_M], n = s->of[KNOB_TILE_N];
    double cycles = m * n + 2 * (m + n) + loop_cycles / s->of[KNOB_UNROLL];

    cycles += 4 * fmax(m * n - gpu_tile, 0);
    return cycles * ceil(shape->m / m) * ceil(shape->n / n);
}

static double cpu_cost(const struct schedule *s, const struct cost_shape *shape)
{
    double m = s->of[KNOB_TILE_M], vectors = (double)s->of[KNOB_TILE_N] / s->of[KNOB_VEC];
    double kept = m * shape->kept / s->of[KNOB_VEC];
    double used = m * vectors + kept + vectors + 1, spilled = fmax(used - registers(shape), 0);
    double cycles = fmax(latency_cycles, fmax(m * vectors, m + vectors) / issue_per_cycle);
    double rows = ceil(shape->m / m) * m, columns = ceil(shape->n / s->of[KNOB_TILE_N]);

    cycles += panel_cycles(s, shape) + loop_cycles / s->of[KNOB_UNROLL] + 2 * spilled;
    return cycles * columns * rows / m;
}

double cost_of(const struct schedule *schedule, const struct cost_shape *shape)
{
    return shape->is_cpu ? cpu_cost(schedule, shape) : gpu_cost(schedule, shape);
}
