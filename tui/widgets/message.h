#ifndef TUI_WIDGETS_MESSAGE_H
#define TUI_WIDGETS_MESSAGE_H

#include <stddef.h>

#include "tui/term/canvas.h"

/*
 * What the program has said.  The latest message stands on its line until a
 * key is pressed after it was drawn; where it came over others that nobody
 * has seen, the line says how many, and all stay in the log.  What is being
 * waited for, ROLE_WAITING, is over with the next message.
 */

struct message {
    enum role role;
    char *text;
};

/* All zeros is empty. */
struct message_log {
    struct message *items;
    size_t count, capacity;
    size_t drawn, read; /* so many of them */
};

/* Takes over `text`, a heap string. */
void message_add(struct message_log *log, enum role role, char *text);
void message_release(struct message_log *log);

/* A key was pressed: what has been drawn is read. */
void message_read(struct message_log *log);

/* Whether one is to be shown. */
bool message_is_unread(const struct message_log *log);

/* Draw the latest. */
void message_draw(struct message_log *log, struct area line);

#endif
