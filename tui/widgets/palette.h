#ifndef TUI_WIDGETS_PALETTE_H
#define TUI_WIDGETS_PALETTE_H

#include "tui/widgets/prompt_line.h"
#include "tui/widgets/widget_list.h"

/*
 * The command palette: a list of commands that shrinks while the user types.  A command stays in
 * the list if each typed word is in its name or its help.
 */

/* All zeros is closed. */
struct palette {
    struct prompt_line *line; /* NULL: the palette is closed */
    unsigned contexts;        /* list only commands of these contexts, enum context bits */
    struct widget_list list;
    struct {
        const struct keymap_row **items;
        size_t count, capacity;
    } rows;
};

enum palette_state { PALETTE_CHOOSING, PALETTE_CHOSEN, PALETTE_LEFT };

/* Open the palette and list all commands of the contexts (enum context bits). */
void palette_open(struct palette *palette, unsigned contexts);
void palette_close(struct palette *palette);

/* Handle a key: it types, moves, chooses or leaves. */
enum palette_state palette_key(struct palette *palette, struct key key);

/* The selected command; NULL if no command matches the typed words. */
const struct keymap_row *palette_choice(const struct palette *palette);

/* Draw the palette over the middle of the canvas, with the keys of each command. */
void palette_draw(struct palette *palette, const struct keymap *keymap, struct canvas *canvas);

#endif
