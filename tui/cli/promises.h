#ifndef TUI_CLI_PROMISES_H
#define TUI_CLI_PROMISES_H

#include "core/session/session.h"

/* Append a table of the recommendations: what each promised, and what came of it. */
void promises_write(const struct session *session, struct strbuf *out);

#endif
