#ifndef CORE_SESSION_STORE_HANDED_DECISION_H
#define CORE_SESSION_STORE_HANDED_DECISION_H

#include "core/base/json.h"
#include "core/session/state/gate.h"

/*
 * A decision that another process hands to a session, as the file decision.json in the session's
 * folder (FORMATS.md). It may be written whether or not a process runs the session; the process
 * that runs the session applies it when the step waits. The file is removed after the event of the
 * decision is on disk, so that a crash loses no decision. A decision on a step that does not wait
 * is dropped, so that none is applied twice.
 */
struct handed_decision {
    struct json *body; /* owns the texts */
    struct ruling ruling;
};

/* The name of the file, for callers that watch the folder. */
extern const char handed_decision_file[];

/* Write the decision for a session; STATUS_INVALID if an earlier one has not been applied yet. */
enum status handed_decision_give(const char *session, const struct ruling *ruling,
                                 struct error *err) MUST_CHECK;

/* True if the session has a decision that has not been applied yet. */
bool handed_decision_exists(const char *session);

/* Read the decision; STATUS_NOT_FOUND: there is none.  The caller releases it. */
enum status handed_decision_read(const char *session, struct handed_decision *decision,
                                 struct error *err) MUST_CHECK;

/* Remove the decision after it was applied, or when its step no longer waits. */
void handed_decision_remove(const char *session);

/* Free the contents and leave it empty. */
void handed_decision_release(struct handed_decision *decision);

#endif
