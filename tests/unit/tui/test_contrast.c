/*
 * The contrast of every pair of roles that can meet on a screen, for each shipped theme and number
 * of colours, on dark and on light terminals.  The table of the least ratios is
 * tui/term/CONTRAST.md.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "tests/golden/golden.h"
#include "tui/term/colour.h"
#include "tui/term/theme.h"

static const char *const shipped[] = {"dark", "light", "mono", "high-contrast", "colour-blind"};

static const struct {
    const char *name;
    enum depth depth;
} depths[] = {
    {"24-bit", DEPTH_RGB}, {"256", DEPTH_256},   {"16", DEPTH_16},
    {"8", DEPTH_8},        {"mono", DEPTH_MONO},
};

static const struct {
    const char *name;
    uint32_t fg, bg; /* of a terminal */
} terminals[] = {{"dark", 0xe5e5e5, 0x000000}, {"light", 0x000000, 0xffffff}};

static struct theme load(const char *name)
{
    struct theme theme;
    struct error err = {0};

    if (theme_load(name, &theme, &err))
        fail_msg("%s", err.text);
    return theme;
}

/* The pair of least contrast on a terminal. */
struct weakest {
    double contrast;
    enum role role, ground;
};

/* Of one terminal: of text, and of borders and hints. */
struct result {
    struct weakest least[2];
};

static void look_at(struct ink ink, enum depth depth, enum role role, enum role ground,
                    struct result results[COUNT(terminals)])
{
    for (size_t i = 0; i < COUNT(terminals); i++) {
        uint32_t fg = ink.fg < 0 ? terminals[i].fg : colour_rgb(depth, ink.fg);
        uint32_t bg = ink.bg < 0 ? terminals[i].bg : colour_rgb(depth, ink.bg);
        struct weakest found = {colour_contrast(fg, bg), role, ground};
        struct weakest *kept = &results[i].least[theme_contrast(role) < 4];

        if (kept->contrast == 0 || found.contrast < kept->contrast)
            *kept = found;
    }
}

static void look_at_all(const struct theme *theme, enum depth depth,
                        struct result results[COUNT(terminals)])
{
    for (enum role role = 0; role < ROLE_COUNT; role++)
        for (enum role ground = 0; ground < ROLE_COUNT; ground++)
            look_at(theme_ink(theme, depth, role, ground), depth, role, ground, results);
}

static const char heading[] =
    "# Contrast\n"
    "\n"
    "The least contrast on a screen, for each theme, number of colours and ground of the terminal: "
    "of "
    "text,\nwhich needs 4.5, and of borders and hints, which need 3 (WCAG 2.2, 1.4.3 and 1.4.11). "
    "In "
    "brackets is\nthe pair of roles that has it. `unit.contrast` computes this page; "
    "UPDATE_GOLDEN=1 "
    "writes it.\n"
    "\n"
    "| theme | colours | terminal | least of text | least of borders and hints |\n"
    "| --- | --- | --- | --- | --- |\n";

static void add_row(struct strbuf *table, const char *name, const struct weakest least[2])
{
    strbuf_addf(table, "| %s", name);
    for (size_t i = 0; i < 2; i++)
        strbuf_addf(table, " | %.1f (%s on %s)", least[i].contrast, theme_role_name(least[i].role),
                    theme_role_name(least[i].ground));
    strbuf_adds(table, " |\n");
}

static void check(const char *name, const struct weakest *found)
{
    if (found->contrast < theme_contrast(found->role))
        fail_msg("%s: %s on %s has contrast %.2f", name, theme_role_name(found->role),
                 theme_role_name(found->ground), found->contrast);
}

static void text_is_readable_on_every_ground(void **state)
{
    struct strbuf table = {0};

    (void)state;
    strbuf_adds(&table, heading);
    for (size_t i = 0; i < COUNT(shipped) * COUNT(depths); i++) {
        struct theme theme = load(shipped[i / COUNT(depths)]);
        struct result results[COUNT(terminals)] = {0};

        look_at_all(&theme, depths[i % COUNT(depths)].depth, results);
        for (size_t t = 0; t < COUNT(terminals); t++) {
            const struct weakest *least = results[t].least;
            char name[64];

            snprintf(name, sizeof(name), "%s | %s | %s", shipped[i / COUNT(depths)],
                     depths[i % COUNT(depths)].name, terminals[t].name);
            add_row(&table, name, least);
            check(name, &least[0]);
            check(name, &least[1]);
        }
    }
    golden_compare("../../tui/term/CONTRAST.md", &table);
    strbuf_release(&table);
}

