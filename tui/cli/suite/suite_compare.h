#ifndef TUI_CLI_SUITE_SUITE_COMPARE_H
#define TUI_CLI_SUITE_SUITE_COMPARE_H

#include "tui/cli/suite/suite_options.h"

/* `kforge suite compare OLD NEW`: print the differences between two reports, the worst first. */
enum exit_code suite_compare_print(const struct suite_options *options);

#endif
