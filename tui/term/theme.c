#include "tui/term/theme.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/system/file.h"

enum { THEME_MAX_BYTES = 1 << 20 };

static const struct {
    const char *name;
    unsigned attributes; /* on a terminal without colours */
} builtin[ROLE_COUNT] = {
    [ROLE_TEXT] = {"text", 0},
    [ROLE_DIM] = {"dim", ATTRIBUTE_DIM},
    [ROLE_STRONG] = {"strong", ATTRIBUTE_BOLD},
    [ROLE_BORDER] = {"border", ATTRIBUTE_DIM},
    [ROLE_BORDER_FOCUSED] = {"border-focused", ATTRIBUTE_BOLD},
    [ROLE_HEADER] = {"header", ATTRIBUTE_REVERSE},
    [ROLE_STATUS] = {"status", ATTRIBUTE_REVERSE},
    [ROLE_TAB] = {"tab", 0},
    [ROLE_TAB_FOCUSED] = {"tab-focused", ATTRIBUTE_REVERSE},
    [ROLE_BAR] = {"bar", ATTRIBUTE_BOLD},
    [ROLE_KEY] = {"key", ATTRIBUTE_BOLD | ATTRIBUTE_UNDERLINE},
    [ROLE_SELECTED] = {"selected", ATTRIBUTE_REVERSE},
    [ROLE_MATCH] = {"match", ATTRIBUTE_UNDERLINE | ATTRIBUTE_BOLD},
    [ROLE_GOOD] = {"good", 0},
    [ROLE_WARNING] = {"warning", ATTRIBUTE_BOLD},
    [ROLE_BAD] = {"bad", ATTRIBUTE_BOLD | ATTRIBUTE_UNDERLINE},
    [ROLE_WAITING] = {"waiting", ATTRIBUTE_BOLD},
    [ROLE_HAZARD] = {"hazard", ATTRIBUTE_REVERSE},
    [ROLE_LINE_NUMBER] = {"line-number", ATTRIBUTE_DIM},
    [ROLE_KEYWORD] = {"keyword", ATTRIBUTE_BOLD},
    [ROLE_TYPE] = {"type", 0},
    [ROLE_BUILTIN] = {"builtin", 0},
    [ROLE_NUMBER] = {"number", 0},
    [ROLE_STRING] = {"string", 0},
    [ROLE_COMMENT] = {"comment", ATTRIBUTE_DIM},
    [ROLE_DIRECTIVE] = {"directive", 0},
    [ROLE_ADDED] = {"added", ATTRIBUTE_BOLD},
    [ROLE_REMOVED] = {"removed", ATTRIBUTE_DIM},
    [ROLE_ADDED_WORD] = {"added-word", ATTRIBUTE_BOLD | ATTRIBUTE_UNDERLINE},
    [ROLE_REMOVED_WORD] = {"removed-word", ATTRIBUTE_UNDERLINE},
    [ROLE_HUNK] = {"hunk", ATTRIBUTE_UNDERLINE},
    [ROLE_HEAT_LOW] = {"heat-low", 0},
    [ROLE_HEAT_MIDDLE] = {"heat-middle", ATTRIBUTE_BOLD},
    [ROLE_HEAT_HIGH] = {"heat-high", ATTRIBUTE_REVERSE},
};

static const struct {
    const char *name;
    unsigned bit;
} attributes[] = {
    {"bold", ATTRIBUTE_BOLD},       {"dim", ATTRIBUTE_DIM},
    {"italic", ATTRIBUTE_ITALIC},   {"underline", ATTRIBUTE_UNDERLINE},
    {"reverse", ATTRIBUTE_REVERSE},
};

const char *theme_role_name(enum role role)
{
    return builtin[role].name;
}

struct theme theme_builtin(void)
{
    struct theme theme = {0};

    for (size_t i = 0; i < ROLE_COUNT; i++)
        theme.styles[i].attributes = builtin[i].attributes;
    return theme;
}

static bool colour_equals(const struct colour *a, const struct colour *b)
{
    return a->is_set == b->is_set && a->rgb == b->rgb && a->has_of_16 == b->has_of_16 &&
           a->of_16 == b->of_16;
}

bool theme_equals(const struct theme *a, const struct theme *b)
{
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        const struct style *x = &a->styles[i], *y = &b->styles[i];

        if (!colour_equals(&x->fg, &y->fg) || !colour_equals(&x->bg, &y->bg) ||
            x->attributes != y->attributes)
            return false;
    }
    return true;
}

