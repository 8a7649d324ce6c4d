#ifndef TUI_WIDGETS_PALETTE_H
#define TUI_WIDGETS_PALETTE_H

#include "tui/widgets/prompt_line.h"
#include "tui/widgets/widget_list.h"

/*
 * The commands as a list that shrinks while one types: every word typed has
 * to be in a command's name or in what it is for.
 */

/* All zeros is closed. */
struct palette {
    struct prompt_line *line; /* NULL: closed */
    unsigned contexts;        /* the commands that mean something now */
    struct widget_list list;
    struct {
        const struct keymap_row **items;
        size_t count, capacity;
    } rows;
};

enum palette_state { PALETTE_CHOOSING, PALETTE_CHOSEN, PALETTE_LEFT };

/* Open it for the commands of these contexts (enum context bits), all of them listed. */
void palette_open(struct palette *palette, unsigned contexts);
void palette_close(struct palette *palette);

/* Take a key: it types, moves, chooses or leaves. */
enum palette_state palette_key(struct palette *palette, struct key key);

/* What was chosen; NULL when nothing fits what was typed. */
const struct keymap_row *palette_choice(const struct palette *palette);

/* Draw it over the middle of the canvas, with the keys of each command. */
void palette_draw(struct palette *palette, const struct keymap *keymap, struct canvas *canvas);

#endif
