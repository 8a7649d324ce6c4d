#ifndef TUI_SCREENS_SCREEN_REVIEW_H
#define TUI_SCREENS_SCREEN_REVIEW_H

#include "core/session/recorded/review.h"
#include "tui/screens/screen.h"

/*
 * The recommendations of one session, or of all sessions when `session` is
 * NULL: a list, the selected one with its evidence and result, and totals of
 * the promised and the gained speedup.  `filter` is copied and may be NULL.
 */
enum status screen_review_open(struct screen_host *host, const char *session,
                               const struct review_filter *filter, struct error *err) MUST_CHECK;

#endif