static enum status read_rgb(const struct json_ref *at, struct colour *colour, struct error *err)
{
    const char *text;
    enum status st = json_read_string(at, &text, err);

    if (st)
        return st;
    if (strlen(text) != 7 || text[0] != '#' || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
        return json_ref_error(at, err, "\"%s\" is not a colour: write #rrggbb", text);
    colour->is_set = true;
    colour->rgb = (uint32_t)strtoul(text + 1, NULL, 16);
    return STATUS_OK;
}

static enum status read_of_16(const struct json_ref *at, struct colour *colour, struct error *err)
{
    const char *text;
    enum status st = json_read_string(at, &text, err);
    int place;

    if (st)
        return st;
    place = colour_of_name(text);
    colour->has_of_16 = place >= 0;
    colour->of_16 = (uint8_t)place;
    if (colour->has_of_16)
        return STATUS_OK;
    return json_ref_error(
        at, err, "\"%s\" is not one of the 16 colours: write one such as red or bright-red", text);
}

/* Read the members keys[0] and keys[1]; both are optional, but the second needs the first. */
static enum status read_colour(const struct json_ref *style, const char *const keys[2],
                               struct colour *colour, struct error *err)
{
    struct json_ref rgb = json_ref_member(style, keys[0]);
    struct json_ref of_16 = json_ref_member(style, keys[1]);
    enum status st;

    if (!rgb.value)
        return of_16.value ? json_ref_error(&of_16, err, "needs %s as well", keys[0]) : STATUS_OK;
    st = read_rgb(&rgb, colour, err);
    if (!st && of_16.value)
        st = read_of_16(&of_16, colour, err);
    return st;
}

static enum status read_attribute(const struct json_ref *at, unsigned *bits, struct error *err)
{
    const char *text;
    enum status st = json_read_string(at, &text, err);

    if (st)
        return st;
    for (size_t i = 0; i < COUNT(attributes); i++) {
        if (strcmp(attributes[i].name, text) == 0) {
            *bits |= attributes[i].bit;
            return STATUS_OK;
        }
    }
    return json_ref_error(
        at, err, "\"%s\" is not an attribute: write bold, dim, italic, underline or reverse", text);
}

static enum status read_attributes(const struct json_ref *at, unsigned *bits, struct error *err)
{
    enum status st = at->value ? json_expect(at, JSON_ARRAY, err) : STATUS_OK;

    for (size_t i = 0; !st && i < json_count(at->value); i++) {
        struct json_ref element = json_ref_element(at, i);

        st = read_attribute(&element, bits, err);
    }
    return st;
}

static enum status read_style(const struct json_ref *at, struct style *style, struct error *err)
{
    static const char *const keys[] = {"fg", "fg16", "bg", "bg16", "attributes", NULL};
    struct json_ref attributes_at = json_ref_member(at, "attributes");
    struct style read = {0};
    enum status st = json_expect_keys(at, keys, err);

    if (!st)
        st = read_colour(at, &keys[0], &read.fg, err);
    if (!st)
        st = read_colour(at, &keys[2], &read.bg, err);
    if (!st)
        st = read_attributes(&attributes_at, &read.attributes, err);
    if (!st)
        *style = read;
    return st;
}

static enum status read_role(const struct json_ref *at, struct theme *theme, struct error *err)
{
    for (size_t i = 0; i < ROLE_COUNT; i++)
        if (strcmp(builtin[i].name, at->name) == 0)
            return read_style(at, &theme->styles[i], err);
    return json_ref_error(at, err, "there is no such role");
}

/*
 * Read the roles. On failure `*culprit` is the name of the faulty role; NULL if it is not in a
 * role.
 */
static enum status read_roles(const struct json_ref *at, struct theme *theme, const char **culprit,
                              struct error *err)
{
    enum status st = json_expect(at, JSON_OBJECT, err);

