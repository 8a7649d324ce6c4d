#ifndef TUI_WIDGETS_MESSAGE_H
#define TUI_WIDGETS_MESSAGE_H

#include <stddef.h>

#include "tui/term/canvas.h"

/*
 * The messages to the user. The latest message stays on its line until a key is pressed after it
 * was drawn. If it hides other unread messages, the line shows their number. All messages stay in
 * the log. A message in ROLE_WAITING says what the program waits for; the next message replaces it.
 */

struct message {
    enum role role;
    char *text;
};

/* All zeros is an empty log. */
struct message_log {
    struct message *items;
    size_t count, capacity;
    size_t drawn, read; /* number of messages that were drawn, and that were read */
};

/* Append a message; takes over `text`, a heap string. */
void message_add(struct message_log *log, enum role role, char *text);
void message_release(struct message_log *log);

/* Mark the drawn messages as read, because a key was pressed. */
void message_read(struct message_log *log);

/* True if there is a message to draw. */
bool message_is_unread(const struct message_log *log);

/* True if the line of messages shows this text. */
bool message_shows(const struct message_log *log, const char *text);

/*
 * Mark the message that the line shows as read, because all of it stands elsewhere on the screen.
 * Does nothing if the line tells of further messages too.
 */
void message_withdraw(struct message_log *log);

/*
 * Write a text that is also in the log. If it does not fit, it ends with the command that shows the
 * whole text.
 */
void message_put(enum role role, const char *text, struct pen *pen);

/* Draw the latest message; call only if message_is_unread(). */
void message_draw(struct message_log *log, struct area line);

#endif
