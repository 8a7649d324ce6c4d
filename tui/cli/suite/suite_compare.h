#ifndef TUI_CLI_SUITE_SUITE_COMPARE_H
#define TUI_CLI_SUITE_SUITE_COMPARE_H

#include "tui/cli/suite/suite_options.h"

/* `kforge suite compare OLD NEW`: print what differs between two reports, worst first. */
enum exit_code suite_compare_print(const struct suite_options *options);

#endif
