#ifndef CORE_AGENT_BUILTIN_PLAN_TIME_ESTIMATE_H
#define CORE_AGENT_BUILTIN_PLAN_TIME_ESTIMATE_H

#include "core/agent/builtin/plan/schedule.h"
#include "core/model/problem.h"

/*
 * How a product's time follows from its schedule: what each step of the sum
 * costs a work-item in arithmetic, loads and loop, over what it computes.  It
 * ranks schedules, so that the promising ones are tried first; what they gain
 * is measured.
 */

/* Sizes of the product, and how wide the device's vectors are. */
struct product_shape {
    double m, n, k;
    double count; /* of such products */
    double kept;  /* floats of each row that stay in registers beside the tile */
    int vector_width;
    bool is_cpu;
    double units; /* cores, or multiprocessors */
};

/* Of the first product of the problem's graph at its main dimensions, or what is like one. */
enum status time_estimate_shape(const struct problem *problem, const struct device_info *device,
                                struct product_shape *shape, bool *is_found,
                                struct error *err) MUST_CHECK;

/* Relative time, of no unit. */
double time_estimate(const struct schedule *schedule, const struct product_shape *shape);

#endif
