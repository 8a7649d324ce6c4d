#ifndef TUI_CLI_SUITE_SUITE_BACKGROUND_H
#define TUI_CLI_SUITE_SUITE_BACKGROUND_H

#include "core/suite/suite_store.h"
#include "tui/cli/suite/suite_options.h"

/* True if the screen is to show the suite while it runs in the background. */
bool suite_background_wants_screen(const struct suite_options *options);

/*
 * Run a suite in the background: in a process `kforge suite resume`, which continues when this
 * process ends. Its output is appended to run.log in the suite's folder. Closes `store`. With
 * --detach, print the suite's id; otherwise open its screen.
 */
enum exit_code suite_background_run(struct suite_store *store, const struct suite_options *options);

/* `kforge suite open [SUITE]`: show a suite on the screen, running or not. */
enum exit_code suite_background_open(const struct suite_options *options);

#endif
