#ifndef TUI_SCREENS_SESSION_ROW_H
#define TUI_SCREENS_SESSION_ROW_H

#include "tui/screens/session_list.h"
#include "tui/term/canvas.h"

/* A session as a row of a list: its problem, how far it came and by whom, when, and at what cost.
 */
void session_row_put(const struct listed_session *session, struct pen *pen);

/* Say above the rows what their columns are. */
void session_row_put_heading(struct pen *pen);

#endif
