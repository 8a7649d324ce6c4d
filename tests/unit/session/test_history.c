#include "tests/unit/unit.h"

#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/session/store/history.h"
#include "core/system/file.h"
#include "core/system/process.h"

/* The tests read kforge's commits with the real git. */

#define BRANCH "refs/heads/kforge/softmax/1120-2147-3f2a"

enum { MAX_ARGS = 16, WRITERS = 4, COMMITS = 8, KILLS = 6 };

static char root[] = "/tmp/kforge-history-XXXXXX";

static int make_root(void **state)
{
    char config[sizeof(root) + 16];
    static const char text[] = "[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n";

    (void)state;
    if (!mkdtemp(root))
        return -1;
    snprintf(config, sizeof(config), "%s/.gitconfig", root);
    setenv("HOME", root, 1);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    unsetenv("XDG_CONFIG_HOME");
    return file_write(config, text, strlen(text), NULL) ? -1 : 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    return remove(path);
}

static int remove_root(void **state)
{
    (void)state;
    return nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* A path in the test's own folder; valid for four calls. */
static const char *path_of(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
    return path;
}

static void read_pipe(int fd, struct strbuf *out)
{
    char chunk[4096];
    ssize_t got;

    while ((got = read(fd, chunk, sizeof(chunk))) > 0)
        strbuf_add(out, chunk, (size_t)got);
}

/*
 * Run `git -C <folder> <args...>`, which must succeed, and return its output without the last
 * newline; the caller frees it.
 */
static char *git(const char *folder, ...)
{
    const char *argv[MAX_ARGS] = {"git", "-C", folder};
    struct process process = {0};
    struct strbuf out = {0};
    size_t count = 3;
    va_list args;

    va_start(args, folder);
    while ((argv[count] = va_arg(args, const char *)) != NULL)
        assert_true(++count < MAX_ARGS);
    va_end(args);
    assert_int_equal(process_start(&process, &(struct process_spec){.argv = argv}, NULL),
                     STATUS_OK);
    read_pipe(process.out, &out);
    assert_int_equal(process_end(&process), 0);
    if (out.len > 0 && out.data[out.len - 1] == '\n')
        out.data[out.len - 1] = '\0';
    return strbuf_take(&out);
}

/* Like git(), without the output. */
#define run_git(...) free(git(__VA_ARGS__, (char *)NULL))

#define assert_git(expected, ...)                          \
    do {                                                   \
        char *found = git(__VA_ARGS__, (char *)NULL);      \
        assert_string_equal(found ? found : "", expected); \
        free(found);                                       \
    } while (0)

static struct history *open_history(const char *path)
{
    struct history *history = NULL;
    struct error err = {0};

    if (history_open(path, &history, &err))
        fail_msg("%s", err.text);
    return history;
}

/* A commit of one file, kernel.cl. */
struct simple {
    const char *ref, *parent, *author, *source, *message;
};

static enum status try_commit(struct history *history, const struct simple *simple,
                              char id[OBJECT_ID_SIZE], struct error *err)
{
    char blob[OBJECT_ID_SIZE];
    struct history_file file = {"kernel.cl", blob};
    struct history_commit commit = {
        .ref = simple->ref ? simple->ref : BRANCH,
        .parent = simple->parent,
        .author_name = simple->author ? simple->author : "builtin",
        .author_email = "agent@kforge.invalid",
        .message = simple->message,
        .files = &file,
        .file_count = 1,
    };
    enum status st = history_put(history, simple->source, strlen(simple->source), blob, err);

    return st ? st : history_commit(history, &commit, id, err);
}

static void commit(struct history *history, const struct simple *simple, char id[OBJECT_ID_SIZE])
{
    struct error err = {0};

    if (try_commit(history, simple, id, &err))
        fail_msg("%s", err.text);
}

static void a_bare_repository_is_made_where_nothing_is(void **state)
{
    static const char text[] = "a\0b\xff";
    const char *path = path_of("deep/er/history.git");
    struct history *history = open_history(path);
    struct strbuf back = {0};
    char id[OBJECT_ID_SIZE];
    struct error err = {0};

    (void)state;
    assert_int_equal(history_put(history, text, sizeof(text), id, NULL), STATUS_OK);
    history_close(history);
    history = open_history(path);
    assert_int_equal(history_get(history, id, &back, NULL), STATUS_OK);
    assert_int_equal(back.len, sizeof(text));
    assert_memory_equal(back.data, text, sizeof(text));
    assert_int_equal(history_get(history, "0123", &back, &err), STATUS_NOT_FOUND);
    assert_git("true", path, "rev-parse", "--is-bare-repository");
    assert_git("0", path, "config", "gc.auto");
    run_git(path, "fsck", "--strict");
    strbuf_release(&back);
    history_close(history);
}

static void a_folder_with_other_files_is_refused(void **state)
{
    struct history *history = NULL;
    struct error err = {0};

    (void)state;
    assert_int_equal(file_make_folder(path_of("full"), NULL), STATUS_OK);
    assert_int_equal(file_write(path_of("full/notes.txt"), "x", 1, NULL), STATUS_OK);
    assert_int_equal(history_open(path_of("full"), &history, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "is not a git repository"));
    assert_null(history);
    assert_false(file_exists(path_of("full/HEAD")));
}

static void git_reads_what_was_committed(void **state)
{
    const char *path = path_of("log.git");
    struct history *history = open_history(path);
    char first[OBJECT_ID_SIZE], second[OBJECT_ID_SIZE];

    (void)state;
    commit(history, &(struct simple){.source = "one\n", .message = "softmax: first\n"}, first);
    commit(history,
           &(struct simple){.source = "two\n",
                            .message = "softmax: 2.31x over the plain kernel\n\nwider loads\n\n"
                                       "Kforge-Session: s\nKforge-Step: 7\n"},
           second);
    assert_git(second, path, "rev-parse", BRANCH);
    assert_git(
        "softmax: 2.31x over the plain kernel|7|builtin|kforge\nsoftmax: first||builtin|kforge",
        path, "log", "--format=%s|%(trailers:key=Kforge-Step,valueonly,separator=)|%an|%cn",
        BRANCH);
    assert_git("two", path, "show", BRANCH ":kernel.cl");
    assert_git(first, path, "rev-parse", BRANCH "^");
    run_git(path, "fsck", "--strict");
    history_close(history);
}

static void blame_tells_the_engineer_from_the_model(void **state)
{
    const char *path = path_of("blame.git");
    struct history *history = open_history(path);
    char id[OBJECT_ID_SIZE];

    (void)state;
    commit(history,
           &(struct simple){.author = "openai:gpt-5", .source = "a\nb\nc\n", .message = "model"},
           id);
    commit(history,
           &(struct simple){.author = "Ada Lovelace", .source = "a\nB\nc\n", .message = "edit"},
           id);
    char *blame = git(path, "blame", "--line-porcelain", BRANCH, "--", "kernel.cl", (char *)NULL);
    const char *model = strstr(blame, "author openai:gpt-5");
    const char *engineer = strstr(model, "author Ada Lovelace");

    assert_non_null(engineer);
    assert_non_null(strstr(engineer, "\tB\n"));
    assert_non_null(strstr(engineer, "author openai:gpt-5"));
    free(blame);
    history_close(history);
}

static void a_name_that_git_cannot_write_is_made_harmless(void **state)
{
    const char *path = path_of("names.git");
    struct history *history = open_history(path);
    char id[OBJECT_ID_SIZE];

    (void)state;
    commit(history,
           &(struct simple){.author = "odd <model>\nauthor x", .source = "a", .message = "m"}, id);
    assert_git("odd _model__author x", path, "log", "--format=%an", BRANCH);
    run_git(path, "fsck", "--strict");
    history_close(history);
}

/*
 * A repository with a commit, a staged change, an unstaged change, and hooks that leave a mark when
 * they run.
 */
static void make_dirty_repository(const char *path)
{
    static const char *const hooks[] = {"post-commit", "pre-commit", "reference-transaction",
                                        "post-index-change"};
    static const char hook[] = "#!/bin/sh\n: > \"$HOME/hooked\"\n";
    char name[256];

    run_git(root, "init", "-q", path);
    snprintf(name, sizeof(name), "%s/a.c", path);
    assert_int_equal(file_write(name, "int a;\n", 7, NULL), STATUS_OK);
    run_git(path, "add", "a.c");
    run_git(path, "commit", "-q", "-m", "start");
    assert_int_equal(file_write(name, "int b;\n", 7, NULL), STATUS_OK);
    run_git(path, "add", "a.c");
    assert_int_equal(file_write(name, "int c;\n", 7, NULL), STATUS_OK);
    snprintf(name, sizeof(name), "%s/untracked", path);
    assert_int_equal(file_write(name, "u", 1, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof(hooks) / sizeof(*hooks); i++) {
        snprintf(name, sizeof(name), "%s/.git/hooks/%s", path, hooks[i]);
        assert_int_equal(file_write(name, hook, strlen(hook), NULL), STATUS_OK);
        assert_int_equal(chmod(name, 0755), 0);
    }
}

/* HEAD, index, working tree and foreign refs as one text; the caller frees it. */
static char *describe_repository(const char *path)
{
    struct strbuf text = {0}, index = {0};
    char name[256];
    char *head = git(path, "symbolic-ref", "HEAD", (char *)NULL);
    char *refs = git(path, "for-each-ref", "refs/heads/m*", "refs/tags", (char *)NULL);
    char *status = git(path, "--no-optional-locks", "status", "--porcelain", (char *)NULL);
    char *diff = git(path, "--no-optional-locks", "diff", (char *)NULL);

    snprintf(name, sizeof(name), "%s/.git/index", path);
    assert_int_equal(file_read(name, 1 << 20, &index, NULL), STATUS_OK);
    strbuf_addf(&text, "%s\n%s\n%s\n%s\n", head, refs, status, diff);
    for (size_t i = 0; i < index.len; i++)
        strbuf_addf(&text, "%02x", (unsigned char)index.data[i]);
    strbuf_release(&index);
    free(head);
    free(refs);
    free(status);
    free(diff);
    return strbuf_take(&text);
}

static void a_dirty_repository_keeps_head_index_and_tree(void **state)
{
    const char *path = path_of("dirty");
    struct history *history;
    char id[OBJECT_ID_SIZE];
    char *before, *after;

    (void)state;
    make_dirty_repository(path);
    run_git(path, "tag", "mine");
    assert_int_equal(unlink(path_of("hooked")), 0);
    before = describe_repository(path);
    history = open_history(path);
    commit(history, &(struct simple){.source = "one\n", .message = "m1"}, id);
    commit(history, &(struct simple){.source = "two\n", .message = "m2"}, id);
    commit(history,
           &(struct simple){.ref = "refs/kforge/s/candidates/1", .source = "x", .message = "c"},
           id);
    history_close(history);
    after = describe_repository(path);
    assert_string_equal(after, before);
    assert_false(file_exists(path_of("hooked")));
    run_git(path, "fsck", "--strict");
    assert_git("2", path, "rev-list", "--count", BRANCH);
    free(before);
    free(after);
}

static void a_linked_worktree_shares_its_repository(void **state)
{
    const char *path = path_of("main");
    struct history *history;
    char id[OBJECT_ID_SIZE];

    (void)state;
    run_git(root, "init", "-q", path);
    run_git(path, "config", "extensions.worktreeConfig", "true");
    run_git(path, "commit", "-q", "--allow-empty", "-m", "start");
    run_git(path, "worktree", "add", "-q", path_of("linked"), "-b", "linked");
    history = open_history(path_of("linked"));
    commit(history, &(struct simple){.source = "one\n", .message = "m1"}, id);
    history_close(history);
    assert_git(id, path, "rev-parse", BRANCH);
    assert_git("linked", path_of("linked"), "rev-parse", "--abbrev-ref", "HEAD");
    assert_git("", path_of("linked"), "status", "--porcelain");
}

static void a_commit_that_is_there_is_not_made_again(void **state)
{
    const struct simple model = {.source = "a", .message = "model's"},
                        edit = {.source = "b", .message = "engineer's", .author = "Ada"};
    const char *path = path_of("again.git");
    struct history *history = open_history(path);
    char first[OBJECT_ID_SIZE], second[OBJECT_ID_SIZE], again[OBJECT_ID_SIZE];

    (void)state;
    commit(history, &model, first);
    commit(history, &edit, second);
    commit(history, &model, again);
    assert_string_equal(again, first);
    commit(history, &edit, again);
    assert_string_equal(again, second);
    assert_git("2", path, "rev-list", "--count", BRANCH);
    history_close(history);
}

static void a_ref_moves_forward_only(void **state)
{
    const char *path = path_of("forward.git");
    struct history *history = open_history(path);
    char first[OBJECT_ID_SIZE], second[OBJECT_ID_SIZE], side[OBJECT_ID_SIZE];
    struct error err = {0};

    (void)state;
    commit(history, &(struct simple){.source = "a", .message = "1"}, first);
    commit(history, &(struct simple){.source = "b", .message = "2"}, second);
    assert_int_equal(try_commit(history,
                                &(struct simple){.parent = first, .source = "c", .message = "3"},
                                side, &err),
                     STATUS_IO);
    assert_non_null(strstr(err.text, "its commits would be lost"));
    commit(
        history,
        &(struct simple){
            .ref = "refs/kforge/s/candidates/3", .parent = second, .source = "c", .message = "3"},
        side);
    commit(history, &(struct simple){.parent = side, .source = "d", .message = "4"}, first);
    assert_git("4", path, "rev-list", "--count", BRANCH);
    history_close(history);
}

static void a_branch_in_the_way_is_named(void **state)
{
    const char *path = path_of("way");
    struct history *history;
    char id[OBJECT_ID_SIZE];
    struct error err = {0};

    (void)state;
    run_git(root, "init", "-q", path);
    run_git(path, "commit", "-q", "--allow-empty", "-m", "start");
    run_git(path, "branch", "kforge");
    run_git(path, "pack-refs", "--all");
    history = open_history(path);
    assert_int_equal(try_commit(history, &(struct simple){.source = "a", .message = "m"}, id, &err),
                     STATUS_IO);
    assert_non_null(strstr(err.text, BRANCH));
    assert_git("start", path, "log", "--format=%s", "kforge");
    history_close(history);
}

static _Noreturn void write_commits(const char *path, int writer)
{
    struct history *history = open_history(path);
    char id[OBJECT_ID_SIZE], source[64];

    for (int i = 0; i < COMMITS; i++) {
        snprintf(source, sizeof(source), "writer %d line %d\n", writer, i);
        if (try_commit(history, &(struct simple){.source = source, .message = source}, id, NULL))
            _exit(1);
    }
    history_close(history);
    _exit(0);
}

static void concurrent_writers_lose_no_commit(void **state)
{
    const char *path = path_of("shared.git");
    pid_t writers[WRITERS];
    char expected[16];
    int status;

    (void)state;
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        if (writers[i] == 0)
            write_commits(path, i);
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
        assert_int_equal(status, 0);
    }
    snprintf(expected, sizeof(expected), "%d", WRITERS * COMMITS);
    assert_git(expected, path, "rev-list", "--count", BRANCH);
    run_git(path, "fsck", "--strict");
}

/* Commit forever, and acknowledge each finished commit by writing its id. */
static _Noreturn void commit_for_ever(const char *path, int acknowledge)
{
    struct history *history = open_history(path);
    char id[OBJECT_ID_SIZE], source[64];

    for (int i = 0;; i++) {
        snprintf(source, sizeof(source), "%d %d\n", (int)getpid(), i);
        if (try_commit(history, &(struct simple){.source = source, .message = source}, id, NULL) ||
            write(acknowledge, id, OBJECT_ID_SIZE) != OBJECT_ID_SIZE)
            _exit(1);
    }
}

static void a_killed_writer_loses_no_commit(void **state)
{
    const char *path = path_of("killed.git");

    (void)state;
    for (int i = 0; i < KILLS; i++) {
        char id[OBJECT_ID_SIZE], last[OBJECT_ID_SIZE] = "";
        int ends[2];
        pid_t child;

        assert_int_equal(pipe(ends), 0);
        child = fork();
        if (child == 0)
            commit_for_ever(path, ends[1]);
        close(ends[1]);
        for (int seen = 0; read(ends[0], id, sizeof(id)) == sizeof(id); seen++) {
            memcpy(last, id, sizeof(last));
            if (seen == i)
                kill(child, SIGKILL);
        }
        waitpid(child, NULL, 0);
        close(ends[0]);
        run_git(path, "merge-base", "--is-ancestor", last, BRANCH);
    }
    run_git(path, "fsck", "--strict");
}

static void a_lock_left_behind_is_removed(void **state)
{
    const char *path = path_of("stale.git");
    struct history *history = open_history(path);
    char id[OBJECT_ID_SIZE], lock[256];

    (void)state;
    commit(history, &(struct simple){.source = "a", .message = "1"}, id);
    snprintf(lock, sizeof(lock), "%s/%s.lock", path, BRANCH);
    assert_int_equal(file_write(lock, "", 0, NULL), STATUS_OK);
    commit(history, &(struct simple){.source = "b", .message = "2"}, id);
    assert_git(id, path, "rev-parse", BRANCH);
    assert_false(file_exists(lock));
    history_close(history);
}

static void the_engineer_is_who_git_says(void **state)
{
    const char *path = path_of("who.git");
    struct history *history = open_history(path);
    char *name, *email;

    (void)state;
    history_engineer(history, &name, &email);
    assert_string_equal(name, "Ada Lovelace");
    assert_string_equal(email, "ada@example.org");
    free(name);
    free(email);
    run_git(path, "config", "user.name", "");
    run_git(path, "config", "user.email", "");
    setenv("USER", "grace", 1);
    history_engineer(history, &name, &email);
    assert_string_equal(name, "grace");
    assert_string_equal(email, "grace@localhost");
    free(name);
    free(email);
    history_close(history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bare_repository_is_made_where_nothing_is),
        cmocka_unit_test(a_folder_with_other_files_is_refused),
        cmocka_unit_test(git_reads_what_was_committed),
        cmocka_unit_test(blame_tells_the_engineer_from_the_model),
        cmocka_unit_test(a_name_that_git_cannot_write_is_made_harmless),
        cmocka_unit_test(a_dirty_repository_keeps_head_index_and_tree),
        cmocka_unit_test(a_linked_worktree_shares_its_repository),
        cmocka_unit_test(a_commit_that_is_there_is_not_made_again),
        cmocka_unit_test(a_ref_moves_forward_only),
        cmocka_unit_test(a_branch_in_the_way_is_named),
        cmocka_unit_test(concurrent_writers_lose_no_commit),
        cmocka_unit_test(a_killed_writer_loses_no_commit),
        cmocka_unit_test(a_lock_left_behind_is_removed),
        cmocka_unit_test(the_engineer_is_who_git_says),
    };

    return cmocka_run_group_tests_name("history", tests, make_root, remove_root);
}
