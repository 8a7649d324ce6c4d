#ifndef TUI_CLI_SESSION_SUMMARY_H
#define TUI_CLI_SESSION_SUMMARY_H

#include "core/session/driver/driver.h"
#include "tui/cli/command.h"

/* The last screenful: the best kernel, where it is, and how to go on where a session is open. */
void session_summary_print(struct driver *driver);

/* Append a line that says what the session has cost; nothing where no model was asked. */
void session_summary_add_cost(const struct session *session, struct strbuf *out);

/* How kforge ends after this session. */
enum exit_code session_exit_code(const struct session *session);

#endif