/* True if two grounds differ to the eye; in their attributes where there are few colours. */
static bool differ(const struct theme *theme, enum depth depth, enum role a, enum role b)
{
    struct ink x = theme_ink(theme, depth, ROLE_TEXT, a), y = theme_ink(theme, depth, ROLE_TEXT, b);
    bool is_seen = x.bg >= 0 && y.bg >= 0 &&
                   colour_distance(colour_rgb(depth, x.bg), colour_rgb(depth, y.bg)) >= 0.04;

    return is_seen || x.fg != y.fg || (depth < DEPTH_256 && x.attributes != y.attributes) ||
           (x.bg < 0 && x.attributes != y.attributes);
}

static void lines_of_a_difference_differ(void **state)
{
    static const enum role pairs[][2] = {
        {ROLE_ADDED, ROLE_REMOVED},        {ROLE_ADDED, ROLE_TEXT},
        {ROLE_REMOVED, ROLE_TEXT},         {ROLE_ADDED, ROLE_ADDED_WORD},
        {ROLE_REMOVED, ROLE_REMOVED_WORD}, {ROLE_ADDED_WORD, ROLE_REMOVED_WORD},
        {ROLE_SELECTED, ROLE_TEXT},        {ROLE_MATCH, ROLE_TEXT},
        {ROLE_MATCH, ROLE_SELECTED},       {ROLE_HEADER, ROLE_TEXT},
    };

    (void)state;
    for (size_t t = 0; t < COUNT(shipped); t++) {
        struct theme theme = load(shipped[t]);

        for (size_t i = 0; i < COUNT(depths) * COUNT(pairs); i++) {
            enum depth depth = depths[i / COUNT(pairs)].depth;
            const enum role *pair = pairs[i % COUNT(pairs)];

            if (!differ(&theme, depth, pair[0], pair[1]))
                fail_msg("%s, %s colours: %s and %s look alike", shipped[t],
                         depths[i / COUNT(pairs)].name, theme_role_name(pair[0]),
                         theme_role_name(pair[1]));
        }
    }
}

static bool equals(struct ink a, struct ink b)
{
    return a.fg == b.fg && a.bg == b.bg;
}

/* Greys become no colour that says something, and what is bad looks like nothing else. */
static void eight_colours_keep_their_meaning(void **state)
{
    static const enum role faint[] = {ROLE_DIM, ROLE_BORDER, ROLE_LINE_NUMBER, ROLE_COMMENT};
    static const char *const signals[] = {"red", "green", "yellow", "magenta"};

    (void)state;
    for (size_t t = 0; t < COUNT(shipped); t++) {
        struct theme theme = load(shipped[t]);
        struct ink bad = theme_ink(&theme, DEPTH_8, ROLE_BAD, 0);

        for (size_t i = 0; i < COUNT(faint) * COUNT(signals); i++) {
            struct ink ink = theme_ink(&theme, DEPTH_8, faint[i / COUNT(signals)], 0);

            if (ink.fg == colour_of_name(signals[i % COUNT(signals)]))
                fail_msg("%s: %s is %s", shipped[t], theme_role_name(faint[i / COUNT(signals)]),
                         signals[i % COUNT(signals)]);
        }
        if (bad.fg < 0 && bad.bg < 0)
            continue;
        assert_false(equals(bad, theme_ink(&theme, DEPTH_8, ROLE_WARNING, 0)));
        assert_false(equals(bad, theme_ink(&theme, DEPTH_8, ROLE_WAITING, 0)));
        assert_false(equals(bad, theme_ink(&theme, DEPTH_8, ROLE_TEXT, 0)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_readable_on_every_ground),
        cmocka_unit_test(lines_of_a_difference_differ),
        cmocka_unit_test(eight_colours_keep_their_meaning),
    };

    setenv("KFORGE_ROOT", KFORGE_SOURCE_DIR, 1);
    return cmocka_run_group_tests_name("contrast", tests, NULL, NULL);
}
