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

struct ncu_process_spec {
    const struct executor_options *executor; /* of the candidates; borrowed until the end */
    const char *device;                      /* an id */
    const char *ncu;                         /* the program's path */
    bool without_lines;                      /* leave out the lines of the source */
    bool has_time;                           /* let ncu prepare itself further before its use */
};

/* Prepare ncu; it starts with tool_process_begin() or with its first use. */
enum status ncu_process_new(const struct ncu_process_spec *spec, struct ncu_process **process,
                            struct error *err) MUST_CHECK;

/* Let ncu write its report, which is then read from `run`. */
void ncu_process_end(struct ncu_process *process);

/* Remove the files too. NULL is ignored. */
void ncu_process_free(struct ncu_process *process);

#endif
