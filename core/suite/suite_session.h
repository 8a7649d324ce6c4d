#ifndef CORE_SUITE_SUITE_SESSION_H
#define CORE_SUITE_SUITE_SESSION_H

#include "core/session/state/session.h"

/*
 * Read the session with an id from its journal, which may be in use; no repository is read.
 * STATUS_NOT_FOUND: it has no journal.  The caller releases it, after a failure too.
 */
enum status suite_session_read(const char *id, struct session *session,
                               struct error *err) MUST_CHECK;

#endif
