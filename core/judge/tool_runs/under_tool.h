#ifndef CORE_JUDGE_TOOL_RUNS_UNDER_TOOL_H
#define CORE_JUDGE_TOOL_RUNS_UNDER_TOOL_H

#include "core/judge/device_turns.h"
#include "core/judge/evaluation.h"
#include "core/judge/tool_runs/tool_process.h"

/*
 * Runs a candidate under a tool. The tool starts an executor of its own, in which the candidate
 * runs once more, launch by launch, so that the tool affects neither a timing nor a verdict.
 */

/* The arguments of a command line; all but the first are borrowed. */
struct words {
    const char **items;
    size_t count, capacity;
};

/* Append the words of a list that ends with NULL. */
void under_tool_add(struct words *words, const char *const *more);

/* How a candidate is run under a tool. */
struct tool_setup {
    const struct turn_taker *turns;
    const char *const *tool;      /* command line, ends with NULL */
    struct tool_process *process; /* in place of `tool`: it has been started; stays the caller's */
    const char *device;           /* id of the device there; NULL: that of the candidate */
    size_t dims;                  /* case of the expectations whose dimensions it runs at */
    bool leaves_memory;           /* buffers are not poisoned */
    bool prepares_stepwise;       /* the tool examines the prepare launches too */
};

/*
 * Run the candidate under a tool. `printed` receives what the process printed, and `why` the reason
 * of a failure; only a cancellation is returned.
 */
enum status under_tool_run(const struct evaluation *e, const struct tool_setup *setup,
                           struct strbuf *printed, struct error *why) MUST_CHECK;

/*
 * Find a program. Returns false with the reason in `*missing` if it is not installed, or if `tool`
 * is NULL as there is none for this device. The caller frees both texts.
 */
bool under_tool_find(const struct evaluation *e, const char *tool, char **path, char **missing);

/* The text of a tool's file; empty if there is none. The caller frees it. */
char *under_tool_read(const char *path);

#endif
