#ifndef TUI_CLI_SESSION_SUMMARY_H
#define TUI_CLI_SESSION_SUMMARY_H

#include "core/session/driver/driver.h"
#include "tui/cli/command.h"

/* Append lines with the best kernel, its commit, the cost, and how to resume an open session. */
void session_summary_add(struct driver *driver, struct strbuf *out);

/* Append the names of the session's agents, and whether there is no analyst or no profile. */
void session_summary_add_agents(const struct session *session, struct strbuf *out);

/* Append a line with the cost of the session; nothing if no model was asked. */
void session_summary_add_cost(const struct session *session, struct strbuf *out);

/* The exit code of a session. */
enum exit_code session_exit_code(const struct session *session);

#endif
