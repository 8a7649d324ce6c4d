#ifndef TUI_FRAME_HINTS_H
#define TUI_FRAME_HINTS_H

#include "tui/keys/keymap.h"
#include "tui/term/canvas.h"

/*
 * Hints: keys with a few words, as on the lowest line.  They name rows of the table of commands, so
 * they show the keys that the engineer has bound, and a press of the mouse on a hint does what the
 * key does.
 */
struct hint {
    const char *row;   /* name in the table of commands */
    const char *words; /* NULL: the row's name; "": the next hint goes on with this one */
    const char *keys;  /* shown in place of the row's first key; NULL: that key */
    int rank;          /* without room for all, hints of the highest rank are left out */
};

/* The keys and words of hints. */
struct hint_roles {
    enum role keys, words;
};

/*
 * Write those of `count` hints that fit between the pen and the edge, in their order.  Hints of
 * equal rank are left out from the last one on.
 */
void hints_put(const struct keymap *keymap, const struct hint *hints, size_t count,
               struct hint_roles roles, struct pen *pen);

/* The columns that hints_put() needs for all of them. */
int hints_columns(const struct keymap *keymap, const struct hint *hints, size_t count);

/* Draw the lowest line of a screen. */
void hints_draw(const struct keymap *keymap, const struct hint *hints, size_t count,
                struct area area);

/* Let a press on a line, or between two columns of it, do what the row's key does. */
void hints_link(struct area area, struct rect place, const struct keymap_row *row);

/* The row of the hint at a place of the canvas; NULL if there is no hint. */
const struct keymap_row *hints_row_at(const struct canvas *canvas, int x, int y);

#endif
