#ifndef CORE_SESSION_STORE_HISTORY_H
#define CORE_SESSION_STORE_HISTORY_H

#include <stddef.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "core/session/state/object_id.h"

/*
 * The git repository in which a session keeps its texts and its candidates,
 * over libgit2.  Only objects and references below refs/heads/kforge/ and
 * refs/kforge/ are written: HEAD, index and working tree of a repository
 * that an engineer names are never touched, and hooks do not run.  Objects
 * and references are fsynced.  Several processes may write to one repository.
 */
struct history;

/*
 * Open the repository at `path`: a working tree's top folder, a linked
 * worktree's, or a bare one.  A bare one is made where nothing is.
 */
enum status history_open(const char *path, struct history **history, struct error *err) MUST_CHECK;
void history_close(struct history *history);

/* Append the library's name and version. */
void history_add_version(struct strbuf *out);

/* Store bytes as a blob; the same bytes have the same id. */
enum status history_put(struct history *history, const void *bytes, size_t len,
                        char id[OBJECT_ID_SIZE], struct error *err) MUST_CHECK;

/* Append the bytes of a blob to `out`. */
enum status history_get(const struct history *history, const char *id, struct strbuf *out,
                        struct error *err) MUST_CHECK;

/* A file of a commit's tree: a name without slashes, and the blob it holds. */
struct history_file {
    const char *name;
    const char *id;
};

struct history_commit {
    const char *ref;    /* e.g. "refs/heads/kforge/softmax/1120-2147-3f2a"; made or moved forward */
    const char *parent; /* commit id; NULL: the ref's commit where there is one */
    const char *author_name, *author_email;
    const char *message;
    const struct history_file *files;
    size_t file_count;
};

/*
 * Commit; the committer is kforge.  A `parent` that does not hold the ref's
 * commit is refused, since commits would be lost.  Where one of the ref's last
 * two commits is this one already (same files, author and message) its id is
 * the answer, so that what a crash cut short can be done again.
 */
enum status history_commit(struct history *history, const struct history_commit *commit,
                           char id[OBJECT_ID_SIZE], struct error *err) MUST_CHECK;

/*
 * The commit that a ref points to.  Its message is appended to `message`,
 * which may be NULL.  STATUS_NOT_FOUND where there is no such ref.
 */
enum status history_find(const struct history *history, const char *ref, char id[OBJECT_ID_SIZE],
                         struct strbuf *message, struct error *err) MUST_CHECK;

/* Make a ref that points to a commit which is there; one that exists is left as it is. */
enum status history_share(struct history *history, const char *ref, const char *commit,
                          struct error *err) MUST_CHECK;

/*
 * Let a ref that points to the commit `from` point to `to`, be it back; NULL
 * for either is no ref at all.  One that points elsewhere by now is refused.
 */
enum status history_move(struct history *history, const char *ref, const char *from, const char *to,
                         struct error *err) MUST_CHECK;

/* Who the engineer is by git's configuration, else by $USER. The caller frees both. */
void history_engineer(struct history *history, char **name, char **email);

#endif
