#ifndef CORE_SESSION_STORE_HISTORY_H
#define CORE_SESSION_STORE_HISTORY_H

#include <stddef.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "core/session/state/object_id.h"
#include "core/session/store/commit_draft.h"

/*
 * The git repository that holds the texts and the candidates of sessions, through libgit2.  kforge
 * writes only objects and the refs below refs/heads/kforge/ and refs/kforge/, so that the
 * engineer's HEAD, index and working tree stay untouched; hooks do not run.  Objects and refs
 * are synced to disk.  Several processes may write to one repository at the same time.
 */
struct history;

/*
 * Open the repository at `path`: the top folder of a working tree or of a linked worktree, or a
 * bare repository.  If nothing exists there, or an empty folder, a bare repository is made.
 */
enum status history_open(const char *path, struct history **history, struct error *err) MUST_CHECK;

/* Open the repository of a session that exists: STATUS_NOT_FOUND if the repository is missing. */
enum status history_reopen(const char *path, struct history **history,
                           struct error *err) MUST_CHECK;
void history_close(struct history *history);

/* Append the name and version of libgit2. */
void history_add_version(struct strbuf *out);

/* Store bytes as a blob and return its id.  Equal bytes have equal ids. */
enum status history_put(struct history *history, const void *bytes, size_t len,
                        char id[OBJECT_ID_SIZE], struct error *err) MUST_CHECK;

/* Append the bytes of a blob to `out`. */
enum status history_get(const struct history *history, const char *id, struct strbuf *out,
                        struct error *err) MUST_CHECK;

/*
 * Make a commit with kforge as the committer, and return its id. A `parent` that does not descend
 * from the ref's commit is refused, because commits would be lost. If one of the last two commits
 * of the ref has the same files, author and message, the id of that commit is returned and no new
 * one is made, so that the caller can repeat a commit after a crash.
 */
enum status history_commit(struct history *history, const struct history_commit *commit,
                           char id[OBJECT_ID_SIZE], struct error *err) MUST_CHECK;

/*
 * Find the commit that a ref points to.  Its message is appended to `message`, which may be NULL.
 * STATUS_NOT_FOUND if the ref does not exist.
 */
enum status history_find(const struct history *history, const char *ref, char id[OBJECT_ID_SIZE],
                         struct strbuf *message, struct error *err) MUST_CHECK;

/* Make a ref that points to an existing commit; a ref that exists is not changed. */
enum status history_share(struct history *history, const char *ref, const char *commit,
                          struct error *err) MUST_CHECK;

/*
 * Move a ref from the commit `from` to the commit `to`, forward or back.  A `from` of NULL makes
 * the ref, a `to` of NULL deletes it.  Fails if the ref does not point to `from`.
 */
enum status history_move(struct history *history, const char *ref, const char *from, const char *to,
                         struct error *err) MUST_CHECK;

/* Name and email of the engineer, from git's configuration, else from $USER. The caller frees both.
 */
void history_engineer(struct history *history, char **name, char **email);

#endif
