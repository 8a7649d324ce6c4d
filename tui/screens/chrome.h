#ifndef TUI_SCREENS_CHROME_H
#define TUI_SCREENS_CHROME_H

#include "tui/frame/overlay.h"
#include "tui/panels/panel.h"
#include "tui/widgets/palette.h"
#include "tui/widgets/prompt_line.h"

/*
 * What every screen shares: the keys, the pattern that is searched for, and
 * what lies over a screen: messages, the prompt, the help, the palette.
 */

enum { CHROME_LABEL_SIZE = 96 };

struct chrome {
    struct keymap keymap;
    unsigned contexts; /* of the screen below, as it was drawn last */
    struct overlay overlay;
    struct palette palette;

    struct pattern search; /* marked in the list or text that has the focus */

    struct message_log messages;
    struct strbuf judge; /* as in struct overlay_facts; set by whoever knows it */

    struct prompt_line *prompt; /* NULL: closed */
    char label[CHROME_LABEL_SIZE];
};

/* Everything closed, the keys as the table has them; for chrome_release(). */
void chrome_open(struct chrome *chrome);
void chrome_release(struct chrome *chrome);

/* Draw the message or the prompt on its line, the overlay, the palette. */
void chrome_draw(struct chrome *chrome, struct canvas *canvas, struct rect message);

/*
 * Go to the next place with the pattern (1), the one before (-1), or the first from here on (0);
 * return whether it is there, and else say so.
 */
bool chrome_find(struct chrome *chrome, const struct panel_body *body, int direction);

/* Show a message on the message line, and add it to the log of messages. */
void chrome_say(struct chrome *chrome, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);
void chrome_say_error(struct chrome *chrome, const struct error *err);

/* Open the prompt; what is typed is in chrome->prompt. */
void chrome_ask(struct chrome *chrome, const struct prompt_line_options *options, const char *fmt,
                ...) PRINTF_LIKE(3, 4);
void chrome_close_prompt(struct chrome *chrome);

#endif
