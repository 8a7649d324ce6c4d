#ifndef TUI_CLI_SCREEN_OPTIONS_H
#define TUI_CLI_SCREEN_OPTIONS_H

#include "tui/cli/option_table.h"

/* The options of commands that can show their result on the screen or print it as lines. */
struct screen_options {
    bool headless;     /* no screen, even on a terminal */
    bool as_json;      /* print JSON lines instead of text; no screen either */
    const char *keys;  /* a key script for the screen, or NULL */
    const char *theme; /* theme of the screen; NULL: dark */
};

/* The rows over a struct screen_options. */
extern const struct option_row screen_option_rows[];

/* True when the screen is to be opened: on a terminal, or for a key script. */
bool screen_options_want_screen(const struct screen_options *options);

#endif
