#ifndef CORE_SESSION_STORE_COMMIT_DRAFT_H
#define CORE_SESSION_STORE_COMMIT_DRAFT_H

#include <stddef.h>

struct git_oid; /* of libgit2 */
struct git_repository;

/* A file in a commit's tree: its name, without slashes, and the id of its blob. */
struct history_file {
    const char *name;
    const char *id;
};

struct history_commit {
    const char *ref;    /* e.g. "refs/heads/kforge/softmax/1120-2147-3f2a"; made or moved forward */
    const char *parent; /* id of a commit; NULL: the commit of `ref`, if any */
    const char *author_name, *author_email;
    const char *message;
    const struct history_file *files;
    size_t file_count;
};

/*
 * Make a commit for history_commit() (history.h), which says what is made. Other processes may move
 * the same ref meanwhile: then the commit is made again on top of theirs. The lock of a process
 * that was killed is removed after three seconds. Returns 0 and the commit's id, or an error code
 * of libgit2, whose text is git_error_last().
 */
int commit_draft_make(struct git_repository *repository, const struct history_commit *wanted,
                      struct git_oid *id);

#endif
