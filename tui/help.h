#ifndef TUI_HELP_H
#define TUI_HELP_H

#include "tui/keymap.h"
#include "tui/page.h"

/* The list of keys and commands, over the middle of the screen. */
void help_draw(struct page *page, const struct keymap *keymap, struct canvas *canvas);

#endif
