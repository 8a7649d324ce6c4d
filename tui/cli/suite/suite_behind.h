#ifndef TUI_CLI_SUITE_SUITE_BEHIND_H
#define TUI_CLI_SUITE_SUITE_BEHIND_H

#include "core/suite/suite_store.h"
#include "tui/cli/suite/suite_options.h"

/* True if a suite is to be shown on the screen, and to run behind it. */
bool suite_behind_wants_screen(const struct suite_options *options);

/*
 * Let a suite run in a process of its own, `kforge suite resume`, that goes on when this one ends;
 * its lines are appended to run.log in the suite's folder.  Closes `store`.  With --detach print
 * where it is, else open its screen.
 */
enum exit_code suite_behind_run(struct suite_store *store, const struct suite_options *options);

/* `kforge suite open [SUITE]`: show a suite on the screen, running or not. */
enum exit_code suite_behind_open(const struct suite_options *options);

#endif
