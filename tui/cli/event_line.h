#ifndef TUI_CLI_EVENT_LINE_H
#define TUI_CLI_EVENT_LINE_H

#include "core/session/state/session.h"

/*
 * What happened, as one line for people: the same while it happens and when
 * it is told again.  Appends nothing for events that tell people nothing.
 * `session` is its state right after the event.
 */
void event_line_add(const struct session *session, const struct event *event, struct strbuf *line);

#endif
