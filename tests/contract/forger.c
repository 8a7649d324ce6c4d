/*
 * An executor that lies about time: what a kernel could do that has taken
 * over its process.  Launches of a kernel called "modest" are said to take
 * long, those of one called "boastful" next to nothing.
 */
#include <string.h>

#include "backends/executor.h"
#include "backends/opencl/opencl.h"
#include "core/judge/backend.h"

static enum status run(struct program *program, const struct launch_list *launches,
                       struct buffer *const *buffers, struct run_times *times, struct error *err)
{
    enum status st = opencl_backend.run(program, launches, buffers, times, err);

    if (launches->count && strcmp(launches->items[0].kernel, "modest") == 0)
        times->span_us = 1e6;
    if (launches->count && strcmp(launches->items[0].kernel, "boastful") == 0)
        times->span_us = 0.5;
    return st;
}

static struct backend_ops forged;
const struct backend_ops *const backend_list[] = {&forged, NULL};

int main(void)
{
    forged = opencl_backend;
    forged.run = run;
    return executor_serve();
}
