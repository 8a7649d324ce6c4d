#ifndef BACKENDS_OPENCL_RUN_H
#define BACKENDS_OPENCL_RUN_H

#include "backends/opencl/program.h"

/* Running launches, timed by the driver's events. */
enum status opencl_run(struct program *program, const struct launch_list *launches,
                       struct buffer *const *buffers, struct run_times *times,
                       struct error *err) MUST_CHECK;

/* The same one by one; an error names the launch that failed. */
enum status opencl_step(struct program *program, const struct launch_list *launches,
                        struct buffer *const *buffers, struct error *err) MUST_CHECK;

#endif
