#ifndef TUI_TERM_GLYPH_H
#define TUI_TERM_GLYPH_H

#include <stdint.h>

/*
 * The cells that the characters of a text fill.  The surprise is that a character's columns depend
 * on the one before it: a combining mark behind a letter shares the letter's cells, and one in any
 * other place, where it could change what a reader takes an operator for, is shown by its code.
 */

/* The most marks in a cell; further ones are shown by their codes. */
enum { GLYPH_MARKS = 2 };

enum glyph_form {
    GLYPH_CODE, /* shown by its code, as <U+202E> */
    GLYPH_CELL, /* fills one cell or two */
    GLYPH_MARK, /* shares the cells of the character before it */
};

struct glyph {
    enum glyph_form form;
    int columns; /* in the text; a tab is shown by its code here, because its columns vary */
};

/* All zeros is the beginning of a text, where no mark can be. */
struct glyph_state {
    uint32_t code; /* the last character that fills cells */
    int room;      /* room for marks on it, if it is a letter */
};

/* Find how the next character of a text is shown. */
struct glyph glyph_next(struct glyph_state *state, uint32_t code);

enum { GLYPH_CODE_SIZE = 16 };

/* Write a character's code, as <U+202E>; return the length. */
int glyph_write_code(uint32_t code, char text[GLYPH_CODE_SIZE]);

#endif
