#include "core/judge/batches/launch_times.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

void launch_times_begin(struct launch_times *times, size_t launches, size_t cores,
                        double *rounds_us)
{
    *times = (struct launch_times){.launches = launches,
                                   .are_aside = cores == 0 && launches > 1,
                                   .last_us = mem_alloc_zeroed(launches + 1, sizeof(double))};
    times->rounds_us = rounds_us;
}

void launch_times_release(struct launch_times *times)
{
    free(times->last_us);
}

void launch_times_note(struct launch_times *times, size_t round)
{
    double *mean_us = times->rounds_us + round * times->launches;

    times->runs++;
    for (size_t i = 0; i < times->launches; i++)
        mean_us[i] += (times->last_us[i] - mean_us[i]) / (double)times->runs;
}

bool launch_times_are_due(const struct launch_times *times, size_t round)
{
    double *first_us = times->rounds_us;

    if (!times->are_aside || times->runs)
        return false;
    if (round > 0)
        memcpy(first_us + round * times->launches, first_us, times->launches * sizeof(*first_us));
    return round == 0;
}
