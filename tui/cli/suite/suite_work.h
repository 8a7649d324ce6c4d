#ifndef TUI_CLI_SUITE_SUITE_WORK_H
#define TUI_CLI_SUITE_SUITE_WORK_H

#include "core/suite/suite_store.h"
#include "tui/cli/suite/suite_options.h"

/* Run the tasks of a suite that is open for writing, and print a line for each task that ends. */
enum exit_code suite_work(struct suite_store *store, const struct suite_options *options);

#endif
