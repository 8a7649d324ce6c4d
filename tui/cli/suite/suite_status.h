#ifndef TUI_CLI_SUITE_SUITE_STATUS_H
#define TUI_CLI_SUITE_SUITE_STATUS_H

#include "tui/cli/suite/suite_options.h"

/* `kforge suite status`: print the state of a suite's tasks, on whatever machine they run. */
enum exit_code suite_status_print(const struct suite_options *options);

#endif
