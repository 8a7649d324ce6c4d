#ifndef BACKENDS_OPENCL_RUN_H
#define BACKENDS_OPENCL_RUN_H

#include "backends/opencl/program.h"

/*
 * Run launches, timed by the driver's profiling events.  The functions of these names in struct
 * backend_ops.
 */
enum status opencl_run(struct program *program, const struct launch_list *launches,
                       struct buffer *const *buffers, struct run_times *times,
                       struct error *err) MUST_CHECK;

/* Run the launches one by one; an error names the launch that failed. */
enum status opencl_step(struct program *program, const struct launch_list *launches,
                        struct buffer *const *buffers, struct error *err) MUST_CHECK;

#endif
