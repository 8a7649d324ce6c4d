#include "tui/term/term.h"

#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/system/file.h"
#include "core/system/log.h"
#include "core/system/process.h"
#include "tui/term/crash_restore.h"
#include "tui/term/signals.h"
#include "tui/term/term_current.h"
#include "tui/term/term_input.h"
#include "tui/term/term_marks.h"
#include "tui/term/term_painter.h"

enum { PASTE_MAX_BYTES = 1 << 20, ESCAPE_DELAY_MS = 25 };

/* Modes of xterm (its "Control Sequences"): bracketed paste; buttons of the mouse, in SGR form. */
static const char paste_on[] = "\033[?2004h", paste_off[] = "\033[?2004l";
static const char mouse_on[] = "\033[?1000h\033[?1006h", mouse_off[] = "\033[?1006l\033[?1000l";

struct term {
    struct loop *loop;
    struct term_listener listener;
    SCREEN *screen;
    struct term_painter painter;
    struct term_marks marks;
    struct signals signals;
    struct termios modes; /* at term_open() */
    int saved_stderr;     /* the original standard error; -1 if it is not redirected */
    pid_t child;          /* uses the terminal; 0 if there is none */
    bool has_mouse;
    bool can_paste; /* pasted text can be distinguished from typed text */
    bool is_pasting;
    struct strbuf paste;
};

void term_add_version(struct strbuf *out)
{
    strbuf_adds(out, curses_version());
}

