#ifndef BACKENDS_CUDA_RUN_H
#define BACKENDS_CUDA_RUN_H

#include "backends/cuda/program.h"

/*
 * Run launches and time them with events.  Before the first launch the L2 cache is filled with
 * other memory, and the device is kept busy until all launches are queued: so caches are cold, and
 * the times contain no work of the host.  Two events with no work between them already measure some
 * time; this overhead is determined when the device is opened, and subtracted.
 */
enum status cuda_run(struct program *program, const struct launch_list *launches,
                     struct buffer *const *buffers, struct run_times *times,
                     struct error *err) MUST_CHECK;

/*
 * Run the launches one by one between cuProfilerStart() and cuProfilerStop(); an error names the
 * launch that failed.
 */
enum status cuda_step(struct program *program, const struct launch_list *launches,
                      struct buffer *const *buffers, struct error *err) MUST_CHECK;

/* warm_profiler() of CUDA. */
void cuda_warm_profiler(struct device *device);

#endif
