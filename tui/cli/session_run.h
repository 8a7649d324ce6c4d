#ifndef TUI_CLI_SESSION_RUN_H
#define TUI_CLI_SESSION_RUN_H

#include "tui/app/app.h"
#include "tui/cli/command.h"
#include "tui/cli/run_options.h"

/* Open a session, on the screen or without one, and run it to its end. */
enum exit_code session_run(const struct run_options *options);

/*
 * Do the same for a new session on the problem in the file options->driver.problem_path. If that is
 * NULL, the screen asks for a problem. The worker that describes a PyTorch file also judges.
 */
enum exit_code session_run_problem(struct run_options *options);

/*
 * Run the workbench on the screen, with a session, a replay or a review.  Afterwards print the
 * summary of the open session, if any.
 */
enum exit_code session_run_workbench(const struct app_options *options);

#endif
