#ifndef CORE_SESSION_PARTS_H
#define CORE_SESSION_PARTS_H

#include "core/session/session.h"

/* What a session owns beside its arrays: how its parts are copied and freed. */

/* A step with texts of its own, for step_release(). */
struct step step_copy(const struct step *step);

/* Free the texts; the step itself is the caller's. */
void step_release(const struct step *step);

/* So many replies, for free(); NULL for none. */
struct arrived *arrived_copy(const struct arrived *arrived, unsigned count);

/* Free what it holds; it is the caller's. */
void undo_release(const struct undo *undo);

#endif