    for (struct json_ref role = json_ref_first(at); !st && role.value;
         role = json_ref_next(&role)) {
        st = read_role(&role, theme, err);
        *culprit = st ? role.name : NULL;
    }
    return st;
}

/* The first member whose name is not in `keys`, or NULL. */
static const char *unknown_key(const struct json_ref *at, const char *const *keys)
{
    for (struct json_ref member = json_ref_first(at); member.value;
         member = json_ref_next(&member)) {
        size_t i = 0;

        while (keys[i] && strcmp(keys[i], member.name) != 0)
            i++;
        if (!keys[i])
            return member.name;
    }
    return NULL;
}

static enum status read_document(const struct json_ref *at, struct theme *theme,
                                 const char **culprit, struct error *err)
{
    static const char *const keys[] = {"summary", "roles", NULL};
    struct json_ref roles = json_ref_member(at, "roles");
    struct theme read = theme_builtin();
    enum status st = json_expect_keys(at, keys, err);

    *culprit = st && json_type(at->value) == JSON_OBJECT ? unknown_key(at, keys) : NULL;
    if (!st)
        st = read_roles(&roles, &read, culprit, err);
    if (!st)
        *theme = read;
    return st;
}

/* The line, from 1, of the first occurrence of a JSON string. */
static unsigned line_of(const char *text, const char *string)
{
    struct strbuf quoted = {0};
    const char *end;
    unsigned line = 1;

    strbuf_addf(&quoted, "\"%s\"", string);
    end = strstr(text, strbuf_cstr(&quoted));
    for (; end && text < end; text++)
        line += *text == '\n';
    strbuf_release(&quoted);
    return line;
}

/*
 * Read a theme. JSON values do not know their line, so after an error the text is read again, with
 * a document name that ends in the line number, which then appears in the message.
 */
static enum status read_text(const char *path, const struct strbuf *text, struct theme *theme,
                             struct error *err)
{
    struct json *document = json_parse(strbuf_cstr(text), text->len, err);
    struct json_ref root = json_ref_root(document, path);
    const char *culprit = NULL;
    struct strbuf place = {0};
    enum status st;

    if (!document)
        return STATUS_INVALID;
    st = read_document(&root, theme, &culprit, err);
    if (st && culprit) {
        strbuf_addf(&place, "%s:%u", path, line_of(strbuf_cstr(text), culprit));
        root.name = strbuf_cstr(&place);
        st = read_document(&root, theme, &culprit, err);
    }
    json_free(document);
    strbuf_release(&place);
    return st;
}

enum status theme_read(const char *path, struct theme *theme, struct error *err)
{
    struct strbuf text = {0};
    struct error why = {0};
    enum status st = file_read(path, THEME_MAX_BYTES, &text, err);

    if (st)
        return st;
    st = read_text(path, &text, theme, &why);
    strbuf_release(&text);
    if (!st)
        return STATUS_OK;
    return text_begins(why.text, path) ? error_set(err, st, "%s", why.text)
                                       : error_set(err, st, "%s: %s", path, why.text);
}

static enum status refuse_name(const char *name, struct error *err)
{
    struct strbuf names = {0}, list = {0};
    char *rest;

    theme_add_names(&names);
    rest = names.data;
    for (char *known = strsep(&rest, "\n"); known && *known; known = strsep(&rest, "\n"))
        strbuf_add_item(&list, known);
    error_set(err, STATUS_NOT_FOUND, "no theme \"%s\": expected one of %s", name,
              strbuf_cstr(&list));
    strbuf_release(&names);
    strbuf_release(&list);
    return STATUS_NOT_FOUND;
}

enum status theme_load(const char *name, struct theme *theme, struct error *err)
{
    struct strbuf file = {0};
    char *folder = file_place_folder(FILE_CONFIG), *own, *shipped;
    enum status st;

