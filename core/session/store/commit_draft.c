#include "core/session/store/commit_draft.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <git2.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"

enum { LOOK_BACK = 2 }; /* number of commits; an edited candidate makes two */

/* A commit while it is made. */
struct draft {
    const struct history_commit *wanted;
    git_tree *tree;
    git_signature *author, *committer;
    git_oid tip; /* the commit of the ref; zero if the ref does not exist */
};

static void draft_release(struct draft *draft)
{
    git_tree_free(draft->tree);
    git_signature_free(draft->author);
    git_signature_free(draft->committer);
}

static int insert_files(git_treebuilder *builder, const struct history_commit *commit)
{
    git_oid oid;
    int error = 0;

    for (size_t i = 0; !error && i < commit->file_count; i++) {
        error = git_oid_fromstr(&oid, commit->files[i].id);
        if (!error)
            error = git_treebuilder_insert(NULL, builder, commit->files[i].name, &oid,
                                           GIT_FILEMODE_BLOB);
    }
    return error;
}

static int make_tree(git_repository *repository, const struct history_commit *commit,
                     git_tree **tree)
{
    git_treebuilder *builder = NULL;
    git_oid oid;
    int error = git_treebuilder_new(&builder, repository, NULL);

    if (!error)
        error = insert_files(builder, commit);
    if (!error)
        error = git_treebuilder_write(&oid, builder);
    if (!error)
        error = git_tree_lookup(tree, repository, &oid);
    git_treebuilder_free(builder);
    return error;
}

/* A signature; characters that git does not allow in one become "_", as in names of models. */
static int make_signature(const char *name, const char *email, git_signature **signature)
{
    char *clean_name = mem_strdup(name && name[0] ? name : "unknown");
    char *clean_email = mem_strdup(email ? email : "");
    int error;

    for (char *c = clean_name; *c; c++)
        if (iscntrl((unsigned char)*c) || strchr("<>", *c))
            *c = '_';
    for (char *c = clean_email; *c; c++)
        if (iscntrl((unsigned char)*c) || strchr("<> ", *c))
            *c = '_';
    error = git_signature_now(signature, clean_name, clean_email);
    free(clean_name);
    free(clean_email);
    return error;
}

static int read_tip(git_repository *repository, struct draft *draft)
{
    int error = git_reference_name_to_id(&draft->tip, repository, draft->wanted->ref);

    if (error == GIT_ENOTFOUND) {
        memset(&draft->tip, 0, sizeof(draft->tip));
        error = 0;
    }
    return error;
}

static int read_parent(const struct draft *draft, git_oid *parent)
{
    if (draft->wanted->parent)
        return git_oid_fromstr(parent, draft->wanted->parent);
    *parent = draft->tip;
    return 0;
}

static bool is_draft(git_commit *commit, const struct draft *draft)
{
    const git_signature *author = git_commit_author(commit);

    return git_oid_equal(git_commit_tree_id(commit), git_tree_id(draft->tree)) &&
           strcmp(git_commit_message(commit), draft->wanted->message) == 0 &&
           strcmp(author->name, draft->author->name) == 0 &&
           strcmp(author->email, draft->author->email) == 0;
}

/* True if one of the last LOOK_BACK commits of the ref equals the draft; `id` is then its id. */
static bool find_made(git_repository *repository, const struct draft *draft, git_oid *id)
{
    git_oid oid = draft->tip;
    bool is_found = false;

    for (int i = 0; i < LOOK_BACK && !is_found && !git_oid_is_zero(&oid); i++) {
        git_commit *commit = NULL;

        if (git_commit_lookup(&commit, repository, &oid) != 0)
            return false;
        is_found = is_draft(commit, draft);
        if (is_found)
            *id = oid;
        oid = git_commit_parentcount(commit) > 0 ? *git_commit_parent_id(commit, 0) : (git_oid){0};
        git_commit_free(commit);
    }
    return is_found;
}

/* True if a child of `parent` has all commits of the ref as ancestors. */
static bool is_forward(git_repository *repository, const struct draft *draft, const git_oid *parent)
{
    return git_oid_is_zero(&draft->tip) || git_oid_equal(&draft->tip, parent) ||
           git_graph_descendant_of(repository, parent, &draft->tip) == 1;
}

static int write_commit(git_repository *repository, const struct draft *draft,
                        const git_oid *parent, git_oid *id)
{
    git_commit *parent_commit = NULL;
    const git_commit *parents[1];
    size_t count = git_oid_is_zero(parent) ? 0 : 1;
    int error = count ? git_commit_lookup(&parent_commit, repository, parent) : 0;

    parents[0] = parent_commit;
    if (!error)
        error = git_commit_create(id, repository, NULL, draft->author, draft->committer, NULL,
                                  draft->wanted->message, draft->tree, count, parents);
    git_commit_free(parent_commit);
    return error;
}

/* One try.  GIT_EMODIFIED: another process moved the ref; GIT_ELOCKED: it is moving it. */
static int try_commit(git_repository *repository, struct draft *draft, git_oid *id)
{
    git_reference *moved = NULL;
    git_oid parent;
    int error = read_tip(repository, draft);

    if (!error)
        error = read_parent(draft, &parent);
    if (error)
        return error;
    if (find_made(repository, draft, id))
        return 0;
    if (!is_forward(repository, draft, &parent)) {
        git_error_set_str(GIT_ERROR_REFERENCE, "its commits would be lost");
        return GIT_ENONFASTFORWARD;
    }
    error = write_commit(repository, draft, &parent, id);
    if (!error)
        error = git_reference_create_matching(&moved, repository, draft->wanted->ref, id, true,
                                              &draft->tip, "kforge");
    git_reference_free(moved);
    return error;
}

/*
 * A wait for the lock of a ref, which is a file beside it.  git holds the lock for
 * milliseconds; if it stays for seconds (MAX_NAPS), its process was killed and the file is removed.
 */
struct wait {
    char *lock;           /* path */
    struct timespec made; /* when the lock file was made */
    unsigned naps;        /* number of waits since then */
};

enum { NAP_NS = 10 * 1000 * 1000, MAX_NAPS = 300 };

static void wait_for_lock(struct wait *wait)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    struct stat now;

    if (stat(wait->lock, &now) != 0)
        return;
    if (now.st_ctim.tv_sec != wait->made.tv_sec || now.st_ctim.tv_nsec != wait->made.tv_nsec) {
        wait->made = now.st_ctim;
        wait->naps = 0;
    }
    if (wait->naps++ < MAX_NAPS)
        nanosleep(&nap, NULL);
    else
        unlink(wait->lock);
}

static int commit_in_turn(git_repository *repository, struct draft *draft, git_oid *id)
{
    struct strbuf lock = {0};
    struct wait wait = {0};
    int error;

    strbuf_addf(&lock, "%s%s.lock", git_repository_commondir(repository), draft->wanted->ref);
    wait.lock = strbuf_take(&lock);
    while ((error = try_commit(repository, draft, id)) == GIT_ELOCKED || error == GIT_EMODIFIED)
        if (error == GIT_ELOCKED)
            wait_for_lock(&wait);
    free(wait.lock);
    return error;
}

int commit_draft_make(git_repository *repository, const struct history_commit *wanted, git_oid *id)
{
    struct draft draft = {.wanted = wanted};
    int error = make_tree(repository, wanted, &draft.tree);

    if (!error)
        error = make_signature(wanted->author_name, wanted->author_email, &draft.author);
    if (!error)
        error = make_signature("kforge", "kforge@localhost", &draft.committer);
    if (!error)
        error = commit_in_turn(repository, &draft, id);
    draft_release(&draft);
    return error;
}
