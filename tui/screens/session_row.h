#ifndef TUI_SCREENS_SESSION_ROW_H
#define TUI_SCREENS_SESSION_ROW_H

#include "tui/keys/keymap.h"
#include "tui/screens/session_list.h"
#include "tui/term/canvas.h"

/* Draw a session as a row: time, state, problem, result, cost, agent, device and id. */
void session_row_put(const struct listed_session *session, struct pen *pen);

/* The colour of a speedup: faster than the baseline, slower, or unknown (0). */
enum role session_row_role_of_speedup(double speedup);

/* Draw the names of the columns. */
void session_row_put_heading(struct pen *pen);

/* Say that there is no session, and which key starts one. */
void session_row_put_nothing(const struct keymap *keymap, struct pen *pen);

#endif