    strbuf_addf(&file, "themes/%s.json", name);
    own = file_join(folder, strbuf_cstr(&file));
    shipped = file_shipped(strbuf_cstr(&file));
    if (file_exists(own) || file_exists(shipped))
        st = theme_read(file_exists(own) ? own : shipped, theme, err);
    else
        st = refuse_name(name, err);
    free(shipped);
    free(own);
    free(folder);
    strbuf_release(&file);
    return st;
}

static void add_names_in(struct strbuf *names, const char *folder)
{
    char *wanted = file_join(folder, "*.json");
    glob_t found = {0};

    if (glob(wanted, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *name = file_name(found.gl_pathv[i]);

            strbuf_addf(names, "%.*s\n", (int)(strlen(name) - strlen(".json")), name);
        }
    }
    globfree(&found);
    free(wanted);
}

void theme_add_names(struct strbuf *names)
{
    char *config = file_place_folder(FILE_CONFIG), *own = file_join(config, "themes");
    char *shipped = file_shipped("themes");

    add_names_in(names, own);
    add_names_in(names, shipped);
    free(shipped);
    free(own);
    free(config);
}

double theme_contrast(enum role role)
{
    bool is_faint = role == ROLE_DIM || role == ROLE_BORDER || role == ROLE_BORDER_FOCUSED ||
                    role == ROLE_LINE_NUMBER;

    return is_faint ? 3 : 4.5;
}

/*
 * The index of one of the 16 colours. The first half are the 8 colours, the second half their
 * bright variants.
 */
static int named_place(const struct colour *colour, enum depth depth)
{
    return depth == DEPTH_8 ? colour->of_16 % 8 : colour->of_16;
}

static bool is_named(const struct colour *colour, enum depth depth)
{
    return colour->has_of_16 && (depth == DEPTH_8 || depth == DEPTH_16);
}

static int ground_place(const struct colour *colour, enum depth depth)
{
    if (!colour->is_set)
        return -1;
    return is_named(colour, depth) ? named_place(colour, depth) : colour_reduce(colour->rgb, depth);
}

/* The colour of text on the ground `bg`, which is made readable if `bg` is known. */
static int text_place(const struct colour *colour, enum depth depth, int bg, double contrast)
{
    uint32_t ground = bg < 0 ? 0 : colour_rgb(depth, bg);
    int named = named_place(colour, depth);

    if (!colour->is_set || bg < 0)
        return ground_place(colour, depth);
    if (is_named(colour, depth) && colour_contrast(colour_rgb(depth, named), ground) >= contrast)
        return named;
    return colour_reduce_on(colour->rgb, depth, ground, contrast);
}

/* The first of three colours that is set. */
static const struct colour *first_set(const struct colour *a, const struct colour *b,
                                      const struct colour *c)
{
    return a->is_set ? a : b->is_set ? b : c;
}

/* The ink of a role, without the exception for 8 colours. */
static struct ink find_ink(const struct theme *theme, enum depth depth, enum role role,
                           enum role ground)
{
    static const struct style nothing = {0};
    const struct style *text = &theme->styles[role], *own = &theme->styles[ROLE_TEXT];
    const struct style *over = ground ? &theme->styles[ground] : &nothing;
    unsigned plain = builtin[role].attributes | (ground ? builtin[ground].attributes : 0);
    struct ink ink = {.fg = -1, .bg = -1, .attributes = plain};

    if (depth == DEPTH_MONO)
        return ink;
    ink.attributes = text->attributes | over->attributes;
    ink.bg = ground_place(first_set(&over->bg, &text->bg, &own->bg), depth);
    ink.fg =
        text_place(first_set(&over->fg, &text->fg, &own->fg), depth, ink.bg, theme_contrast(role));
    return ink;
}

/*
 * For text in ROLE_BAD, make its colour the background. With 8 colours, red is too dark for text on
 * black, and the other colours mean warnings.
 */
static void turn_over(const struct theme *theme, enum depth depth, struct ink *ink)
{
    static const enum role warnings[] = {ROLE_WARNING, ROLE_WAITING};
    int place = ground_place(&theme->styles[ROLE_BAD].fg, depth);
    double contrast = theme_contrast(ROLE_BAD);
    bool is_text;

    if (place < 0 || ink->bg < 0)
        return;
    is_text = colour_contrast(colour_rgb(depth, place), colour_rgb(depth, ink->bg)) >= contrast;
    for (size_t i = 0; i < COUNT(warnings); i++)
        is_text &= place != find_ink(theme, depth, warnings[i], 0).fg;
    if (is_text)
        return;
    ink->bg = place;
    ink->fg = colour_reduce_on(0xffffff, depth, colour_rgb(depth, place), contrast);
}

struct ink theme_ink(const struct theme *theme, enum depth depth, enum role role, enum role ground)
{
    const struct style *over = &theme->styles[ground];
    struct ink ink = find_ink(theme, depth, role, ground);

    if (depth == DEPTH_8 && role == ROLE_BAD && (!ground || (!over->bg.is_set && !over->fg.is_set)))
        turn_over(theme, depth, &ink);
    return ink;
}

enum depth theme_depth(int colours)
{
    const char *no_color = getenv("NO_COLOR");

    if (colours < 8 || (no_color && *no_color))
        return DEPTH_MONO;
    if (colours < 16)
        return DEPTH_8;
    if (colours < 256)
        return DEPTH_16;
    return colours == 256 ? DEPTH_256 : DEPTH_RGB;
}
