#include "core/judge/tool_runs/under_tool.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/judge/tools/tool.h"
#include "core/model/language.h"
#include "core/system/clock.h"
#include "core/system/file.h"
#include "core/system/log.h"

enum { REPORT_MAX_BYTES = 64 << 20 };

void under_tool_add(struct words *words, const char *const *more)
{
    for (; *more; more++)
        vec_push(words, *more);
}

static double seconds(int64_t us)
{
    return (double)us * 1e-6;
}

static enum status run_printing(const struct evaluation *e, const struct executor_run *run,
                                struct strbuf *printed, struct error *err)
{
    struct executor_times times = {0};
    enum status st = executor_run(e->executor, run, &times, err);

    executor_add_printed(e->executor, printed);
    return st;
}

static enum status take(const struct tool_setup *setup, enum device_work work, struct error *err)
{
    return setup->turns->take(setup->turns->data, work, err);
}

/* Start the executor under the tool, load the candidate, and run its prepare launches. */
static enum status make_ready(struct evaluation *e, const struct tool_setup *setup,
                              struct strbuf *printed, struct error *err)
{
    const struct executor_run prepare = {
        .slot = e->slot, .with_prepare = true, .without_launches = true};
    const struct device_info *device;
    enum status st = take(setup, DEVICE_HOST, err);

    executor_expect(e->executor, e->candidate->language);
    if (!st)
        st = executor_device(e->executor, &device, err);
    if (!st)
        st = take(setup, DEVICE_RUNS, err);
    if (!st)
        st = evaluation_load(e, setup->dims, err);
    if (!st && e->verdict->outcome != OUTCOME_NONE)
        st = error_set(err, STATUS_INVALID, "%s", e->verdict->detail);
    if (!st && !setup->prepares_stepwise)
        st = run_printing(e, &prepare, printed, err);
    return st;
}

/*
 * Run the plan's prepare launches, then its launches. The data may be made from any seed. The
 * device is free again at the end, when the tool writes its report.
 */
static enum status run_once(struct evaluation *e, const struct tool_setup *setup,
                            struct strbuf *printed, struct error *err)
{
    const struct executor_run run = {
        .slot = e->slot, .with_prepare = setup->prepares_stepwise, .stepwise = true};
    int64_t began_us = clock_now_us(), ready_us, alone_us;
    enum status st = make_ready(e, setup, printed, err);

    ready_us = clock_now_us();
    if (!st)
        st = take(setup, DEVICE_TOOLS, err);
    alone_us = clock_now_us();
    if (!st)
        st = run_printing(e, &run, printed, err);
    log_line("tool: ready after %.3f s, waited %.3f s, ran %.3f s", seconds(ready_us - began_us),
             seconds(alone_us - ready_us), seconds(clock_now_us() - alone_us));
    return st ? st : take(setup, DEVICE_HOST, err);
}

static struct tool_process *start(const struct evaluation *e, const struct tool_setup *setup)
{
    const struct tool_process_spec spec = {.executor = &e->options->executor,
                                           .tool = setup->tool,
                                           .device = setup->device ? setup->device : e->device->id,
                                           .leaves_memory = setup->leaves_memory};

    return tool_process_new(&spec);
}

enum status under_tool_run(const struct evaluation *e, const struct tool_setup *setup,
                           struct strbuf *printed, struct error *why)
{
    struct tool_process *own = setup->process ? NULL : start(e, setup);
    struct verdict aside = {0};
    struct evaluation under = *e;
    enum status st;

    under.executor = tool_process_executor(own ? own : setup->process);
    under.verdict = &aside;
    under.dispatch = (struct dispatch){0};
    st = run_once(&under, setup, printed, why);
    tool_process_free(own);
    dispatch_release(&under.dispatch);
    verdict_release(&aside);
    return st == STATUS_CANCELLED ? st : STATUS_OK;
}

bool under_tool_find(const struct evaluation *e, const char *tool, char **path, char **missing)
{
    struct error err;

    if (!tool)
        error_set(&err, STATUS_UNAVAILABLE, "there is no such tool for %s, which runs %s",
                  e->device->id, language_of(e->device->language)->title);
    else if (!tool_find(tool, path, &err))
        return true;
    *missing = mem_strdup(err.text);
    return false;
}

char *under_tool_read(const char *path)
{
    struct strbuf text = {0};

    if (file_read(path, REPORT_MAX_BYTES, &text, NULL))
        strbuf_release(&text);
    return strbuf_take(&text);
}
