#ifndef CORE_SESSION_STATE_ROUND_H
#define CORE_SESSION_STATE_ROUND_H

#include "core/session/state/session.h"

/*
 * A round, as a part of the fold: a prompt goes out, the agent answers it once
 * or several times, each answer becomes an attempt and is judged, and the best
 * of those that are correct is proposed to be kept.
 */

/* How many answers are still to be asked for in this round. */
unsigned round_missing(const struct session *session);

/* The prompt is decided. */
void round_begin(struct session *session);

/* An answer has arrived; with the last one the first is to be proposed. */
void round_take_reply(struct session *session, const char *text, const struct effort *effort);

/* The first answer that waits becomes an attempt. */
struct attempt *round_add_attempt(struct session *session, const char *candidate,
                                  const char *title);

/* The engineer made something else of the step's attempt. */
void round_add_edit(struct session *session, const struct step *step);

/* An attempt is judged or turned down: the next answer comes, or the best, or the end. */
void round_continue(struct session *session);

/* What is left of the round is dropped; one without a gain is flat, once something is correct. */
void round_end(struct session *session, bool has_gained);

/*
 * The agent's answers to the prompt that an attempt answers, or edits, in their order; return how
 * many there are.  The one that is_chosen is the best of those that are correct.
 */
size_t round_attempts(const struct session *session, const struct attempt *attempt,
                      const struct attempt *answers[ROUND_ATTEMPTS]);

/* The same question is asked again, and the answers so far do not count. */
void round_retry(struct session *session);

#endif
