#ifndef BACKENDS_CUDA_RUN_H
#define BACKENDS_CUDA_RUN_H

#include "backends/cuda/program.h"

/*
 * Running launches, timed by events.  Before the first, the L2 cache is filled
 * with other memory, and the device is held up until all launches are queued:
 * so caches are cold, and no time is the host's.  Two events around a kernel
 * measure more than the kernel; how much is measured when the device is
 * opened, and taken off.
 */
enum status cuda_run(struct program *program, const struct launch_list *launches,
                     struct buffer *const *buffers, struct run_times *times,
                     struct error *err) MUST_CHECK;

/* The same one by one, between the marks of a profiler; an error names the launch that failed. */
enum status cuda_step(struct program *program, const struct launch_list *launches,
                      struct buffer *const *buffers, struct error *err) MUST_CHECK;

#endif
