#include "core/system/folder_watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/file.h"
#include "core/system/loop.h"
#include "tests/unit/unit.h"

struct watched {
    struct loop *loop;
    struct folder_watch *watch;
    char *folders[2];
    int numbers[2], last;
    char name[64];
};

static void on_change(void *data, int folder, const char *name)
{
    struct watched *watched = data;

    watched->last = folder;
    snprintf(watched->name, sizeof(watched->name), "%s", name);
    loop_stop(watched->loop);
}

static int open_watch(void **state)
{
    static struct watched watched;
    struct error err;

    watched = (struct watched){.loop = loop_new()};
    *state = &watched;
    if (folder_watch_open(watched.loop, on_change, &watched, &watched.watch, &err))
        return -1;
    for (int i = 0; i < 2; i++) {
        watched.folders[i] = file_join(file_temporary_folder(), "folder-watch-XXXXXX");
        if (!mkdtemp(watched.folders[i]) ||
            folder_watch_add(watched.watch, watched.folders[i], &watched.numbers[i], &err))
            return -1;
    }
    return 0;
}

static int close_watch(void **state)
{
    struct watched *watched = *state;

    folder_watch_close(watched->watch);
    loop_free(watched->loop);
    for (int i = 0; i < 2; i++) {
        file_remove_folder(watched->folders[i]);
        free(watched->folders[i]);
    }
    return 0;
}

/* A file that stays open is heard of when it grows, with its folder. */
static void growth_is_heard(void **state)
{
    struct watched *watched = *state;
    char *path = file_join(watched->folders[1], "events.jsonl");
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    loop_run(watched->loop); /* made */
    assert_int_equal(watched->last, watched->numbers[1]);
    assert_string_equal(watched->name, "events.jsonl");
    watched->last = -2;
    assert_int_equal(write(fd, "{}\n", 3), 3);
    loop_run(watched->loop);
    assert_int_equal(watched->last, watched->numbers[1]);
    close(fd);
    free(path);
}

static void a_removed_folder_is_heard_no_more(void **state)
{
    struct watched *watched = *state;
    struct error err;
    int again;

    folder_watch_remove(watched->watch, watched->numbers[0]);
    assert_int_equal(file_write_text(watched->folders[0], "a", "", &err), STATUS_OK);
    assert_int_equal(file_write_text(watched->folders[1], "b", "", &err), STATUS_OK);
    loop_run(watched->loop);
    assert_int_equal(watched->last, watched->numbers[1]);
    assert_int_equal(folder_watch_add(watched->watch, "/no/such/folder", &again, &err),
                     STATUS_NOT_FOUND);
    assert_non_null(strstr(err.text, "/no/such/folder"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(growth_is_heard, open_watch, close_watch),
        cmocka_unit_test_setup_teardown(a_removed_folder_is_heard_no_more, open_watch, close_watch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
