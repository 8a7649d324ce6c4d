#ifndef TUI_TERM_GRAPHICS_H
#define TUI_TERM_GRAPHICS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/strbuf.h"

/*
 * Pictures in a terminal. kitty's graphics protocol takes the unchanged bytes of a PNG; sixel
 * graphics are written by the program img2sixel of libsixel. kforge asks the terminal for both
 * protocols; a terminal answers at once or never. (tmux answers in the terminal's place, and has
 * neither.)
 */

enum graphics { GRAPHICS_NONE, GRAPHICS_KITTY, GRAPHICS_SIXEL };

/* Columns and lines of the terminal, and its size in pixels; pixels are estimated if unknown. */
struct graphics_room {
    unsigned columns, lines, width, height;
};

/* Width and height of a PNG in pixels; false if the bytes are no PNG. */
bool graphics_png_size(const char *png, size_t len, unsigned *width, unsigned *height);

/* Ask the terminal at `fd`, which is open for reading and writing, which graphics it has. */
enum graphics graphics_ask(int fd);

/* Read the answer to that question, such as "\033_Gi=31;OK\033\\\033[?62;4;22c". */
enum graphics graphics_read_answer(const char *answer);

/* The room of the terminal at `fd`. */
struct graphics_room graphics_room_of(int fd);

/* Append the PNG as kitty's escape sequences, scaled down if it does not fit the room. */
void graphics_add_kitty(const char *png, size_t len, const struct graphics_room *room,
                        struct strbuf *out);

/* The width in pixels at which a PNG fits the room: its own, or less. */
unsigned graphics_fitting_width(const char *png, size_t len, const struct graphics_room *room);

#endif
