#ifndef CORE_SUITE_SLURM_SLURM_COMMAND_H
#define CORE_SUITE_SLURM_SLURM_COMMAND_H

#include "core/base/strbuf.h"
#include "core/system/loop.h"
#include "core/system/process.h"

/*
 * Runs Slurm's commands.  Only sbatch gets the keys of models in its environment.  Slurm's
 * controller may be slow or down, so squeue, which is repeated while a suite runs, runs in the
 * background and the loop reads its output.
 */

/*
 * Run a line of sh to its end, and append its output.  STATUS_UNAVAILABLE if it takes over a minute
 * or fails; then the first line of its error output is in `err`.
 */
enum status slurm_command_run(const char *line, struct strbuf *output,
                              struct error *err) MUST_CHECK;

/* A running command; all zeros if none runs. */
struct slurm_command {
    struct loop *loop;
    struct process process;
    int errors; /* descriptor of a file in memory that takes its error output */
    struct strbuf output;
    /*
     * Called when it has ended.  `err` is NULL unless it failed; the output is borrowed for the
     * call.
     */
    void (*ended)(void *data, const char *output, const struct error *err);
    void *data;
    struct loop_timer limit;
};

/* Start a line of sh.  The caller has set `loop`, `ended` and `data`. */
enum status slurm_command_start(struct slurm_command *command, const char *line,
                                struct error *err) MUST_CHECK;

/* Kill the command; ended() is not called. */
void slurm_command_end(struct slurm_command *command);

/* Append a text as one word for sh. */
void slurm_command_quote(struct strbuf *line, const char *text);

#endif
