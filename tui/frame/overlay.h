#ifndef TUI_FRAME_OVERLAY_H
#define TUI_FRAME_OVERLAY_H

#include "tui/keys/keymap.h"
#include "tui/widgets/message.h"
#include "tui/widgets/page.h"

/*
 * A page over the middle of any screen: the list of keys, the meaning of the marks, the messages so
 * far, or the versions of kforge and its libraries.  It scrolls, and can be searched and copied
 * like a pane.  A press of the mouse on a command in it does what the command's key does.
 */

enum overlay_kind { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_LEGEND, OVERLAY_MESSAGES, OVERLAY_ABOUT };

struct overlay {
    enum overlay_kind kind;
    struct page page;
    struct rect place; /* in the last frame */
    struct {
        const struct keymap_row **items; /* for each line: the command in it, or NULL */
        size_t count, capacity;
    } rows;
};

/* The contents of the pages. */
struct overlay_facts {
    const struct keymap *keymap;
    unsigned contexts; /* the contexts whose keys are active now, enum context bits */
    const struct message_log *messages;
    const char *judge; /* the judge's libraries, device, driver and compiler; "" while unknown */
};

/* Open a page: at its start, or for the messages at their end. */
void overlay_open(struct overlay *overlay, enum overlay_kind kind);
void overlay_draw(struct overlay *overlay, const struct overlay_facts *facts,
                  const struct pattern *search, struct canvas *canvas);
void overlay_release(struct overlay *overlay);

/* True if the page was drawn at this place of the canvas. */
bool overlay_is_at(const struct overlay *overlay, int x, int y);

/* Scroll or close the open page by a command; return whether the command was handled. */
bool overlay_command(struct overlay *overlay, enum screen_command command);

#endif
