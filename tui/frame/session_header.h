#ifndef TUI_FRAME_SESSION_HEADER_H
#define TUI_FRAME_SESSION_HEADER_H

#include "tui/panels/view_model.h"
#include "tui/term/canvas.h"

/*
 * The first line of a session's screen: problem, session, best speedup, device, agent, who decides,
 * attempts and cost. If there is no room for all of it, the parts that a decision needs least are
 * left out first; problem, best speedup, attempts and cost are left out last.
 */
void session_header_draw(const struct view_model *view_model, struct area area);

#endif
