#ifndef CORE_SUITE_SLURM_SLURM_COMMAND_H
#define CORE_SUITE_SLURM_SLURM_COMMAND_H

#include "core/base/strbuf.h"
#include "core/system/loop.h"
#include "core/system/process.h"

/*
 * Commands of Slurm, without the keys of models but for sbatch.  They speak to its controller,
 * which may be slow or away: the one that is repeated while a suite runs, squeue, is heard from the
 * loop.
 */

/*
 * Run a line of sh to its end, and append what it prints.  STATUS_UNAVAILABLE when it ends with an
 * error, of which the first line is in `err`, or takes over a minute.
 */
enum status slurm_command_run(const char *line, struct strbuf *output,
                              struct error *err) MUST_CHECK;

/* A command that runs; all zeros: none does. */
struct slurm_command {
    struct loop *loop;
    struct process process;
    int errors; /* descriptor of a file in memory */
    struct strbuf output;
    /* `err` is NULL unless it failed; the output is borrowed for the call. */
    void (*ended)(void *data, const char *output, const struct error *err);
    void *data;
    struct loop_timer limit;
};

/* Start a line of sh; `loop`, `ended` and `data` are set by the caller. */
enum status slurm_command_start(struct slurm_command *command, const char *line,
                                struct error *err) MUST_CHECK;

/* End it without a call of ended(). */
void slurm_command_end(struct slurm_command *command);

/* Append a text as one word for sh. */
void slurm_command_quote(struct strbuf *line, const char *text);

#endif
