#ifndef CORE_JUDGE_LIMITS_H
#define CORE_JUDGE_LIMITS_H

#include "core/judge/evaluation.h"

/*
 * Compares the time of a verified candidate with the graph's bound (core/model/roofline/bound.h),
 * which says how good the time is, and with the floor (core/model/roofline/floor.h), below which it
 * is suspect.
 */

/* The facts from which the limits are computed. Borrows everything. */
struct limits {
    const struct graph *graph; /* at the main dimensions */
    const struct problem *problem;
    struct expectations *expectations; /* their findings name the inputs that are ignored */
    const struct device_info *device;
    const struct roofs *roofs;
};

/* The limits at the context's main dimensions. */
struct limits limits_of(const struct evaluation_context *context);

/*
 * True if the time is shorter than the graph's bound, even if matrix units compute products in f32
 * by parts of 16 bits.
 */
bool limits_bound_is_beaten(const struct limits *limits, const struct estimate *time);

/* Fill in the bound and the floor of a timed candidate. Waits for the findings. */
void limits_compute(const struct limits *limits, struct verdict *verdict);

/* True if the time is below the floor by more than the roofs' own error. */
bool limits_are_beaten(const struct limits *limits, const struct verdict *verdict);

/* Conclude the verdict of a candidate that is below the floor: what is suspected, and why. */
void limits_conclude(struct verdict *verdict);

#endif
