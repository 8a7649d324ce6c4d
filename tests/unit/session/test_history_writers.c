#include "tests/unit/history_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system/file.h"

/* Tests that no commit is lost: with several writers, killed ones, and locks left behind. */

enum { WRITERS = 4, COMMITS = 8, KILLS = 6 };

static void a_ref_moves_forward_only(void **state)
{
    const char *path = history_fixture_path("forward.git");
    struct history *history = history_fixture_open(path);
    char first[OBJECT_ID_SIZE], second[OBJECT_ID_SIZE], side[OBJECT_ID_SIZE];
    struct error err = {0};

    (void)state;
    history_fixture_commit(history, &(struct simple_commit){.source = "a", .message = "1"}, first);
    history_fixture_commit(history, &(struct simple_commit){.source = "b", .message = "2"}, second);
    assert_int_equal(history_fixture_try_commit(
                         history,
                         &(struct simple_commit){.parent = first, .source = "c", .message = "3"},
                         side, &err),
                     STATUS_IO);
    assert_non_null(strstr(err.text, "its commits would be lost"));
    history_fixture_commit(
        history,
        &(struct simple_commit){
            .ref = "refs/kforge/s/candidates/3", .parent = second, .source = "c", .message = "3"},
        side);
    history_fixture_commit(
        history, &(struct simple_commit){.parent = side, .source = "d", .message = "4"}, first);
    assert_git("4", path, "rev-list", "--count", HISTORY_FIXTURE_BRANCH);
    history_close(history);
}

static void a_branch_in_the_way_is_named(void **state)
{
    const char *path = history_fixture_path("way");
    struct history *history;
    char id[OBJECT_ID_SIZE];
    struct error err = {0};

    (void)state;
    run_git(history_fixture_root, "init", "-q", path);
    run_git(path, "commit", "-q", "--allow-empty", "-m", "start");
    run_git(path, "branch", "kforge");
    run_git(path, "pack-refs", "--all");
    history = history_fixture_open(path);
    assert_int_equal(history_fixture_try_commit(
                         history, &(struct simple_commit){.source = "a", .message = "m"}, id, &err),
                     STATUS_IO);
    assert_non_null(strstr(err.text, HISTORY_FIXTURE_BRANCH));
    assert_git("start", path, "log", "--format=%s", "kforge");
    history_close(history);
}

static _Noreturn void write_commits(const char *path, int writer)
{
    struct history *history = history_fixture_open(path);
    char id[OBJECT_ID_SIZE], source[64];

    for (int i = 0; i < COMMITS; i++) {
        snprintf(source, sizeof(source), "writer %d line %d\n", writer, i);
        if (history_fixture_try_commit(
                history, &(struct simple_commit){.source = source, .message = source}, id, NULL))
            _exit(1);
    }
    history_close(history);
    _exit(0);
}

static void concurrent_writers_lose_no_commit(void **state)
{
    const char *path = history_fixture_path("shared.git");
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
    assert_git(expected, path, "rev-list", "--count", HISTORY_FIXTURE_BRANCH);
    run_git(path, "fsck", "--strict");
}

/* Commit forever, and acknowledge each finished commit by writing its id. */
static _Noreturn void commit_for_ever(const char *path, int acknowledge)
{
    struct history *history = history_fixture_open(path);
    char id[OBJECT_ID_SIZE], source[64];

    for (int i = 0;; i++) {
        snprintf(source, sizeof(source), "%d %d\n", (int)getpid(), i);
        if (history_fixture_try_commit(
                history, &(struct simple_commit){.source = source, .message = source}, id, NULL) ||
            write(acknowledge, id, OBJECT_ID_SIZE) != OBJECT_ID_SIZE)
            _exit(1);
    }
}

static void a_killed_writer_loses_no_commit(void **state)
{
    const char *path = history_fixture_path("killed.git");

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
        run_git(path, "merge-base", "--is-ancestor", last, HISTORY_FIXTURE_BRANCH);
    }
    run_git(path, "fsck", "--strict");
}

static void a_lock_left_behind_is_removed(void **state)
{
    const char *path = history_fixture_path("stale.git");
    struct history *history = history_fixture_open(path);
    char id[OBJECT_ID_SIZE], lock[256];

    (void)state;
    history_fixture_commit(history, &(struct simple_commit){.source = "a", .message = "1"}, id);
    snprintf(lock, sizeof(lock), "%s/%s.lock", path, HISTORY_FIXTURE_BRANCH);
    assert_int_equal(file_write(lock, "", 0, NULL), STATUS_OK);
    history_fixture_commit(history, &(struct simple_commit){.source = "b", .message = "2"}, id);
    assert_git(id, path, "rev-parse", HISTORY_FIXTURE_BRANCH);
    assert_false(file_exists(lock));
    history_close(history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ref_moves_forward_only),
        cmocka_unit_test(a_branch_in_the_way_is_named),
        cmocka_unit_test(concurrent_writers_lose_no_commit),
        cmocka_unit_test(a_killed_writer_loses_no_commit),
        cmocka_unit_test(a_lock_left_behind_is_removed),
    };

    return cmocka_run_group_tests_name("history_writers", tests, history_fixture_set_up,
                                       history_fixture_tear_down);
}
