#include "core/system/file_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/system/file.h"
#include "core/system/loop.h"
#include "tests/unit/unit.h"

struct watched {
    struct loop *loop;
    char *folder;
    struct file_watch *watch;
    unsigned saved, lost;
};

static void on_saved(void *data)
{
    struct watched *watched = data;

    watched->saved++;
    loop_stop(watched->loop);
}

static void on_lost(void *data)
{
    struct watched *watched = data;

    watched->lost++;
    loop_stop(watched->loop);
}

static int open_watch(void **state)
{
    static const char *const names[] = {"kernel.cl", "plan.json", NULL};
    static struct watched watched;
    struct file_watch_spec spec = {
        .names = names, .saved = on_saved, .lost = on_lost, .data = &watched};

    watched = (struct watched){.loop = loop_new(),
                               .folder = file_join(file_temporary_folder(), "file-watch-XXXXXX")};
    *state = &watched;
    spec.folder = mkdtemp(watched.folder);
    return spec.folder && !file_watch_open(watched.loop, &spec, &watched.watch, &(struct error){0})
               ? 0
               : -1;
}

static int close_watch(void **state)
{
    struct watched *watched = *state;

    file_watch_close(watched->watch);
    loop_free(watched->loop);
    file_remove_folder(watched->folder);
    free(watched->folder);
    return 0;
}

static void save(const struct watched *watched, const char *name, const char *text)
{
    char *path = file_join(watched->folder, name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    free(path);
}

static void rename_in(const struct watched *watched, const char *from, const char *to)
{
    char *old = file_join(watched->folder, from), *new = file_join(watched->folder, to);

    assert_int_equal(rename(old, new), 0);
    free(old);
    free(new);
}

static void a_save_in_place_is_heard(void **state)
{
    struct watched *watched = *state;

    save(watched, "plan.json", "{}");
    loop_run(watched->loop);
    assert_int_equal(watched->saved, 1);
}

/* vim renames the old file away and writes a new one; others rename a new one over the old. */
static void a_save_by_renaming_is_heard_once(void **state)
{
    struct watched *watched = *state;

    save(watched, "kernel.cl", "old");
    loop_run(watched->loop);
    rename_in(watched, "kernel.cl", "kernel.cl~");
    save(watched, "kernel.cl", "new");
    save(watched, ".kernel.cl.swp", "x");
    save(watched, "4913", "newer");
    rename_in(watched, "4913", "kernel.cl");
    loop_run(watched->loop);
    assert_int_equal(watched->saved, 2);
}

/* The other file is saved first, and the loop stops at the watched one. */
static void other_files_are_not_heard(void **state)
{
    struct watched *watched = *state;
    struct loop_timer later = {0};

    save(watched, "notes.txt", "x");
    loop_set_timer(watched->loop, &later, (int64_t)3 * FILE_WATCH_QUIET_US, on_lost, watched);
    loop_run(watched->loop);
    assert_int_equal(watched->saved, 0);
    save(watched, "kernel.cl", "x");
    loop_run(watched->loop);
    assert_int_equal(watched->saved, 1);
}

static void a_removed_file_is_heard_and_a_new_one_again(void **state)
{
    struct watched *watched = *state;
    char *path = file_join(watched->folder, "kernel.cl");

    save(watched, "kernel.cl", "x");
    loop_run(watched->loop);
    unlink(path);
    loop_run(watched->loop);
    save(watched, "kernel.cl", "y");
    loop_run(watched->loop);
    assert_int_equal(watched->saved, 3);
    free(path);
}

static void a_removed_folder_ends_the_watch(void **state)
{
    struct watched *watched = *state;

    file_remove_folder(watched->folder);
    loop_run(watched->loop);
    assert_int_equal(watched->lost, 1);
    assert_int_equal(watched->saved, 0);
}

static void a_missing_folder_is_an_error(void **state)
{
    static const char *const names[] = {"kernel.cl", NULL};
    struct watched *watched = *state;
    struct file_watch *watch = NULL;
    struct error err = {0};

    assert_int_equal(
        file_watch_open(watched->loop,
                        &(struct file_watch_spec){.folder = "/no/such", .names = names}, &watch,
                        &err),
        STATUS_UNAVAILABLE);
    assert_string_equal(err.text, "/no/such: cannot watch: No such file or directory");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_watch, close_watch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_save_in_place_is_heard),        TEST(a_save_by_renaming_is_heard_once),
        TEST(other_files_are_not_heard),       TEST(a_removed_file_is_heard_and_a_new_one_again),
        TEST(a_removed_folder_ends_the_watch), TEST(a_missing_folder_is_an_error),
    };

    return cmocka_run_group_tests_name("file_watch", tests, NULL, NULL);
}
