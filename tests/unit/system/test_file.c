#include "tests/unit/unit.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/file.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tilde_in_front_is_the_home_folder),
        cmocka_unit_test(places_are_those_of_the_specification),
        cmocka_unit_test(the_system_knows_a_home_folder_where_none_is_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
