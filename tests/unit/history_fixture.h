#ifndef TESTS_UNIT_HISTORY_FIXTURE_H
#define TESTS_UNIT_HISTORY_FIXTURE_H

#include "tests/unit/unit.h"

#include <stdlib.h>

#include "core/session/store/history.h"

/*
 * Repositories below a folder of the test's own, written by core/session/store/history and read
 * with the real git.
 */

#define HISTORY_FIXTURE_BRANCH "refs/heads/kforge/softmax/1120-2147-3f2a"

/* The folder. It is HOME too, and its .gitconfig names Ada Lovelace. */
extern char history_fixture_root[];

/* Set-up and tear-down of a group of tests: make and remove the folder. */
int history_fixture_set_up(void **state);
int history_fixture_tear_down(void **state);

/* A path in that folder; valid for four calls. */
const char *history_fixture_path(const char *name);

/*
 * Run `git -C <folder> <args...>`, which must succeed; the arguments end with NULL. Return the
 * output without the last newline; the caller frees it.
 */
char *history_fixture_git(const char *folder, ...);

/* Like history_fixture_git(), without the output. */
#define run_git(...) free(history_fixture_git(__VA_ARGS__, (char *)NULL))

#define assert_git(expected, ...)                                     \
    do {                                                              \
        char *found = history_fixture_git(__VA_ARGS__, (char *)NULL); \
        assert_string_equal(found ? found : "", expected);            \
        free(found);                                                  \
    } while (0)

/* Open or make the repository; fail the test where that fails. */
struct history *history_fixture_open(const char *path);

/* A commit of one file, kernel.cl. */
struct simple_commit {
    const char *ref, *parent, *author, *source, *message;
};
enum status history_fixture_try_commit(struct history *history, const struct simple_commit *simple,
                                       char id[OBJECT_ID_SIZE], struct error *err);
void history_fixture_commit(struct history *history, const struct simple_commit *simple,
                            char id[OBJECT_ID_SIZE]);

#endif
