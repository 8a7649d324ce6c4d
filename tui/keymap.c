#include "tui/keymap.h"

#include <string.h>

/* clang-format off */
const struct keymap_row keymap_table[] = {
    {"accept",        "a",                "keep what is proposed",          CONTEXT_WAITING, COMMAND_ACCEPT, 0},
    {"edit",          "e",                "edit it in $EDITOR, then keep",  CONTEXT_WAITING, COMMAND_EDIT, 0},
    {"veto",          "v",                "refuse it and say why",          CONTEXT_WAITING, COMMAND_VETO, 0},
    {"run-on",        "A",                "accept, and run on by policy",   CONTEXT_WAITING, COMMAND_RUN_ON, 0},
    {"pause",         "Space",            "stop after this step",           CONTEXT_RUNNING, COMMAND_PAUSE, 0},
    {"interrupt",     "C-c",              "cancel this activity; again: quit", CONTEXT_ALWAYS, COMMAND_INTERRUPT, 0},
    {"diff",          "d",                "source or difference",           CONTEXT_KERNEL, COMMAND_DIFF, 0},
    {"open",          "Enter",            "the kernel's line",              CONTEXT_DIAGNOSTICS, COMMAND_OPEN, 0},
    {"steps",         "1",                "go to the steps",                CONTEXT_ALWAYS, COMMAND_PANE, 1},
    {"candidates",    "2",                "go to the candidates",           CONTEXT_ALWAYS, COMMAND_PANE, 2},
    {"kernel",        "3",                "go to the kernel",               CONTEXT_ALWAYS, COMMAND_PANE, 3},
    {"diagnostics",   "4",                "go to the compiler's messages",  CONTEXT_ALWAYS, COMMAND_PANE, 4},
    {"correctness",   "5",                "go to the differences",          CONTEXT_ALWAYS, COMMAND_PANE, 5},
    {"profile",       "6",                "go to the profile",              CONTEXT_ALWAYS, COMMAND_PANE, 6},
    {"agents",        "7",                "go to the agents",               CONTEXT_ALWAYS, COMMAND_PANE, 7},
    {"next-pane",     "Tab",              "go to the next pane",            CONTEXT_ALWAYS, COMMAND_NEXT_PANE, 0},
    {"previous-pane", "S-Tab",            "go to the previous pane",        CONTEXT_ALWAYS, COMMAND_PREVIOUS_PANE, 0},
    {"full",          "f",                "this pane alone, and back",      CONTEXT_ALWAYS, COMMAND_FULL, 0},
    {"up",            "k Up",             "a line up",                      CONTEXT_ALWAYS, COMMAND_UP, 0},
    {"down",          "j Down",           "a line down",                    CONTEXT_ALWAYS, COMMAND_DOWN, 0},
    {"left",          "h Left",           "towards the start of lines",     CONTEXT_ALWAYS, COMMAND_LEFT, 0},
    {"right",         "l Right",          "towards the end of lines",       CONTEXT_ALWAYS, COMMAND_RIGHT, 0},
    {"top",           "g Home",           "the first line",                 CONTEXT_ALWAYS, COMMAND_TOP, 0},
    {"bottom",        "G End",            "the last line",                  CONTEXT_ALWAYS, COMMAND_BOTTOM, 0},
    {"half-up",       "C-u PageUp",       "half a pane up",                 CONTEXT_ALWAYS, COMMAND_HALF_UP, 0},
    {"half-down",     "C-d PageDown",     "half a pane down",               CONTEXT_ALWAYS, COMMAND_HALF_DOWN, 0},
    {"help",          "?",                "this list",                      CONTEXT_ALWAYS, COMMAND_HELP, 0},
    {"redraw",        "C-l",              "draw everything again",          CONTEXT_ALWAYS, COMMAND_REDRAW, 0},
    {"suspend",       "C-z",              "back to the shell; fg returns",  CONTEXT_ALWAYS, COMMAND_SUSPEND, 0},
    {"quit",          "q",                "leave; the session can be resumed", CONTEXT_ALWAYS, COMMAND_QUIT, 0},
    {0},
};
/* clang-format on */

static bool has_key(const char *keys, struct key key)
{
    while (*keys) {
        size_t len = strcspn(keys, " ");

        if (key_equals(key, key_parse(keys, len)))
            return true;
        keys += len;
        keys += strspn(keys, " ");
    }
    return false;
}

const struct keymap_row *keymap_find(struct key key, unsigned contexts)
{
    for (const struct keymap_row *row = keymap_table; row->name; row++)
        if ((row->context & contexts) && has_key(row->keys, key))
            return row;
    return NULL;
}

const struct keymap_row *keymap_row_of(enum screen_command command)
{
    const struct keymap_row *row = keymap_table;

    while (row->name && row->command != command)
        row++;
    return row;
}

const char *keymap_context_title(enum context context)
{
    switch (context) {
    case CONTEXT_WAITING:
        return "while a step waits";
    case CONTEXT_RUNNING:
        return "while something runs";
    case CONTEXT_KERNEL:
        return "in the Kernel pane";
    case CONTEXT_DIAGNOSTICS:
        return "in the Diagnostics pane";
    case CONTEXT_ALWAYS:
        break;
    }
    return "always";
}
