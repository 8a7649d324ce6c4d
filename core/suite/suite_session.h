#ifndef CORE_SUITE_SUITE_SESSION_H
#define CORE_SUITE_SUITE_SESSION_H

#include "core/session/state/session.h"

/*
 * Read a session from its journal, which may be in use; its git repository is not read.
 * STATUS_NOT_FOUND if it has no journal.  The caller releases the session, after a failure too.
 */
enum status suite_session_read(const char *id, struct session *session,
                               struct error *err) MUST_CHECK;

#endif
