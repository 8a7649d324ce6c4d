#include "core/model/plan/core_share.h"

#include <math.h>

static double count_items(const struct launch *launch)
{
    double items = 1;

    for (unsigned axis = 0; axis < launch->rank; axis++)
        items *= (double)launch->global[axis];
    return items;
}

static double count_groups(const struct launch *launch)
{
    double groups = 1;

    for (unsigned axis = 0; axis < launch->rank; axis++) {
        double local = launch->local[axis] ? (double)launch->local[axis] : 1;

        groups *= ceil((double)launch->global[axis] / local);
    }
    return groups;
}

double core_share(const struct launch_list *launches, unsigned cores)
{
    double items = 0, longest = 0;

    for (size_t i = 0; cores && i < launches->count; i++) {
        const struct launch *launch = &launches->items[i];
        double groups = count_groups(launch), work = count_items(launch);

        if (groups < 1)
            continue;
        items += work;
        longest += work * ceil(groups / cores) / groups;
    }
    return items > 0 ? longest / items : 0;
}
