#include "core/session/store/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <git2.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/session/store/commit_draft.h"
#include "core/system/file.h"

struct history {
    git_repository *repository;
    char *path;
};

/* The reason of a failure. If the disk is full, libgit2 reports only a consequence of it. */
static const char *reason(const char *path, const char *otherwise)
{
    const git_error *last = git_error_last();

    return !file_has_room(path, 1) ? "no space is left on the device; free some"
           : last                  ? last->message
                                   : otherwise;
}

static enum status fail(const char *path, const char *verb, struct error *err)
{
    return error_set(err, STATUS_IO, "%s: cannot %s: %s", path, verb,
                     reason(path, "git gives no reason"));
}

static void set_up_library(void)
{
    /* Extensions that kforge can ignore: they do not concern objects and refs. */
    static const char *extensions[] = {"worktreeconfig", "partialclone", "preciousobjects"};

    git_libgit2_init();
    git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
    git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions, COUNT(extensions));
}

/* Keep git from collecting new texts: until text_refs commits them, only the journal names them. */
static int forbid_collection(git_repository *repository)
{
    git_config *config = NULL;
    int error = git_repository_config(&config, repository);

    if (!error)
        error = git_config_set_int32(config, "gc.auto", 0);
    if (!error)
        error = git_config_set_string(config, "gc.pruneExpire", "never");
    git_config_free(config);
    return error;
}

static enum status make_in_folder(struct history *history, struct error *err)
{
    if (git_repository_open(&history->repository, history->path) == 0)
        return STATUS_OK;
    if (!file_is_empty_folder(history->path))
        return error_set(err, STATUS_INVALID,
                         "%s: is not a whole git repository: name one, or an empty folder",
                         history->path);
    if (git_repository_init(&history->repository, history->path, true) != 0 ||
        forbid_collection(history->repository) != 0)
        return fail(history->path, "make a repository", err);
    return STATUS_OK;
}

/*
 * Make the repository under a lock on its folder, so that only one of several processes makes it.
 */
static enum status make_repository(struct history *history, struct error *err)
{
    enum status st = file_make_folder(history->path, err);
    int fd;

    if (st)
        return st;
    fd = open(history->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOTDIR)
        st = error_set(err, STATUS_INVALID, "%s: is a file: name a git repository, or a new folder",
                       history->path);
    else if (fd < 0 || flock(fd, LOCK_EX) != 0)
        st = file_fail(err, "lock", history->path);
    else
        st = make_in_folder(history, err);
    if (fd >= 0)
        close(fd);
    return st;
}

static enum status open_or_make(struct history *history, struct error *err)
{
    int error = git_repository_open(&history->repository, history->path);

    if (error == GIT_ENOTFOUND)
        return make_repository(history, err);
    return error ? fail(history->path, "open the repository", err) : STATUS_OK;
}

enum status history_open(const char *path, struct history **history, struct error *err)
{
    struct history *opened = mem_alloc_zeroed(1, sizeof(*opened));
    enum status st;

    set_up_library();
    opened->path = mem_strdup(path);
    st = open_or_make(opened, err);
    if (st)
        history_close(opened);
    else
        *history = opened;
    return st;
}

enum status history_reopen(const char *path, struct history **history, struct error *err)
{
    if (!file_exists(path))
        return error_set(err, STATUS_NOT_FOUND,
                         "%s: the session's repository is missing: put it back", path);
    return history_open(path, history, err);
}

void history_close(struct history *history)
{
    if (!history)
        return;
    git_repository_free(history->repository);
    free(history->path);
    free(history);
    git_libgit2_shutdown();
}

void history_add_version(struct strbuf *out)
{
    int major, minor, revision;

    git_libgit2_version(&major, &minor, &revision);
    strbuf_addf(out, "libgit2 %d.%d.%d", major, minor, revision);
}

enum status history_put(struct history *history, const void *bytes, size_t len,
                        char id[OBJECT_ID_SIZE], struct error *err)
{
    git_oid oid;

    if (git_blob_create_from_buffer(&oid, history->repository, bytes, len) != 0)
        return fail(history->path, "store a text", err);
    git_oid_tostr(id, OBJECT_ID_SIZE, &oid);
    return STATUS_OK;
}

