#include "core/judge/tool_runs/ncu_process.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/tools/ncu.h"

enum status ncu_process_new(const struct ncu_process_spec *spec, struct ncu_process **process,
                            struct error *err)
{
    struct ncu_process *made = mem_alloc_zeroed(1, sizeof(*made));
    struct tool_process_spec under = {
        .executor = spec->executor, .device = spec->device, .warms_profiler = spec->has_time};
    enum status st = ncu_run_begin(&made->run, spec->ncu, err);

    if (st) {
        ncu_process_free(made);
        return st;
    }
    made->run.without_lines = spec->without_lines;
    under.tool = ncu_run_command(&made->run);
    made->process = tool_process_new(&under);
    *process = made;
    return STATUS_OK;
}

void ncu_process_end(struct ncu_process *process)
{
    tool_process_free(process->process);
    process->process = NULL;
}

void ncu_process_free(struct ncu_process *process)
{
    if (!process)
        return;
    ncu_process_end(process);
    ncu_run_release(&process->run);
    free(process);
}
