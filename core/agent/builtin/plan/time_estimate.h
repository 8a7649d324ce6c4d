#ifndef CORE_AGENT_BUILTIN_PLAN_TIME_ESTIMATE_H
#define CORE_AGENT_BUILTIN_PLAN_TIME_ESTIMATE_H

#include "core/agent/builtin/plan/schedule.h"
#include "core/model/problem.h"

/*
 * Estimates the time of a product under a schedule: arithmetic, loads and loop overhead for each
 * step of the sum. The estimate only ranks schedules, so that promising ones are tried first; gains
 * are always measured.
 */

/* The sizes of a product, and the properties of the device that matter. */
struct product_shape {
    double m, n, k;
    double count;     /* products in the batch */
    double converted; /* elements that every run converts for matrix units */
    double kept;      /* floats of each row that stay in registers in addition to the tile */
    int vector_width;
    bool is_cpu;
    double units; /* cores, or multiprocessors */
};

/*
 * Set the shape of the first product, convolution or attention in the graph, at the main
 * dimensions; if it is a product, of the product with the most operations.
 */
enum status time_estimate_shape(const struct problem *problem, const struct device_info *device,
                                struct product_shape *shape, bool *is_found,
                                struct error *err) MUST_CHECK;

/*
 * The number of sections of the sum that different work-groups compute on matrix units, because
 * the product has too few tiles for the device; 1 for whole sums. Steps of a section are a multiple
 * of the steps of a stage.
 */
int time_estimate_sections(const struct schedule *schedule, const struct product_shape *shape);

/* Steps of the sum in a stage of operands for matrix units. */
enum { STAGE_STEPS = 64 };

/* The estimated time, comparable for one shape only; it has no unit. */
double time_estimate(const struct schedule *schedule, const struct product_shape *shape);

#endif