enum status history_get(const struct history *history, const char *id, struct strbuf *out,
                        struct error *err)
{
    git_blob *blob = NULL;
    git_oid oid;

    if (git_oid_fromstr(&oid, id) != 0 || git_blob_lookup(&blob, history->repository, &oid) != 0)
        return error_set(err, STATUS_NOT_FOUND,
                         "%s: lacks the text %.60s: restore the repository from a copy",
                         history->path, id);
    strbuf_add(out, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
    git_blob_free(blob);
    return STATUS_OK;
}

enum status history_commit(struct history *history, const struct history_commit *commit,
                           char id[OBJECT_ID_SIZE], struct error *err)
{
    git_oid oid;

    git_error_clear();
    if (commit_draft_make(history->repository, commit, &oid) == 0) {
        git_oid_tostr(id, OBJECT_ID_SIZE, &oid);
        return STATUS_OK;
    }
    return error_set(err, STATUS_IO, "%s: cannot commit to %s: %s", history->path, commit->ref,
                     reason(history->path, "a ref with a part of its name exists"));
}

enum status history_find(const struct history *history, const char *ref, char id[OBJECT_ID_SIZE],
                         struct strbuf *message, struct error *err)
{
    git_commit *commit = NULL;
    git_oid oid;
    int error = git_reference_name_to_id(&oid, history->repository, ref);

    if (error == GIT_ENOTFOUND)
        return error_set(err, STATUS_NOT_FOUND, "%s: no ref %s", history->path, ref);
    if (error || git_commit_lookup(&commit, history->repository, &oid) != 0)
        return fail(history->path, "read a ref", err);
    git_oid_tostr(id, OBJECT_ID_SIZE, &oid);
    if (message)
        strbuf_adds(message, git_commit_message(commit));
    git_commit_free(commit);
    return STATUS_OK;
}

enum status history_share(struct history *history, const char *ref, const char *commit,
                          struct error *err)
{
    git_reference *made = NULL;
    git_oid oid;
    int error = git_oid_fromstr(&oid, commit);

    if (!error)
        error = git_reference_create(&made, history->repository, ref, &oid, false, "kforge");
    git_reference_free(made);
    return error && error != GIT_EEXISTS ? fail(history->path, "make a ref", err) : STATUS_OK;
}

static int remove_ref(git_repository *repository, const char *ref, const git_oid *from)
{
    git_reference *found = NULL;
    int error = git_reference_lookup(&found, repository, ref);

    if (!error && !git_oid_equal(git_reference_target(found), from)) {
        git_error_set_str(GIT_ERROR_REFERENCE, "another process moved it");
        error = GIT_EMODIFIED;
    }
    if (!error)
        error = git_reference_delete(found);
    git_reference_free(found);
    return error;
}

enum status history_move(struct history *history, const char *ref, const char *from, const char *to,
                         struct error *err)
{
    git_reference *moved = NULL;
    git_oid old = {0}, new = {0};
    int error = from ? git_oid_fromstr(&old, from) : 0;

    if (!error && to)
        error = git_oid_fromstr(&new, to);
    if (!error && to)
        error = git_reference_create_matching(&moved, history->repository, ref, &new, true, &old,
                                              "kforge");
    else if (!error)
        error = remove_ref(history->repository, ref, &old);
    git_reference_free(moved);
    return error ? fail(history->path, "move a branch", err) : STATUS_OK;
}

static char *config_text(const git_config *config, const char *key)
{
    const char *text = NULL;

    if (!config || git_config_get_string(&text, config, key) != 0)
        return NULL;
    return text[0] ? mem_strdup(text) : NULL;
}

void history_engineer(struct history *history, char **name, char **email)
{
    const char *user = getenv("USER");
    git_config *config = NULL;

    if (git_repository_config_snapshot(&config, history->repository) != 0)
        config = NULL;
    *name = config_text(config, "user.name");
    *email = config_text(config, "user.email");
    if (!*name)
        *name = mem_strdup(user && user[0] ? user : "engineer");
    if (!*email) {
        struct strbuf made = {0};

        strbuf_addf(&made, "%s@localhost", user && user[0] ? user : "engineer");
        *email = strbuf_take(&made);
    }
    git_config_free(config);
}
