#include "tests/unit/history_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/strbuf.h"
#include "core/system/file.h"

/* Tests the commits of a history, and that a repository of the engineer keeps all else. */

static void a_bare_repository_is_made_where_nothing_is(void **state)
{
    static const char text[] = "a\0b\xff";
    const char *path = history_fixture_path("deep/er/history.git");
    struct history *history = history_fixture_open(path);
    struct strbuf back = {0};
    char id[OBJECT_ID_SIZE];
    struct error err = {0};

    (void)state;
    assert_int_equal(history_put(history, text, sizeof(text), id, NULL), STATUS_OK);
    history_close(history);
    history = history_fixture_open(path);
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
    assert_int_equal(file_make_folder(history_fixture_path("full"), NULL), STATUS_OK);
    assert_int_equal(file_write(history_fixture_path("full/notes.txt"), "x", 1, NULL), STATUS_OK);
    assert_int_equal(history_open(history_fixture_path("full"), &history, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "is not a whole git repository"));
    assert_null(history);
    assert_false(file_exists(history_fixture_path("full/HEAD")));
}

static void git_reads_what_was_committed(void **state)
{
    const char *path = history_fixture_path("log.git");
    struct history *history = history_fixture_open(path);
    char first[OBJECT_ID_SIZE], second[OBJECT_ID_SIZE];

    (void)state;
    history_fixture_commit(
        history, &(struct simple_commit){.source = "one\n", .message = "softmax: first\n"}, first);
    history_fixture_commit(
        history,
        &(struct simple_commit){.source = "two\n",
                                .message = "softmax: 2.31x over the plain kernel\n\nwider loads\n\n"
                                           "Kforge-Session: s\nKforge-Step: 7\n"},
        second);
    assert_git(second, path, "rev-parse", HISTORY_FIXTURE_BRANCH);
    assert_git(
        "softmax: 2.31x over the plain kernel|7|builtin|kforge\nsoftmax: first||builtin|kforge",
        path, "log", "--format=%s|%(trailers:key=Kforge-Step,valueonly,separator=)|%an|%cn",
        HISTORY_FIXTURE_BRANCH);
    assert_git("two", path, "show", HISTORY_FIXTURE_BRANCH ":kernel.cl");
    assert_git(first, path, "rev-parse", HISTORY_FIXTURE_BRANCH "^");
    run_git(path, "fsck", "--strict");
    history_close(history);
}

static void blame_tells_the_engineer_from_the_model(void **state)
{
    const char *path = history_fixture_path("blame.git");
    struct history *history = history_fixture_open(path);
    char id[OBJECT_ID_SIZE];

    (void)state;
    history_fixture_commit(history,
                           &(struct simple_commit){
                               .author = "openai:gpt-5", .source = "a\nb\nc\n", .message = "model"},
                           id);
    history_fixture_commit(
        history,
        &(struct simple_commit){.author = "Ada Lovelace", .source = "a\nB\nc\n", .message = "edit"},
        id);
    char *blame = history_fixture_git(path, "blame", "--line-porcelain", HISTORY_FIXTURE_BRANCH,
                                      "--", "kernel.cl", (char *)NULL);
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
    const char *path = history_fixture_path("names.git");
    struct history *history = history_fixture_open(path);
    char id[OBJECT_ID_SIZE];

    (void)state;
    history_fixture_commit(
        history,
        &(struct simple_commit){.author = "odd <model>\nauthor x", .source = "a", .message = "m"},
        id);
    assert_git("odd _model__author x", path, "log", "--format=%an", HISTORY_FIXTURE_BRANCH);
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

    run_git(history_fixture_root, "init", "-q", path);
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
    char *head = history_fixture_git(path, "symbolic-ref", "HEAD", (char *)NULL);
    char *refs =
        history_fixture_git(path, "for-each-ref", "refs/heads/m*", "refs/tags", (char *)NULL);
    char *status =
        history_fixture_git(path, "--no-optional-locks", "status", "--porcelain", (char *)NULL);
    char *diff = history_fixture_git(path, "--no-optional-locks", "diff", (char *)NULL);

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
    const char *path = history_fixture_path("dirty");
    struct history *history;
    char id[OBJECT_ID_SIZE];
    char *before, *after;

    (void)state;
    make_dirty_repository(path);
    run_git(path, "tag", "mine");
    assert_int_equal(unlink(history_fixture_path("hooked")), 0);
    before = describe_repository(path);
    history = history_fixture_open(path);
    history_fixture_commit(history, &(struct simple_commit){.source = "one\n", .message = "m1"},
                           id);
    history_fixture_commit(history, &(struct simple_commit){.source = "two\n", .message = "m2"},
                           id);
    history_fixture_commit(
        history,
        &(struct simple_commit){.ref = "refs/kforge/s/candidates/1", .source = "x", .message = "c"},
        id);
    history_close(history);
    after = describe_repository(path);
    assert_string_equal(after, before);
    assert_false(file_exists(history_fixture_path("hooked")));
    run_git(path, "fsck", "--strict");
    assert_git("2", path, "rev-list", "--count", HISTORY_FIXTURE_BRANCH);
    free(before);
    free(after);
}

static void a_linked_worktree_shares_its_repository(void **state)
{
    const char *path = history_fixture_path("main");
    struct history *history;
    char id[OBJECT_ID_SIZE];

    (void)state;
    run_git(history_fixture_root, "init", "-q", path);
    run_git(path, "config", "extensions.worktreeConfig", "true");
    run_git(path, "commit", "-q", "--allow-empty", "-m", "start");
    run_git(path, "worktree", "add", "-q", history_fixture_path("linked"), "-b", "linked");
    history = history_fixture_open(history_fixture_path("linked"));
    history_fixture_commit(history, &(struct simple_commit){.source = "one\n", .message = "m1"},
                           id);
    history_close(history);
    assert_git(id, path, "rev-parse", HISTORY_FIXTURE_BRANCH);
    assert_git("linked", history_fixture_path("linked"), "rev-parse", "--abbrev-ref", "HEAD");
    assert_git("", history_fixture_path("linked"), "status", "--porcelain");
}

static void a_commit_that_is_there_is_not_made_again(void **state)
{
    const struct simple_commit model = {.source = "a", .message = "model's"},
                               edit = {.source = "b", .message = "engineer's", .author = "Ada"};
    const char *path = history_fixture_path("again.git");
    struct history *history = history_fixture_open(path);
    char first[OBJECT_ID_SIZE], second[OBJECT_ID_SIZE], again[OBJECT_ID_SIZE];

    (void)state;
    history_fixture_commit(history, &model, first);
    history_fixture_commit(history, &edit, second);
    history_fixture_commit(history, &model, again);
    assert_string_equal(again, first);
    history_fixture_commit(history, &edit, again);
    assert_string_equal(again, second);
    assert_git("2", path, "rev-list", "--count", HISTORY_FIXTURE_BRANCH);
    history_close(history);
}

static void the_engineer_is_who_git_says(void **state)
{
    const char *path = history_fixture_path("who.git");
    struct history *history = history_fixture_open(path);
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
        cmocka_unit_test(the_engineer_is_who_git_says),
    };

    return cmocka_run_group_tests_name("history", tests, history_fixture_set_up,
                                       history_fixture_tear_down);
}
