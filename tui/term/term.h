#ifndef TUI_TERM_TERM_H
#define TUI_TERM_TERM_H

#include "core/base/status.h"
#include "core/system/loop.h"
#include "tui/keys/key.h"
#include "tui/term/canvas.h"

/*
 * The terminal, over curses: shows a canvas, and tells a listener of keys,
 * of the size, and of the end.
 *
 * While the terminal is open, the signals TERM, HUP, INT, QUIT, WINCH, TSTP,
 * CONT and CHLD arrive through the loop, standard error goes to the log
 * (drivers of devices print to it), and a fault restores the terminal before
 * it ends the program.  The terminal is away while a child has its place;
 * showing does nothing then.
 */
struct term;

struct term_listener {
    void (*key)(void *data, struct key key);
    void (*paste)(void *data, const char *text, size_t len); /* never a key: it commands nothing */
    void (*mouse)(void *data, struct mouse mouse);
    void (*resized)(void *data);                   /* also when the terminal comes back: draw */
    void (*returned)(void *data, int wait_status); /* the child of term_run() has ended */
    void (*ended)(void *data, const char *why);    /* a signal, or the terminal is gone: leave */
    void *data;
};

/* Take over standard input and output; `listener` is copied. */
enum status term_open(struct loop *loop, const struct term_listener *listener, struct term **term,
                      struct error *err) MUST_CHECK;

/* Give the terminal back as it was found. */
void term_close(struct term *term);

/* Columns and lines, as a rectangle at 0, 0. */
struct rect term_size(const struct term *term);

/* Show the canvas, writing what has changed since it was shown last. */
void term_show(struct term *term, const struct canvas *canvas, const struct theme *theme);

/* The next term_show() draws everything again: something else wrote to the terminal. */
void term_redraw(struct term *term);

/* Switch the mouse off, so that the terminal selects text by itself, or on; say which. */
bool term_turn_mouse(struct term *term);

/* Give the terminal to the shell until it says to go on. */
void term_suspend(struct term *term);

/* Let a child (an editor, a shell) have the terminal; the listener hears when it has ended. */
enum status term_run(struct term *term, const char *const *argv, struct error *err) MUST_CHECK;

/* Whether a child or the shell has the terminal. */
bool term_is_away(const struct term *term);

/* Write a sequence of the terminal's own, which changes nothing that is shown. */
void term_write(struct term *term, const char *bytes, size_t len);

/* Append the library's name and version. */
void term_add_version(struct strbuf *out);

/* Whether the locale can show more than ASCII; setlocale() comes before. */
bool term_is_ascii(void);

#endif
