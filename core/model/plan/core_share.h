#ifndef CORE_MODEL_PLAN_CORE_SHARE_H
#define CORE_MODEL_PLAN_CORE_SHARE_H

#include "core/model/plan/dispatch.h"

/*
 * The share of the launches' work that falls to one core when all `cores` are free, from their
 * sizes: 0.5 on two cores if there are many groups, 2 of 3 if there are three, 1 for a single one.
 * Groups count as equally long, and launches by their work-items. Where the plan leaves the group
 * to the driver, it is taken to divide evenly. 0 without launches.
 */
double core_share(const struct launch_list *launches, unsigned cores);

#endif
