#ifndef CORE_SESSION_WORKER_WORKER_COMMAND_H
#define CORE_SESSION_WORKER_WORKER_COMMAND_H

#include <stddef.h>
#include <stdint.h>

/* The command line that starts a worker. */

/* How a worker is started, and its limits of time.  Borrows the texts. */
struct evaluator_options {
    /* a command line that runs the worker on another machine; NULL: it runs on this one */
    const char *prefix;
    const char *device;     /* a device's id or the beginning of one; NULL: the first device */
    int64_t build_limit_us; /* 0: the worker's own limit */
    int64_t run_limit_us;
    int64_t tune_limit_us;
    int64_t timing_limit_us;
    size_t tune_choices;
    const char *baselines; /* names of PyTorch's baselines, separated by commas; NULL: all */
};

/*
 * The command line for sh; the caller frees it. `*shown` points into it, behind kforge's own
 * preparations: the part that messages show.
 *
 * Without a prefix it starts the worker in the folder of this program. A prefix may be any
 * beginning of a line for sh ("cd /data && nice"). The worker is then searched in the PATH of the
 * machine to which the prefix leads; on this machine, the folder of this program is added at the
 * end of PATH.
 */
char *worker_command_make(const struct evaluator_options *options, const char **shown);

#endif
