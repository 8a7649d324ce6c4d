#ifndef CORE_SESSION_STATE_ROUND_H
#define CORE_SESSION_STATE_ROUND_H

#include "core/session/state/session.h"

/*
 * A round, as a part of the fold: a prompt goes to the agent, which replies once or several times.
 * Each reply becomes an attempt and is judged; the best correct attempt is proposed to be kept.
 */

/* The number of replies that the round still has to ask for. */
unsigned round_missing(const struct session *session);

/*
 * The agent to ask for the missing reply with an index from 0.  The attempts of a session go to its
 * writers in turn (roles.h); replies that have arrived keep their places.
 */
const char *round_writer(const struct session *session, unsigned missing);

/* Begin the round: its prompt was accepted or edited. */
void round_begin(struct session *session);

/* Store a reply that arrived.  When it was the last one, candidates are proposed. */
void round_take_reply(struct session *session, const char *text, const struct effort *effort);

/*
 * Make the first waiting reply an attempt with this candidate (object id).  The result is borrowed
 * from the session and valid until the next attempt.
 */
struct attempt *round_add_attempt(struct session *session, const char *candidate,
                                  const char *title);

/* Add the engineer's edit of the step's attempt as an attempt of its own. */
void round_add_edit(struct session *session, const struct step *step);

/*
 * True if the engineer may add a version by hand now: a step waits, an agent would be asked next,
 * or an earlier version is being judged.
 */
bool round_takes_by_hand(const struct session *session);

/*
 * Add a version that the engineer saved as an attempt: `step` proposed it, and it edits attempt
 * `edits`. This also decides the step that was waiting. Attempts that could be kept before can
 * still be kept.
 */
void round_add_by_hand(struct session *session, const struct step *step, unsigned edits);

/* After an attempt was judged or vetoed: take the next reply, else propose the best attempt. */
void round_continue(struct session *session);

/*
 * End the round.  Once a candidate was correct, a round of the agent without a gain counts as flat.
 */
void round_end(struct session *session, bool has_gained);

/*
 * The agent's attempts in the round of `attempt`, in order; returns their number.  `attempt` may be
 * an edit.  The attempt with is_chosen set was the best correct one.
 */
size_t round_attempts(const struct session *session, const struct attempt *attempt,
                      const struct attempt *attempts[ROUND_ATTEMPTS]);

/*
 * End the round so that its prompt is rendered again; its attempts do not count against the limits.
 */
void round_retry(struct session *session);

#endif
