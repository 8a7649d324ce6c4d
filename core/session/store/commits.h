#ifndef CORE_SESSION_STORE_COMMITS_H
#define CORE_SESSION_STORE_COMMITS_H

#include "core/session/state/session.h"
#include "core/session/store/history.h"

/*
 * Attempts as git commits.  A commit's tree holds problem.json, the kernel's
 * source, plan.json, verdict.json, recommendation.md, prompt.md and reply.md,
 * as far as there are such; its author is who wrote the code.
 *
 * Every attempt that was judged or vetoed stays reachable under
 * refs/kforge/<session>/candidates/<n>; a kept one is on the session's branch.
 */

/* "kforge/<problem>/<session>"; the caller frees. */
char *commits_branch(const struct session *session);

/* Commit an attempt under its own reference, after what stood there. */
enum status commits_add_attempt(struct history *history, const struct session *session,
                                unsigned attempt, struct error *err) MUST_CHECK;

/* The same for all attempts that were judged or refused. */
enum status commits_add_settled(struct history *history, const struct session *session,
                                struct error *err) MUST_CHECK;

/* Let a fork's references point to the commits that it shares with its parent. */
enum status commits_share(struct history *history, const struct session *parent,
                          const struct session *fork, struct error *err) MUST_CHECK;

/*
 * Let the branch hold what is kept now, after a decision was taken back or
 * holds again: it held what was kept until `tip` (NULL: nothing).  The commits
 * that it no longer holds stay reachable under refs/kforge/<session>/undone/.
 */
enum status commits_move_branch(struct history *history, const struct session *session,
                                const struct attempt *tip, struct error *err) MUST_CHECK;

/* Make up for references that a crash right before they were made has left behind. */
enum status commits_repair(struct history *history, const struct session *session,
                           struct error *err) MUST_CHECK;

/*
 * Commit an attempt to the branch.  Where an engineer edited what an agent
 * wrote, the agent's version goes before it, so that `git blame` tells them apart.
 */
enum status commits_keep(struct history *history, const struct session *session, unsigned number,
                         char commit[OBJECT_ID_SIZE], struct error *err) MUST_CHECK;

#endif
