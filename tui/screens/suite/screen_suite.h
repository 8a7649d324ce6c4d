#ifndef TUI_SCREENS_SUITE_SCREEN_SUITE_H
#define TUI_SCREENS_SUITE_SCREEN_SUITE_H

#include "tui/screens/screen.h"

/*
 * The table of a suite, as its processes leave it in their journals: a row for each problem and
 * arm, filtered, sorted and grouped; totals; and how far it is.  The suite goes on without it. `id`
 * may be its beginning; NULL: the latest suite.
 */
enum status screen_suite_open(struct screen_host *host, const char *id,
                              struct error *err) MUST_CHECK;

#endif
