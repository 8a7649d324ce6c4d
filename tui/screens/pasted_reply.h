#ifndef TUI_SCREENS_PASTED_REPLY_H
#define TUI_SCREENS_PASTED_REPLY_H

#include "tui/screens/screen.h"

/*
 * Pasting a reply for the agent "manual", for which a person copies prompts to a model and replies
 * back. The reply is sent after the engineer has confirmed it.
 */
struct pasted_reply {
    struct screen_host *host; /* borrowed, as is the driver */
    struct driver *driver;
    struct strbuf text; /* until it is sent */
};

/* Ask whether to send the text; do nothing unless the session waits for a reply of "manual". */
void pasted_reply_take(struct pasted_reply *reply, const char *text, size_t len);
void pasted_reply_release(struct pasted_reply *reply);

#endif
