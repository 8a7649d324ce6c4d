#ifndef BACKENDS_HOST_RUN_H
#define BACKENDS_HOST_RUN_H

#include "backends/host/program.h"

/*
 * The functions of these names in struct backend_ops. Times are from the system's monotonic clock.
 */
enum status host_run(struct program *program, const struct launch_list *launches,
                     struct buffer *const *buffers, struct run_times *times,
                     struct error *err) MUST_CHECK;
enum status host_step(struct program *program, const struct launch_list *launches,
                      struct buffer *const *buffers, struct error *err) MUST_CHECK;

#endif
