#ifndef CORE_SESSION_STORE_COMMITS_H
#define CORE_SESSION_STORE_COMMITS_H

#include "core/session/state/session.h"
#include "core/session/store/history.h"

/*
 * Makes git commits from attempts. The tree of a commit has the following files, if they exist:
 * problem.json, the kernel's source, plan.json, verdict.json, recommendation.md, prompt.md and
 * reply.md. The author of the commit is the author of the code, an agent or the engineer.
 *
 * Every attempt that was judged or vetoed has a commit under refs/kforge/<session>/candidates/<n>.
 * A kept attempt has another commit on the session's branch.
 */

/* The name of the session's branch, "kforge/<problem>/<session>"; the caller frees. */
char *commits_branch(const struct session *session);

/* Commit an attempt under its own ref, as a child of an earlier commit there. */
enum status commits_add_attempt(struct history *history, const struct session *session,
                                unsigned attempt, struct error *err) MUST_CHECK;

/* Commit all attempts that were judged, vetoed or retried in this way. */
enum status commits_add_settled(struct history *history, const struct session *session,
                                struct error *err) MUST_CHECK;

/* Create a fork's refs to the commits that it shares with its parent. */
enum status commits_share(struct history *history, const struct session *parent,
                          const struct session *fork, struct error *err) MUST_CHECK;

/*
 * Move the branch to the last kept attempt, after an undo or a redo.  `tip` is the attempt that the
 * branch points to now; NULL for none.  A commit that leaves the branch stays reachable under
 * refs/kforge/<session>/undone/.
 */
enum status commits_move_branch(struct history *history, const struct session *session,
                                const struct attempt *tip, struct error *err) MUST_CHECK;

/*
 * Write the refs that are missing after a crash: the commit of the last attempt, and the place of
 * the branch after an undo or a redo.
 */
enum status commits_repair(struct history *history, const struct session *session,
                           struct error *err) MUST_CHECK;

/*
 * Commit an attempt to the branch.  If it is the engineer's edit, the agent's version is committed
 * before it, so that `git blame` tells the two authors apart.
 */
enum status commits_keep(struct history *history, const struct session *session, unsigned number,
                         char commit[OBJECT_ID_SIZE], struct error *err) MUST_CHECK;

#endif
