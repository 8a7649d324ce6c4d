#ifndef CORE_MODEL_PLAN_CORE_SHARE_H
#define CORE_MODEL_PLAN_CORE_SHARE_H

#include "core/model/plan/dispatch.h"

/*
 * The share of the launches' work that one core does if all `cores` are free, from the sizes of the
 * launches: 0.5 on two cores if there are many groups, 2/3 if there are three, 1 if there is one.
 * Groups are assumed to take equally long, and launches to take as long as their number of
 * work-items. If the plan leaves the group to the driver, the work is assumed to be divided evenly.
 * 0 without launches.
 */
double core_share(const struct launch_list *launches, unsigned cores);

#endif
