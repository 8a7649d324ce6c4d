#ifndef CORE_SESSION_STATE_NOTES_H
#define CORE_SESSION_STATE_NOTES_H

#include "core/session/state/session.h"

/*
 * The engineer's words to the agent, as a part of the fold: notes, and the reasons of decisions.  A
 * reason counts only while its decision is not undone.
 */

/* Add a note; does nothing if `text` is NULL. */
void notes_add(struct session *session, const char *text);

/* Add the reason of a decision, unless the step has one already from a decision that was undone. */
void notes_add_reason(struct session *session, const struct step *step);

/*
 * The texts that no prompt has shown to the agent yet, in order; none is NULL. The texts are
 * borrowed from the session; the caller frees the array.
 */
const char **notes_texts(const struct session *session, size_t *count);

#endif
