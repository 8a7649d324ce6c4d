#ifndef CORE_JUDGE_TOOL_RUNS_TOOL_PROCESS_H
#define CORE_JUDGE_TOOL_RUNS_TOOL_PROCESS_H

#include "core/judge/executor/executor.h"

/*
 * An executor that a tool starts. A tool takes seconds to start, so the process can be started
 * before there is a candidate for it, in a thread.
 */
struct tool_process;

/* How it is started. Borrows all but `device` until the process is freed. */
struct tool_process_spec {
    const struct executor_options *executor; /* those of the candidates' executor */
    const char *const *tool;                 /* the tool's command line, ends with NULL */
    const char *device;                      /* id of the device there */
    bool leaves_memory;                      /* buffers are not poisoned */
    bool warms_profiler;                     /* it is a profiler, which is to prepare itself */
};

/* No process is started before the first call that needs it. */
struct tool_process *tool_process_new(const struct tool_process_spec *spec);

/*
 * Start the process and open its device in a thread, and return at once. An error is met again by
 * the first request.
 */
void tool_process_begin(struct tool_process *process);

/* Wait until what tool_process_begin() began has ended. NULL is ignored. */
void tool_process_settle(struct tool_process *process);

/* The executor, for requests of the thread that can be cancelled. Borrowed. */
struct executor *tool_process_executor(struct tool_process *process);

/*
 * End the process. If its executor was used, the tool has time to write its report; else it is
 * killed. NULL is ignored.
 */
void tool_process_free(struct tool_process *process);

#endif
