#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/file.h"
#include "tui/term/theme.h"

static const char *const shipped[] = {"dark", "light", "mono", "high-contrast", "colour-blind"};

/* Read `json` as the file theme.json in a temporary folder. */
static enum status read_text(const char *json, struct theme *theme, struct error *err)
{
    char folder[] = "/tmp/kforge-theme-XXXXXX";
    char *path;
    enum status st;

    assert_non_null(mkdtemp(folder));
    path = file_join(folder, "theme.json");
    assert_int_equal(file_write(path, json, strlen(json), err), STATUS_OK);
    st = theme_read(path, theme, err);
    unlink(path);
    rmdir(folder);
    free(path);
    return st;
}

static void shipped_themes_load(void **state)
{
    struct theme theme;
    struct error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(shipped) / sizeof(shipped[0]); i++)
        if (theme_load(shipped[i], &theme, &err))
            fail_msg("%s", err.text);
    assert_int_equal(theme_load("nosuch", &theme, &err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err.text, "no theme \"nosuch\": expected one of"));
    assert_non_null(strstr(err.text, "high-contrast"));
}

/* Without colours, the role's name alone tells a good outcome from a bad one. */
static void every_role_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (enum role a = 0; a < ROLE_COUNT; a++) {
        assert_non_null(theme_role_name(a));
        for (enum role b = 0; b < a; b++)
            assert_string_not_equal(theme_role_name(a), theme_role_name(b));
    }
}

static void colours_fall_back_by_depth(void **state)
{
    struct theme theme;
    struct error err = {0};
    struct ink ink;

    (void)state;
    assert_int_equal(read_text("{\"roles\": {\"keyword\": {\"fg\": \"#ff8700\", \"fg16\": "
                               "\"bright-red\", \"attributes\": [\"italic\"]}}}",
                               &theme, &err),
                     STATUS_OK);
    ink = theme_ink(&theme, DEPTH_RGB, ROLE_KEYWORD, ROLE_TEXT);
    assert_int_equal(ink.fg, 0xff8700);
    assert_int_equal(ink.attributes, ATTRIBUTE_ITALIC);
    assert_int_equal(theme_ink(&theme, DEPTH_256, ROLE_KEYWORD, ROLE_TEXT).fg, 208);
    assert_int_equal(theme_ink(&theme, DEPTH_16, ROLE_KEYWORD, ROLE_TEXT).fg, 9);
    ink = theme_ink(&theme, DEPTH_MONO, ROLE_KEYWORD, ROLE_TEXT);
    assert_int_equal(ink.fg, -1);
    assert_int_equal(ink.attributes, ATTRIBUTE_BOLD);
}

static void ground_lies_behind_text(void **state)
{
    struct theme theme;
    struct error err = {0};
    struct ink ink;

    (void)state;
    assert_int_equal(read_text("{\"roles\": {\"keyword\": {\"fg\": \"#ff8700\", \"bg\": "
                               "\"#000000\"}, \"added\": {\"bg\": \"#003000\"}}}",
                               &theme, &err),
                     STATUS_OK);
    ink = theme_ink(&theme, DEPTH_RGB, ROLE_KEYWORD, ROLE_ADDED);
    assert_int_equal(ink.fg, 0xff8700);
    assert_int_equal(ink.bg, 0x003000);
}

static void other_roles_lie_on_the_ground_of_text(void **state)
{
    struct theme theme;
    struct error err = {0};

    (void)state;
    assert_int_equal(read_text("{\"roles\": {\"text\": {\"fg\": \"#cccccc\", \"bg\": "
                               "\"#102030\"}, \"keyword\": {\"fg\": \"#ff8700\"}}}",
                               &theme, &err),
                     STATUS_OK);
    assert_int_equal(theme_ink(&theme, DEPTH_RGB, ROLE_KEYWORD, ROLE_TEXT).bg, 0x102030);
    assert_int_equal(theme_ink(&theme, DEPTH_RGB, ROLE_TYPE, ROLE_SELECTED).fg, 0xcccccc);
}

