#ifndef TUI_TERM_THEME_H
#define TUI_TERM_THEME_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "tui/term/colour.h"

/*
 * Themes: the colours of the screen. Drawing code names roles only. A theme gives each role its
 * colours and attributes, and theme_ink() reduces them to the colours that the terminal has.
 *
 * A theme is a JSON file:
 *
 *	{"summary": "...", "roles": {"keyword": {"fg": "#c792ea", "fg16": "magenta",
 *	                                         "attributes": ["bold"]}, ...}}
 *
 * `fg` and `bg` are 24-bit colours; tui/term/colour.h reduces them for terminals with fewer. `fg16`
 * and `bg16` choose one of the 16. The role `text` gives the colours that other roles leave out, so
 * that a dark theme is dark on a light terminal too. Text is always readable on its ground: if its
 * colour has less contrast than theme_contrast() requires, the nearest colour that has enough is
 * used.
 *
 * A role that the file leaves out has its built-in attributes. On a terminal without colours every
 * role has them, so that no meaning depends on colour alone.
 */

enum role {
    ROLE_TEXT, /* all zeros: the terminal's own colours */
    ROLE_DIM,
    ROLE_STRONG,
    ROLE_BORDER,
    ROLE_BORDER_FOCUSED,
    ROLE_HEADER,
    ROLE_STATUS,
    ROLE_TAB,
    ROLE_TAB_FOCUSED,
    ROLE_BAR,
    ROLE_KEY,
    ROLE_SELECTED,
    ROLE_MATCH,
    ROLE_GOOD,
    ROLE_WARNING,
    ROLE_BAD,
    ROLE_WAITING,
    ROLE_HAZARD,
    ROLE_LINE_NUMBER,
    ROLE_KEYWORD,
    ROLE_TYPE,
    ROLE_BUILTIN,
    ROLE_NUMBER,
    ROLE_STRING,
    ROLE_COMMENT,
    ROLE_DIRECTIVE,
    ROLE_ADDED,
    ROLE_REMOVED,
    ROLE_ADDED_WORD,
    ROLE_REMOVED_WORD,
    ROLE_HUNK,
    ROLE_HEAT_LOW,
    ROLE_HEAT_MIDDLE,
    ROLE_HEAT_HIGH,
    ROLE_COUNT
};

enum {
    ATTRIBUTE_BOLD = 1,
    ATTRIBUTE_DIM = 2,
    ATTRIBUTE_ITALIC = 4,
    ATTRIBUTE_UNDERLINE = 8,
    ATTRIBUTE_REVERSE = 16
};

/* All zeros is the terminal's own colour. */
struct colour {
    bool is_set;
    uint32_t rgb;   /* 0xRRGGBB */
    bool has_of_16; /* the theme chooses one of the 16 colours */
    uint8_t of_16;  /* 0 to 7, and 8 to 15 for the bright colours */
};

struct style {
    struct colour fg, bg;
    unsigned attributes; /* ATTRIBUTE_ bits */
};

/* All zeros shows all roles in the terminal's own colours. */
struct theme {
    struct style styles[ROLE_COUNT];
};

/*
 * The look of text on a terminal with a given depth. A colour is 0xRRGGBB for DEPTH_RGB, else an
 * index into the palette; -1 is the terminal's own colour.
 */
struct ink {
    int fg, bg;
    unsigned attributes;
};

/* The name of a role in theme files: "line-number". */
const char *theme_role_name(enum role role);

/* The built-in theme, which has no colours. */
struct theme theme_builtin(void);

/* True if all roles look the same in both. */
bool theme_equals(const struct theme *a, const struct theme *b);

/* Read a theme file.  On failure `theme` is unchanged, and `err` names the file and line. */
enum status theme_read(const char *path, struct theme *theme, struct error *err) MUST_CHECK;

/* Read a theme by its name: a file in themes/ of the user's config folder, else one that ships. */
enum status theme_load(const char *name, struct theme *theme, struct error *err) MUST_CHECK;

/* Append the names of all themes, the user's own and those that ship, each ended by a newline. */
void theme_add_names(struct strbuf *names);

/*
 * The least contrast of text in a role with its ground (Web Content Accessibility Guidelines 2.2:
 * 4.5 for text, section 1.4.3; 3 for borders and hints, section 1.4.11).
 */
double theme_contrast(enum role role);

/*
 * The look of text in `role` on a background in `ground`.  A colour of the ground takes precedence;
 * the ground ROLE_TEXT has none.
 */
struct ink theme_ink(const struct theme *theme, enum depth depth, enum role role, enum role ground);

/* The depth of a terminal with that many colours; DEPTH_MONO if NO_COLOR is set. */
enum depth theme_depth(int colours);

#endif
