#ifndef TUI_TERM_TERM_H
#define TUI_TERM_TERM_H

#include "core/base/status.h"
#include "core/system/loop.h"
#include "tui/keys/key.h"
#include "tui/term/canvas.h"

/*
 * The user's terminal, driven through curses. It shows a canvas, and calls a listener for keys, the
 * mouse, changes of the size, and the end.
 *
 * While the terminal is open, the signals TERM, HUP, INT, QUIT, WINCH, TSTP, CONT and CHLD arrive
 * through the loop. Standard error goes to the log, because device drivers print to it. A fault
 * restores the terminal before it ends the program. The terminal is "away" while a child (an
 * editor, a shell) uses it; term_show() does nothing then.
 */
struct term;

struct term_listener {
    void (*key)(void *data, struct key key);
    /* pasted text, which must not run commands */
    void (*paste)(void *data, const char *text, size_t len);
    void (*mouse)(void *data, struct mouse mouse);
    /* the size changed or a child has ended: draw everything */
    void (*resized)(void *data);
    void (*returned)(void *data, int wait_status); /* the child of term_run() has ended */
    /* a signal arrived, or the terminal is gone: the program must leave */
    void (*ended)(void *data, const char *why);
    void *data;
};

/* Take over standard input and output until term_close(); `listener` is copied. */
enum status term_open(struct loop *loop, const struct term_listener *listener, struct term **term,
                      struct error *err) MUST_CHECK;

/* Restore the terminal to its state before term_open(). */
void term_close(struct term *term);

/* The size in columns and lines, as a rectangle at 0, 0. */
struct rect term_size(const struct term *term);

/*
 * Show the canvas; only cells that changed since the last call are written, and
 * nothing if none has.
 */
void term_show(struct term *term, const struct canvas *canvas, const struct theme *theme);

/* Make the next term_show() draw all cells, because another program wrote to the terminal. */
void term_redraw(struct term *term);

/*
 * Switch mouse reports off or on again; return true if they are on now. While they are off, the
 * terminal itself selects text.
 */
bool term_turn_mouse(struct term *term);

/* Stop the program, as Ctrl-Z does, until the shell continues it. */
void term_suspend(struct term *term);

/* Start a child (an editor, a shell) that uses the terminal; returned() is called at its end. */
enum status term_run(struct term *term, const char *const *argv, struct error *err) MUST_CHECK;

/* Write an escape sequence that changes nothing on the screen, such as OSC 52. */
void term_write(struct term *term, const char *bytes, size_t len);

/* Append the name and version of curses. */
void term_add_version(struct strbuf *out);

/* True if the locale has no UTF-8; call setlocale() first. */
bool term_is_ascii(void);

#endif
