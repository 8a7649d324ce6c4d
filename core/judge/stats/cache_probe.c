#include "core/judge/stats/cache_probe.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/stats/stats.h"
#include "core/system/thread_work.h"

enum { LINE_BYTES = 64 };

/* More memory would take too long on a busy machine; the time is scaled. */
static const double most_bytes = 16 << 20;

static const double high = 0.9; /* the quantile */

/* Half of the lines are read and written, as outputs are; half are read. */
static double pass_us(volatile unsigned char *memory, size_t size)
{
    double began_us = thread_work_own_us();

    for (size_t i = 0; i < size; i += LINE_BYTES) {
        unsigned char byte = memory[i];

        if (i < size / 2)
            memory[i] = (unsigned char)(byte + 1);
    }
    return thread_work_own_us() - began_us;
}

void cache_probe_take(struct cache_probe *probe, double bytes)
{
    double cold_us;

    if (!probe->memory) {
        probe->size = (size_t)fmin(fmax(bytes, LINE_BYTES), most_bytes);
        probe->scale = bytes / (double)probe->size;
        probe->memory = mem_alloc_zeroed(probe->size, 1);
        pass_us(probe->memory, probe->size); /* maps the pages */
    }
    if (probe->count == CACHE_PROBE_SAMPLES)
        return;
    cold_us = pass_us(probe->memory, probe->size);
    probe->samples[probe->count++] = fmax(0, cold_us - pass_us(probe->memory, probe->size));
}

double cache_probe_us(const struct cache_probe *probe)
{
    double sorted[CACHE_PROBE_SAMPLES];

    for (size_t i = 0; i < probe->count; i++)
        sorted[i] = probe->samples[i];
    stats_median(sorted, probe->count); /* sorts */
    return probe->scale * stats_quantile(sorted, probe->count, high);
}

void cache_probe_release(struct cache_probe *probe)
{
    free(probe->memory);
    *probe = (struct cache_probe){0};
}
