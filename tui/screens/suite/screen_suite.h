#ifndef TUI_SCREENS_SUITE_SCREEN_SUITE_H
#define TUI_SCREENS_SUITE_SCREEN_SUITE_H

#include "tui/screens/screen.h"

/*
 * The table of a suite: a row for each problem and arm, filtered, sorted and grouped; totals; and
 * the progress.  It is read from the journals, so the suite does not depend on this screen.  `id`
 * may be the beginning of the suite's id; NULL for the latest suite.
 */
enum status screen_suite_open(struct screen_host *host, const char *id,
                              struct error *err) MUST_CHECK;

#endif
