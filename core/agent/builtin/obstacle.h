#ifndef CORE_AGENT_BUILTIN_OBSTACLE_H
#define CORE_AGENT_BUILTIN_OBSTACLE_H

#include "core/agent/builtin/plan/schedule.h"
#include "core/model/device_info.h"
#include "core/model/problem.h"

/*
 * Why the fastest kernels that a device has do not take an operation of a problem, so that the next
 * best ones do: matrix units for products and convolutions, clusters of work-groups for recurrent
 * layers, and any kernel but the plain one for the others. Texts are constant.
 */
struct obstacle {
    const char *operation; /* name, such as "conv2d" */
    const char *instead;   /* what computes it, such as "on the ordinary cores" */
    const char *why;
};

enum { OBSTACLES_MAX = 4 };

/* The first ones; those of equal texts are one. */
struct obstacles {
    struct obstacle items[OBSTACLES_MAX];
    size_t count;
};

/* Find the obstacles to the operations of the problem as the schedule rewrites it. */
enum status obstacles_find(struct obstacles *found, const struct problem *problem,
                           const struct device_info *device, const struct schedule *schedule,
                           struct error *err) MUST_CHECK;

#endif
