#ifndef TUI_TERM_THEME_H
#define TUI_TERM_THEME_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * How things look.  Whatever is drawn names a role; a theme says which
 * colours and attributes a role has, and theme_ink() what a terminal of some
 * number of colours makes of them.
 *
 * A theme is a JSON file:
 *
 *	{"summary": "...", "roles": {"keyword": {"fg": "#c792ea", "fg16": "magenta",
 *	                                         "attributes": ["bold"]}, ...}}
 *
 * `fg` and `bg` are 24-bit colours, from which the nearest of the 256 and of
 * the 16 are taken; `fg16` and `bg16` choose another of the 16.  A role that
 * the file leaves out, and every role on a terminal without colours, has the
 * built-in attributes: no meaning is carried by colour alone.
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
    uint8_t of_256; /* its place in xterm's palette */
    uint8_t of_16;  /* 0 to 7, and 8 to 15 for the bright ones */
};

struct style {
    struct colour fg, bg;
    unsigned attributes; /* ATTRIBUTE_ bits */
};

/* All zeros shows everything in the terminal's own colours. */
struct theme {
    struct style styles[ROLE_COUNT];
};

enum depth { DEPTH_MONO, DEPTH_16, DEPTH_256, DEPTH_RGB };

/* What reaches the terminal: colours as palette places or 0xRRGGBB by depth, -1 for its own. */
struct ink {
    int fg, bg;
    unsigned attributes;
};

/* As in theme files: "line-number". */
const char *theme_role_name(enum role role);

/* The theme that needs no colours. */
struct theme theme_builtin(void);

/* Read a theme file.  On failure `theme` stays what it was. */
enum status theme_read(const char *path, struct theme *theme, struct error *err) MUST_CHECK;

/* Read the theme called `name`: the user's own (XDG config folder, themes/), else one that ships.
 */
enum status theme_load(const char *name, struct theme *theme, struct error *err) MUST_CHECK;

/* Append the names of the themes that there are, the user's own and those that ship, each ended by
 * a newline.
 */
void theme_add_names(struct strbuf *names);

/*
 * How text in `role` looks on a background painted in `ground`: the ground
 * decides wherever it has a colour, ROLE_TEXT decides nothing.
 */
struct ink theme_ink(const struct theme *theme, enum depth depth, enum role role, enum role ground);

/* How far a terminal with so many colours goes, unless the user set NO_COLOR. */
enum depth theme_depth(int colours);

/* What a colour at a place of the 256 palette looks like, as 0xRRGGBB. */
uint32_t theme_palette_rgb(unsigned place);

#endif