bool term_is_ascii(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

/* Log a failed call of curses; the program continues without its effect. */
static void expect(int result, const char *call)
{
    if (result == ERR)
        log_line("curses: %s() failed", call);
}

static bool is_away(const struct term *term)
{
    return term->child != 0;
}

struct rect term_size(const struct term *term)
{
    (void)term; /* curses holds the size in globals */
    return (struct rect){.w = COLS, .h = LINES};
}

/* Write without curses. The order is kept, because curses' buffer is empty between frames. */
static void write_terminal(const char *text)
{
    ssize_t ignored = write(STDOUT_FILENO, text, strlen(text));

    (void)ignored; /* poll() on the input reports when the terminal is gone */
}

void term_write(struct term *term, const char *bytes, size_t len)
{
    if (!is_away(term))
        (void)!file_write_all(STDOUT_FILENO, bytes, len, NULL);
}

/* Append a capability of terminfo without its padding ("$<2>"); nothing if it is absent. */
static void add_capability(struct strbuf *out, const char *name)
{
    const char *text = tigetstr(name);

    while (text && *text) {
        const char *padding = strstr(text, "$<");

        strbuf_add(out, text, padding ? (size_t)(padding - text) : strlen(text));
        text = padding ? strchr(padding, '>') : NULL;
        text += text != NULL;
    }
}

static void arm_rescue(const struct term *term)
{
    struct strbuf text = {0};

    strbuf_adds(&text, term->marks.end);
    strbuf_adds(&text, paste_off);
    strbuf_adds(&text, mouse_off);
    add_capability(&text, "sgr0");
    add_capability(&text, "cnorm");
    add_capability(&text, "rmkx");
    add_capability(&text, "rmcup");
    crash_restore_arm(STDOUT_FILENO, &term->modes, strbuf_cstr(&text), text.len);
    strbuf_release(&text);
}

/* Take over the terminal at the start, or after another program has used it. */
static void enter(struct term *term)
{
    if (term->saved_stderr < 0)
        term->saved_stderr = log_take_stderr();
    arm_rescue(term);
    expect(reset_prog_mode(), "reset_prog_mode");
    if (term->can_paste)
        write_terminal(paste_on);
    if (term->has_mouse)
        write_terminal(mouse_on);
    term_redraw(term);
}

static void leave(struct term *term)
{
    write_terminal(paste_off);
    write_terminal(mouse_off);
    curs_set(1);
    if (!tigetstr("rmcup")) { /* the terminal has one screen only, which the shell goes on with */
        erase();
        refresh();
    }
    expect(endwin(), "endwin");
    crash_restore_disarm();
    log_return_stderr(term->saved_stderr);
    term->saved_stderr = -1;
}

static void end_paste(struct term *term)
{
    struct strbuf text = term->paste;

    term->is_pasting = false;
    term->paste = (struct strbuf){0};
    term->listener.paste(term->listener.data, strbuf_cstr(&text), text.len);
    strbuf_release(&text);
}

static void add_to_paste(struct term *term, struct key key)
{
    if (key.input == INPUT_ENTER)
        strbuf_adds(&term->paste, "\n");
    else if (key.input == INPUT_TAB)
        strbuf_adds(&term->paste, "\t");
    else if (key.input == INPUT_TEXT && !key.modifiers)
        utf8_encode(&term->paste, key.code);
    if (term->paste.len > PASTE_MAX_BYTES)
        end_paste(term);
}

static void handle_input(struct term *term, const struct term_input *input)
{
    const struct term_listener *listener = &term->listener;

    if (input->kind == TERM_INPUT_PASTE_BEGIN)
        term->is_pasting = true;
    else if (input->kind == TERM_INPUT_PASTE_END && term->is_pasting)
        end_paste(term);
    else if (term->is_pasting && input->kind == TERM_INPUT_KEY)
        add_to_paste(term, input->key);
    else if (input->kind == TERM_INPUT_MOUSE && input->mouse.action)
        listener->mouse(listener->data, input->mouse);
    else if (input->key.input)
        listener->key(listener->data, input->key);
}

static bool is_hung_up(int fd)
{
    struct pollfd p = {.fd = fd};

    return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static void end(struct term *term, const char *why)
{
    loop_unwatch(term->loop, STDIN_FILENO);
    term->listener.ended(term->listener.data, why);
}

static void read_input(void *data, int fd, unsigned ready)
{
    struct term *term = data;
    struct term_input input;

    (void)ready;
    if (is_hung_up(fd)) {
        end(term, "the terminal is gone");
        return;
    }
    while (!is_away(term) && term_input_read(&input))
        handle_input(term, &input);
}

static void adopt_size(struct term *term)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
        expect(resizeterm(size.ws_row, size.ws_col), "resizeterm");
    term_redraw(term);
    if (!is_away(term))
        term->listener.resized(term->listener.data);
}

void term_suspend(struct term *term)
{
    leave(term);
    signals_stop();
    enter(term);
    adopt_size(term);
}

static void reap_child(struct term *term)
{
    int wait_status;

    if (!term->child || waitpid(term->child, &wait_status, WNOHANG) != term->child)
        return;
    term->child = 0;
    enter(term);
    loop_watch(term->loop, STDIN_FILENO, LOOP_READ, read_input, term);
    adopt_size(term);
    term->listener.returned(term->listener.data, wait_status);
}

static void come_back(struct term *term)
{
    if (is_away(term))
        return;
    leave(term);
    enter(term);
    adopt_size(term);
}

static void handle_signal(void *data, int number)
{
    struct term *term = data;

    switch (number) {
    case SIGWINCH:
        adopt_size(term);
        break;
    case SIGTSTP:
        if (is_away(term))
            signals_stop();
        else
            term_suspend(term);
        break;
    case SIGCONT:
        come_back(term);
        break;
    case SIGCHLD:
        reap_child(term);
        break;
    case SIGINT:
    case SIGQUIT:
        if (!is_away(term)) /* else the user typed Ctrl-C or Ctrl-\ for the child */
            end(term, strsignal(number));
        break;
    default:
        end(term, strsignal(number));
    }
}

static void set_up_curses(struct term *term)
{
    set_escdelay(ESCAPE_DELAY_MS); /* always OK */
    expect(raw(), "raw");
    expect(noecho(), "noecho");
    expect(nonl(), "nonl");
    expect(nodelay(stdscr, TRUE), "nodelay");
    expect(typeahead(-1), "typeahead"); /* draw a whole frame, even if a key arrives meanwhile */
    expect(keypad(stdscr, TRUE), "keypad");
    term->can_paste = term_input_define();
    term_painter_open(&term->painter);
    term->marks = term_marks_find();
    expect(def_prog_mode(), "def_prog_mode");
}

/*
 * Open the screen. If COLORTERM promises 24-bit colours and terminfo knows colours of TERM, use the
 * entry of terminfo with 24-bit colours, if that is installed (Debian: ncurses-term): xterm-direct
 * for xterm-256color.
 */
static SCREEN *new_screen(void)
{
    const char *colours = getenv("COLORTERM"), *name = getenv("TERM");
    struct strbuf direct = {0};
    SCREEN *screen = NULL;

    if (name && colours && (!strcmp(colours, "truecolor") || !strcmp(colours, "24bit")) &&
        term_current_has_colours(name)) {
        strbuf_addf(&direct, "%.*s-direct", (int)strcspn(name, "-"), name);
        screen = newterm(strbuf_cstr(&direct), stdout, stdin);
        strbuf_release(&direct);
    }
    screen = screen ? screen : newterm(NULL, stdout, stdin);
    if (screen && !tigetstr("cup")) { /* the cursor cannot be moved, as with TERM=dumb */
        endwin();
        delscreen(screen);
        screen = NULL;
    }
    return screen;
}

static enum status refuse_terminal(struct error *err)
{
    const char *name = getenv("TERM");

    if (!name || !*name)
        return error_set(err, STATUS_UNAVAILABLE,
                         "TERM is not set: try TERM=xterm-256color, or --headless");
    return error_set(err, STATUS_UNAVAILABLE,
                     "TERM=%s is unknown to terminfo, or names a terminal that cannot move its "
                     "cursor: try TERM=xterm, or --headless",
                     name);
}

enum status term_open(struct loop *loop, const struct term_listener *listener, struct term **term,
                      struct error *err)
{
    struct term *opened = mem_alloc_zeroed(1, sizeof(*opened));

    opened->loop = loop;
    opened->listener = *listener;
    opened->saved_stderr = -1;
    if (tcgetattr(STDIN_FILENO, &opened->modes) != 0) {
        free(opened);
        return error_set(
            err, STATUS_UNAVAILABLE,
            "standard input is not a terminal: start kforge in a terminal, or use --headless");
    }
    opened->has_mouse = true;
    opened->screen = new_screen();
    if (!opened->screen) {
        free(opened);
        return refuse_terminal(err);
    }
    set_up_curses(opened);
    signals_watch(&opened->signals, loop, handle_signal, opened);
    enter(opened);
    loop_watch(loop, STDIN_FILENO, LOOP_READ, read_input, opened);
    *term = opened;
    return STATUS_OK;
}

void term_close(struct term *term)
{
    if (!term)
        return;
    loop_unwatch(term->loop, STDIN_FILENO);
    if (!is_away(term))
        leave(term);
    signals_unwatch(&term->signals);
    delscreen(term->screen);
    term_painter_release(&term->painter);
    strbuf_release(&term->paste);
    free(term);
}

enum status term_run(struct term *term, const char *const *argv, struct error *err)
{
    enum status st;

    leave(term);
    st = process_start_here(&term->child, argv, err);
    if (st) {
        enter(term);
        adopt_size(term);
        return st;
    }
    loop_unwatch(term->loop, STDIN_FILENO);
    return STATUS_OK;
}

void term_show(struct term *term, const struct canvas *canvas, const struct theme *theme)
{
    if (is_away(term))
        return;
    if (!term_painter_show(&term->painter, canvas, theme))
        return;
    curs_set(canvas->cursor.is_shown); /* an error on a terminal that cannot hide the cursor */
    expect(move(canvas->cursor.y, canvas->cursor.x), "move");
    expect(wnoutrefresh(stdscr), "wnoutrefresh");
    write_terminal(term->marks.begin);
    expect(doupdate(), "doupdate");
    write_terminal(term->marks.end);
}

bool term_turn_mouse(struct term *term)
{
    term->has_mouse = !term->has_mouse;
    write_terminal(term->has_mouse ? mouse_on : mouse_off);
    return term->has_mouse;
}

void term_redraw(struct term *term)
{
    term_painter_redraw(&term->painter);
}
