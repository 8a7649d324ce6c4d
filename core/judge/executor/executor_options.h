#ifndef CORE_JUDGE_EXECUTOR_EXECUTOR_OPTIONS_H
#define CORE_JUDGE_EXECUTOR_EXECUTOR_OPTIONS_H

#include "core/judge/executor/child.h"

/* How an executor (executor.h) is started and limited, and the time that it took. */

struct program_compiler;

struct executor_options {
    const char *const *argv; /* the command that starts it; borrowed */
    const char *device;      /* id, or the beginning of one; NULL: the first device; borrowed */
    int64_t build_limit_us, run_limit_us;
    /* compiles languages that the device cannot compile itself, or NULL; borrowed */
    struct program_compiler *compiler;
    /* memory that a process may take in addition to buffers; 0: a gibibyte */
    int64_t compiler_bytes;
    int64_t grace_us; /* time to end by itself: a tool that it runs under writes its report then */
    /* digest of the data that the judge draws (fill_digest()), which it must draw too; NULL: any;
     * borrowed */
    const char *draws;
    bool warms_profiler;        /* the profiler that observes it prepares itself */
    bool leaves_memory;         /* buffers are not poisoned but left as the driver gives them */
    bool trusts_kernels;        /* they are kforge's own: that inputs still hold is not checked */
    struct child_cancel cancel; /* ends a request */
};

/* The time that the judge waited for the executor since it was made, on the judge's clock. */
struct executor_spent {
    double build_us;   /* includes code that a driver compiles when it first launches a kernel */
    double runs_us;    /* the rest: runs, new data and copies */
    double kernels_us; /* the runs alone, on the device's clock */
};

#endif
