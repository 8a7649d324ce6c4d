#ifndef TUI_CLI_SUITE_SUITE_STATUS_H
#define TUI_CLI_SUITE_SUITE_STATUS_H

#include "tui/cli/suite/suite_options.h"

/* `kforge suite status`: how the tasks of a suite stand, whatever runs them. */
enum exit_code suite_status_print(const struct suite_options *options);

#endif
