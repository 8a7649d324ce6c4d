#ifndef TUI_SCREENS_VIEW_H
#define TUI_SCREENS_VIEW_H

#include "tui/panels/panel.h"
#include "tui/widgets/overlay.h"
#include "tui/widgets/palette.h"
#include "tui/widgets/prompt_line.h"

/*
 * What every screen shares: the keys, the pattern that is searched for, and
 * what lies over a screen: messages, the prompt, the help, the palette.
 */

enum { VIEW_LABEL_SIZE = 96 };

struct view {
    struct keymap keymap;
    unsigned contexts; /* of the screen below, as it was drawn last */
    struct overlay overlay;
    struct palette palette;

    struct pattern search; /* marked in the list or text that has the focus */

    struct message_log messages;
    struct strbuf judge; /* as in struct overlay_facts; set by whoever knows it */

    struct prompt_line *prompt; /* NULL: closed */
    char label[VIEW_LABEL_SIZE];
};

/* Everything closed, the keys as the table has them; for view_release(). */
void view_open(struct view *view);
void view_release(struct view *view);

/* Draw the message or the prompt on its line, the overlay, the palette. */
void view_draw(struct view *view, struct canvas *canvas, struct rect message);

/*
 * Go to the next place with the pattern (1), the one before (-1), or the first from here on (0);
 * return whether it is there, and else say so.
 */
bool view_find(struct view *view, const struct panel_body *body, int direction);

/* Put a line on the message line and into the log; nobody has to confirm it. */
void view_say(struct view *view, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Open the prompt; what is typed is in view->prompt. */
void view_ask(struct view *view, const struct prompt_line_options *options, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void view_close_prompt(struct view *view);

#endif
