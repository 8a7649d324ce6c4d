#ifndef CORE_SESSION_STATE_UNDO_H
#define CORE_SESSION_STATE_UNDO_H

#include "core/session/state/session.h"

/*
 * Undo and redo of the engineer's decisions, as a part of the fold.  Nothing is removed from the
 * state: before each decision its step and the position of the loop are saved in session.undos.
 * Undo and redo both swap the saved values with the present ones, and then mark every step and
 * attempt that does not lead to the restored position as undone.  Used budgets are not restored.
 */

/*
 * Save the position before the engineer decides on the step. Decisions that are undone now can no
 * longer be redone.
 */
void undo_remember(struct session *session, const struct step *step);

/* Undo the last decision; session_undoable() must name its step. */
void undo_go_back(struct session *session);

/* Redo the decision that was undone last; session_redoable() must name its step. */
void undo_go_forward(struct session *session);

#endif
