#ifndef TUI_SCREENS_CHROME_H
#define TUI_SCREENS_CHROME_H

#include "tui/frame/layout_pin.h"
#include "tui/frame/overlay.h"
#include "tui/panels/panel.h"
#include "tui/widgets/palette.h"
#include "tui/widgets/prompt_line.h"

/*
 * The parts of the display that are the same on every screen: the message line, the prompt, the
 * help and other overlays, and the command palette, with the keys and the search pattern. They are
 * drawn over the screen.
 */

enum { CHROME_LABEL_SIZE = 96 };

struct chrome {
    struct keymap keymap;
    unsigned contexts; /* contexts of the screen in the last frame */
    bool goes_back;    /* there is a screen below to go back to; set before each frame */
    struct overlay overlay;
    struct palette palette;

    /* the pinned layout of all sessions; SCENE_NONE: the layout follows the step */
    enum scene pinned;

    struct pattern search; /* highlighted in the focused list or text */

    struct message_log messages;
    char notice[256]; /* the last text of chrome_say_notice() */
    /* as `judge` in struct overlay_facts; set by the screen that asked a worker */
    struct strbuf judge;

    struct prompt_line *prompt; /* NULL: closed */
    char label[CHROME_LABEL_SIZE];
};

/* Start with everything closed and the default keys. */
void chrome_open(struct chrome *chrome);
void chrome_release(struct chrome *chrome);

/* Draw the prompt or the unread message on the line `message`, then overlay and palette. */
void chrome_draw(struct chrome *chrome, struct canvas *canvas, struct rect message);

/*
 * Go to the next match of the pattern (1), the previous one (-1), or the first from here on (0). If
 * there is no match, return false and show a message.
 */
bool chrome_find(struct chrome *chrome, const struct panel_body *body, int direction);

/* Show a message on the message line, and add it to the log of messages. */
void chrome_say(struct chrome *chrome, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);
void chrome_say_error(struct chrome *chrome, const struct error *err);

/*
 * Show the driver's notice if it is a new one: the line of activity has no room for it while a step
 * waits, and the driver forgets it with the next prompt.
 */
void chrome_say_notice(struct chrome *chrome, const char *notice);

/* Open the prompt with a label; the text is in chrome->prompt. */
void chrome_ask(struct chrome *chrome, const struct prompt_line_options *options, const char *fmt,
                ...) PRINTF_LIKE(3, 4);
void chrome_close_prompt(struct chrome *chrome);

#endif
