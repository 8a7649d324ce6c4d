#ifndef CORE_SESSION_WORKER_WORKER_COMMAND_H
#define CORE_SESSION_WORKER_WORKER_COMMAND_H

#include <stddef.h>
#include <stdint.h>

/* The command line that starts a worker. */

/* How a worker is started, and its limits of time.  Borrows the texts. */
struct evaluator_options {
    const char *prefix; /* a command line that runs the worker elsewhere; NULL: on this machine */
    const char *device; /* a device's id or the beginning of one; NULL: the first device */
    int64_t build_limit_us; /* 0: the worker's own limit */
    int64_t run_limit_us;
    int64_t tune_limit_us;
    int64_t timing_limit_us;
    size_t tune_choices;
    const char *baselines; /* PyTorch's baselines by name, with commas; NULL: all */
};

/*
 * The command for sh, which the caller frees.  `*shown` points to the part of it that messages
 * show: without kforge's own preparations.
 *
 * Without a prefix it starts the worker in the folder of this program.  A prefix may be any
 * beginning of a line for sh ("cd /data && nice"), and runs the worker in the PATH of the machine
 * where it leads to; on this machine PATH ends with the folder of this program.
 */
char *worker_command_make(const struct evaluator_options *options, const char **shown);

#endif
