#ifndef TUI_TERM_GLYPH_H
#define TUI_TERM_GLYPH_H

#include <stdint.h>

/*
 * The cells that the characters of a text fill. A character's columns depend on the character
 * before it: a combining mark after a letter shares the letter's cells. A mark in any other place
 * is shown by its code, because it could make an operator look like another one.
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
    /* columns in the text; a tab is shown by its code here, because its columns vary */
    int columns;
};

/* All zeros is the beginning of a text, where no mark is allowed. */
struct glyph_state {
    uint32_t code; /* the last character that fills cells */
    int room;      /* room for marks on it, if it is a letter */
};

/* Decide how the next character of a text is shown, and update the state. */
struct glyph glyph_next(struct glyph_state *state, uint32_t code);

enum { GLYPH_CODE_SIZE = 16 };

/* Write a character's code, as <U+202E>; return the length. */
int glyph_write_code(uint32_t code, char text[GLYPH_CODE_SIZE]);

#endif
