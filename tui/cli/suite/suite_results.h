#ifndef TUI_CLI_SUITE_SUITE_RESULTS_H
#define TUI_CLI_SUITE_SUITE_RESULTS_H

#include "tui/cli/suite/suite_options.h"

/* `kforge suite report [SUITE]`: print the report, or write it as a picture. */
enum exit_code suite_report_print(const struct suite_options *options);

#endif
