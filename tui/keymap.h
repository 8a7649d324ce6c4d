#ifndef TUI_KEYMAP_H
#define TUI_KEYMAP_H

#include "tui/key.h"

/*
 * The commands of the screen, in one table, from which come the keys, the
 * help overlay and whatever else lists commands.
 */

enum screen_command {
    COMMAND_NONE,
    COMMAND_ACCEPT,
    COMMAND_EDIT,
    COMMAND_VETO,
    COMMAND_RUN_ON,
    COMMAND_PAUSE,
    COMMAND_INTERRUPT,
    COMMAND_PANE, /* `argument`: the pane's number, from 1 */
    COMMAND_NEXT_PANE,
    COMMAND_PREVIOUS_PANE,
    COMMAND_FULL,
    COMMAND_DIFF,
    COMMAND_OPEN,
    COMMAND_UP,
    COMMAND_DOWN,
    COMMAND_LEFT,
    COMMAND_RIGHT,
    COMMAND_TOP,
    COMMAND_BOTTOM,
    COMMAND_HALF_UP,
    COMMAND_HALF_DOWN,
    COMMAND_HELP,
    COMMAND_REDRAW,
    COMMAND_SUSPEND,
    COMMAND_QUIT,
};

/* Where a command means something, as bits. */
enum context {
    CONTEXT_ALWAYS = 1,
    CONTEXT_WAITING = 2, /* a step waits for its decision */
    CONTEXT_RUNNING = 4, /* an activity is under way */
    CONTEXT_KERNEL = 8,  /* the Kernel pane has the focus */
    CONTEXT_DIAGNOSTICS = 16,
};

struct keymap_row {
    const char *name;
    const char *keys; /* names as key_parse() reads them, separated by blanks */
    const char *help;
    enum context context;
    enum screen_command command;
    int argument;
};

/* Ended by a row without a name. */
extern const struct keymap_row keymap_table[];

/* The first row that has the key in one of the contexts, or NULL. */
const struct keymap_row *keymap_find(struct key key, unsigned contexts);

/* The row of a command: the first, where several arguments make several rows. */
const struct keymap_row *keymap_row_of(enum screen_command command);

/* As the help overlay titles it: "while a step waits". */
const char *keymap_context_title(enum context context);

#endif
