#ifndef TUI_FRAME_OVERLAY_H
#define TUI_FRAME_OVERLAY_H

#include "tui/keys/keymap.h"
#include "tui/widgets/message.h"
#include "tui/widgets/page.h"

/*
 * A page over the middle of any screen: the list of keys, the messages so
 * far, what kforge is made of.  It scrolls, is searched and copied like a pane.
 */

enum overlay_kind { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_MESSAGES, OVERLAY_ABOUT };

struct overlay {
    enum overlay_kind kind;
    struct page page;
};

/* What the pages are about. */
struct overlay_facts {
    const struct keymap *keymap;
    unsigned contexts; /* in which keys mean something now, as bits */
    const struct message_log *messages;
    const char *judge; /* its libraries, and the device with driver and compiler; "": not known */
};

/* Open a page at its start; of messages, at the end. */
void overlay_open(struct overlay *overlay, enum overlay_kind kind);
void overlay_draw(struct overlay *overlay, const struct overlay_facts *facts,
                  const struct pattern *search, struct canvas *canvas);
void overlay_release(struct overlay *overlay);

/* While one is open, carry out what scrolls or closes it; return whether it was taken. */
bool overlay_command(struct overlay *overlay, enum screen_command command);

#endif
