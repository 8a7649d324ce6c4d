#ifndef CORE_SESSION_STATE_UNDO_H
#define CORE_SESSION_STATE_UNDO_H

#include "core/session/state/session.h"

/*
 * Taking decisions back, as a part of the fold: nothing leaves the state of a
 * session.  What a decision of the engineer changes is remembered before it.  Going back
 * exchanges where the loop stands with what was remembered, and so does going
 * forward again; steps and attempts that are not on the way from there to the
 * beginning are undone.  What was spent stays spent.
 */

/* Before the engineer's decision on the step: what was taken back so far is gone for good. */
void undo_remember(struct session *session, const struct step *step);

/* There is something to go back to: session_undoable(). */
void undo_go_back(struct session *session);

/* session_redoable(). */
void undo_go_forward(struct session *session);

#endif
