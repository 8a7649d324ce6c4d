#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/system/cache.h"
#include "core/system/file.h"

static unsigned synced; /* how often the disk was waited for */

int fsync(int fd)
{
    (void)fd;
    synced++;
    return 0;
}

static void assert_expands(const char *path, const char *expected)
{
    char *expanded = file_expand_home(path);

    assert_string_equal(expanded, expected);
    free(expanded);
}

static void a_tilde_in_front_is_the_home_folder(void **state)
{
    (void)state;
    setenv("HOME", "/home/ada", 1);
    assert_expands("~", "/home/ada");
    assert_expands("~/a b.json", "/home/ada/a b.json");
    assert_expands("~bob/x", "~bob/x");
    assert_expands("a/~/x", "a/~/x");
    assert_expands("", "");
}

static void assert_place(enum file_place place, const char *expected)
{
    char *folder = file_place_folder(place);

    assert_string_equal(folder, expected);
    free(folder);
}

static void places_are_those_of_the_specification(void **state)
{
    (void)state;
    setenv("HOME", "/home/ada", 1);
    unsetenv("XDG_DATA_HOME");
    setenv("XDG_CACHE_HOME", "/scratch", 1);
    setenv("XDG_STATE_HOME", "relative", 1);
    assert_place(FILE_DATA, "/home/ada/.local/share/kforge");
    assert_place(FILE_CACHE, "/scratch/kforge");
    assert_place(FILE_STATE, "/home/ada/.local/state/kforge");
}

/*
 * Services and containers start programs without HOME; the user database gives the home folder
 * instead.
 */
static void the_system_knows_a_home_folder_where_none_is_set(void **state)
{
    /* cppcheck-suppress getpwuidCalled ; there is one thread here, getpwuid(3) */
    const char *home = getpwuid(geteuid())->pw_dir;
    char expected[4096];

    (void)state;
    unsetenv("XDG_DATA_HOME");
    snprintf(expected, sizeof(expected), "%s/.local/share/kforge", home);
    unsetenv("HOME");
    assert_place(FILE_DATA, expected);
    assert_expands("~", home);
    setenv("HOME", "", 1);
    assert_place(FILE_DATA, expected);
}

static void the_file_that_was_changed_first_is_found_first(void **state)
{
    static const char *const names[] = {"b", "c", "a"}; /* in the order of the changes */
    char folder[] = "/tmp/kforge-test-XXXXXX";
    char *pattern;
    glob_t found;

    (void)state;
    assert_non_null(mkdtemp(folder));
    pattern = file_join(folder, "*");
    file_find_oldest_first(pattern, &found);
    assert_int_equal(found.gl_pathc, 0);
    globfree(&found);
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct timespec times[2] = {{0}, {.tv_sec = 1000, .tv_nsec = (long)i}};
        char *path = file_join(folder, names[i]);

        assert_int_equal(file_write_text(folder, names[i], "", NULL), STATUS_OK);
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
        free(path);
    }
    file_find_oldest_first(pattern, &found);
    assert_int_equal(found.gl_pathc, COUNT(names));
    for (size_t i = 0; i < COUNT(names); i++)
        assert_string_equal(file_name(found.gl_pathv[i]), names[i]);
    globfree(&found);
    file_remove_folder(folder);
    free(pattern);
}

/* Nothing is wrong with the disk. */
static void a_name_that_is_too_long_is_a_wrong_input(void **state)
{
    char name[5000];
    struct strbuf text = {0};

    (void)state;
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_int_equal(file_read(name, 1, &text, NULL), STATUS_INVALID);
    name[300] = '\0';
    assert_int_equal(file_read(name, 1, &text, NULL), STATUS_INVALID);
    strbuf_release(&text);
}

/* What can be made again is worth no wait; a judge keeps a program after each build. */
static void the_cache_does_not_wait_for_the_disk(void **state)
{
    char cache[] = "/tmp/kforge-file-XXXXXX";
    struct json *value = json_parse("[4]", 3, NULL), *found;
    char *other;

    (void)state;
    assert_non_null(mkdtemp(cache));
    setenv("XDG_CACHE_HOME", cache, 1);
    other = file_join(cache, "journal");
    synced = 0;
    cache_keep("compiled", "key", value);
    assert_int_equal(synced, 0);
    assert_int_equal(file_write(other, "x", 1, NULL), STATUS_OK);
    assert_int_equal(synced, 1);
    found = cache_recall("compiled", "key");
    assert_non_null(found);
    json_free(found);
    json_free(value);
    file_remove_folder(cache);
    free(other);
}

static void a_failure_names_the_file_and_the_remedy(void **state)
{
    static const struct {
        int error;
        const char *text;
        enum status code;
    } cases[] = {
        {ENOENT, "x: cannot open: No such file or directory; check the path", STATUS_NOT_FOUND},
        {EACCES, "x: cannot open: Permission denied; change its permissions", STATUS_IO},
        {ENOSPC, "x: cannot open: No space left on device; free some space", STATUS_IO},
        {EINVAL, "x: cannot open: Invalid argument", STATUS_IO},
    };
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        errno = cases[i].error;
        assert_int_equal(file_fail(&err, "open", "x"), cases[i].code);
        assert_string_equal(err.text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_names_the_file_and_the_remedy),
        cmocka_unit_test(a_name_that_is_too_long_is_a_wrong_input),
        cmocka_unit_test(a_tilde_in_front_is_the_home_folder),
        cmocka_unit_test(places_are_those_of_the_specification),
        cmocka_unit_test(the_cache_does_not_wait_for_the_disk),
        cmocka_unit_test(the_file_that_was_changed_first_is_found_first),
        cmocka_unit_test(the_system_knows_a_home_folder_where_none_is_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
