#ifndef TUI_CLI_WORKBENCH_H
#define TUI_CLI_WORKBENCH_H

#include "tui/app/app.h"
#include "tui/cli/command.h"

/* Run the workbench on the screen; afterwards print the summary of the open session, if any. */
enum exit_code workbench_run(const struct app_options *options);

#endif
