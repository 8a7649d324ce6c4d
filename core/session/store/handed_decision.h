#ifndef CORE_SESSION_STORE_HANDED_DECISION_H
#define CORE_SESSION_STORE_HANDED_DECISION_H

#include "core/base/json.h"
#include "core/session/state/gate.h"

/*
 * A decision that is handed to a session from outside: the file decision.json in the session's
 * folder (FORMATS.md).  The engineer leaves it while no process runs the session, or while one
 * does; the process that runs the session takes it when its step waits.  It is removed after the
 * event of the decision is on disk, so a kill loses no decision and makes none twice: one for a
 * step that does not wait is dropped.
 */
struct handed_decision {
    struct json *body; /* owns the texts */
    struct ruling ruling;
};

/* The name of the file, for those who watch the folder. */
extern const char handed_decision_file[];

/* Hand a decision over; STATUS_INVALID if an earlier one has not been taken yet. */
enum status handed_decision_give(const char *session, const struct ruling *ruling,
                                 struct error *err) MUST_CHECK;

/* True if a decision was left and not taken. */
bool handed_decision_exists(const char *session);

/* Read the decision; STATUS_NOT_FOUND: there is none.  The caller releases it. */
enum status handed_decision_read(const char *session, struct handed_decision *decision,
                                 struct error *err) MUST_CHECK;

/* Remove it: it was taken, or its step no longer waits. */
void handed_decision_remove(const char *session);

/* Free the contents and leave it empty. */
void handed_decision_release(struct handed_decision *decision);

#endif
