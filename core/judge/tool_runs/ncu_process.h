#ifndef CORE_JUDGE_TOOL_RUNS_NCU_PROCESS_H
#define CORE_JUDGE_TOOL_RUNS_NCU_PROCESS_H

#include "core/judge/tool_runs/tool_process.h"
#include "core/judge/tools/ncu_run.h"

/*
 * Nsight Compute with an executor under it, for one candidate. It can be started before there is a
 * candidate, because nothing in its command line depends on one.
 */
struct ncu_process {
    struct ncu_run run;
    struct tool_process *process; /* NULL after the report was written */
};

/*
 * `options` are those of the candidates' executor, borrowed until the process is freed; `device` is
 * an id, and `ncu` the program's path.
 */
enum status ncu_process_new(const struct executor_options *options, const char *device,
                            const char *ncu, bool without_lines, struct ncu_process **process,
                            struct error *err) MUST_CHECK;

/* Let ncu write its report, which is then read from `run`. */
void ncu_process_end(struct ncu_process *process);

/* Remove the files too. NULL is ignored. */
void ncu_process_free(struct ncu_process *process);

#endif
