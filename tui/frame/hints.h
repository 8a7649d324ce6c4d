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
    const char *words; /* NULL: the row's name; "": the next hint belongs to this one */
    const char *keys;  /* shown in place of the row's first key; NULL: that key */
    /* if there is no room for all hints, those of the highest rank are left out */
    int rank;
};

/* The keys and words of hints. */
struct hint_roles {
    enum role keys, words;
};

/*
 * Write the hints that fit between the pen and the edge, in their order. Among hints of equal rank,
 * the last is left out first.
 */
void hints_put(const struct keymap *keymap, const struct hint *hints, size_t count,
               struct hint_roles roles, struct pen *pen);

/* The columns that hints_put() needs for all hints. */
int hints_columns(const struct keymap *keymap, const struct hint *hints, size_t count);

/* Draw the lowest line of a screen. */
void hints_draw(const struct keymap *keymap, const struct hint *hints, size_t count,
                struct area area);

/* Make a press of the mouse on `place` in the area do what the row's key does. */
void hints_link(struct area area, struct rect place, const struct keymap_row *row);

/* The row of the hint at a place of the canvas; NULL if there is no hint. */
const struct keymap_row *hints_row_at(const struct canvas *canvas, int x, int y);

#endif
