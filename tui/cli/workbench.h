#ifndef TUI_CLI_WORKBENCH_H
#define TUI_CLI_WORKBENCH_H

#include "tui/app/app.h"
#include "tui/cli/command.h"

/* Run the workbench; afterwards say, in the terminal that stays, what came of a session in it. */
enum exit_code workbench_run(const struct app_options *options);

#endif
