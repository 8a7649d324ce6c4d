#ifndef CORE_SESSION_STATE_NOTES_H
#define CORE_SESSION_STATE_NOTES_H

#include "core/session/state/session.h"

/*
 * What the engineer says to the agent, as a part of the fold: notes, and the
 * reasons of decisions, which hold as long as their decisions do.
 */

/* A note; nothing where `text` is NULL. */
void notes_add(struct session *session, const char *text);

/* The reason of a decision is said once, also where it was decided before and taken back. */
void notes_add_reason(struct session *session, const struct step *step);

/* What the next prompt tells the agent; borrows the texts. The caller frees the array. */
const char **notes_texts(const struct session *session, size_t *count);

#endif