/* A theme of the user's own: text of its ground's colour, green and red of the same brightness. */
static void text_is_readable_in_any_theme(void **state)
{
    struct theme theme;
    struct error err = {0};

    (void)state;
    assert_int_equal(read_text("{\"roles\": {\"text\": {\"fg\": \"#202020\", \"bg\": "
                               "\"#202020\"}, \"bad\": {\"fg\": \"#200000\", \"fg16\": "
                               "\"black\"}, \"good\": {\"fg\": \"#002000\"}}}",
                               &theme, &err),
                     STATUS_OK);
    for (enum depth depth = DEPTH_8; depth <= DEPTH_RGB; depth++) {
        for (enum role role = 0; role < ROLE_COUNT; role++) {
            struct ink ink = theme_ink(&theme, depth, role, ROLE_TEXT);

            assert_true(colour_contrast(colour_rgb(depth, ink.fg), colour_rgb(depth, ink.bg)) >=
                        theme_contrast(role));
        }
    }
}

static void dark_colours_keep_their_hue(void **state)
{
    (void)state;
    assert_int_equal(colour_reduce(0x1c3a28, DEPTH_256), 22);  /* #005f00 */
    assert_int_equal(colour_reduce(0x4a2126, DEPTH_256), 52);  /* #5f0000 */
    assert_int_equal(colour_reduce(0x303030, DEPTH_256), 236); /* #303030 */
    assert_int_equal(colour_reduce(0x4a2126, DEPTH_8), 1);
}

static void a_broken_theme_names_the_place_and_changes_nothing(void **state)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"{\"roles\": {\"keywrod\": {}}}", "theme.json:1: roles.keywrod: there is no such role"},
        {"{\"roles\": {\"keyword\": {\"fg\": \"red\"}}}",
         "theme.json:1: roles.keyword.fg: \"red\" is not a colour: write #rrggbb"},
        {"{\"roles\": {\"keyword\": {\"bg16\": \"red\"}}}",
         "theme.json:1: roles.keyword.bg16: needs bg as well"},
        {"{\"roles\": {\"keyword\": {\"attributes\": [\"blink\"]}}}",
         "theme.json:1: roles.keyword.attributes[0]: \"blink\" is not an attribute"},
        {"{\"roles\":\n{\"text\": {},\n\"dim\": {\"bg\": 7}}}", "theme.json:3: roles.dim.bg"},
        {"{\"roles\": 7}", "theme.json: roles: expected an object, found a number"},
        {"{\n\"roles\": }", "theme.json: line 2 column 10"},
        {"{\n\"name\": \"mine\",\n\"roles\": {}}", "theme.json:2: unknown key \"name\""},
        {"{}", "theme.json: roles: missing"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct theme theme = theme_builtin(), untouched = theme_builtin();
        struct error err = {0};

        assert_int_equal(read_text(cases[i].json, &theme, &err), STATUS_INVALID);
        if (!strstr(err.text, cases[i].message))
            fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].message);
        assert_memory_equal(&theme, &untouched, sizeof(theme));
    }
}

static void no_color_means_none(void **state)
{
    (void)state;
    unsetenv("NO_COLOR");
    assert_int_equal(theme_depth(0), DEPTH_MONO);
    assert_int_equal(theme_depth(8), DEPTH_8);
    assert_int_equal(theme_depth(16), DEPTH_16);
    assert_int_equal(theme_depth(88), DEPTH_16);
    assert_int_equal(theme_depth(256), DEPTH_256);
    assert_int_equal(theme_depth(1 << 24), DEPTH_RGB);
    setenv("NO_COLOR", "1", 1);
    assert_int_equal(theme_depth(256), DEPTH_MONO);
    setenv("NO_COLOR", "", 1); /* no-color.org: when present and not an empty string */
    assert_int_equal(theme_depth(256), DEPTH_256);
    unsetenv("NO_COLOR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_themes_load),
        cmocka_unit_test(every_role_has_a_name_of_its_own),
        cmocka_unit_test(colours_fall_back_by_depth),
        cmocka_unit_test(ground_lies_behind_text),
        cmocka_unit_test(other_roles_lie_on_the_ground_of_text),
        cmocka_unit_test(text_is_readable_in_any_theme),
        cmocka_unit_test(dark_colours_keep_their_hue),
        cmocka_unit_test(a_broken_theme_names_the_place_and_changes_nothing),
        cmocka_unit_test(no_color_means_none),
    };

    setenv("KFORGE_ROOT", KFORGE_SOURCE_DIR, 1);
    return cmocka_run_group_tests_name("theme", tests, NULL, NULL);
}
