/* What reaches the terminal: read at the other end of a pseudo-terminal. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "tui/term/term.h"
#include "tui/term/theme.h"

enum { WIDTH = 80, HEIGHT = 24 };

static void ignore_key(void *data, struct key key)
{
    (void)data, (void)key;
}

static void ignore_resize(void *data)
{
    (void)data;
}

/* The program's end of a new terminal becomes standard input and output; return the other end. */
static int take_terminal(void)
{
    struct winsize size = {.ws_row = HEIGHT, .ws_col = WIDTH};
    int other = posix_openpt(O_RDWR | O_NOCTTY), own;

    assert_true(other >= 0 && grantpt(other) == 0 && unlockpt(other) == 0);
    own = open(ptsname(other), O_RDWR | O_NOCTTY);
    assert_true(own >= 0 && ioctl(own, TIOCSWINSZ, &size) == 0);
    assert_int_equal(dup2(own, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(dup2(own, STDOUT_FILENO), STDOUT_FILENO);
    close(own);
    return other;
}

/* Show the canvas; return how many bytes were written. */
static size_t show(struct term *term, const struct canvas *canvas, int terminal)
{
    const struct theme theme = theme_builtin();
    char bytes[1 << 14];
    ssize_t got;
    size_t count = 0;

    term_show(term, canvas, &theme);
    while ((got = read(terminal, bytes, sizeof(bytes))) > 0)
        count += (size_t)got;
    return count;
}

static void a_frame_without_a_change_writes_nothing(void **state)
{
    const struct term_listener listener = {.key = ignore_key, .resized = ignore_resize};
    int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO), terminal = take_terminal();
    size_t first, same, changed, moved, again, redrawn;
    struct loop *loop = loop_new();
    struct term *term = NULL;
    struct canvas canvas = {0};
    struct area area;

    (void)state;
    setenv("TERM", "xterm-256color", 1);
    assert_int_equal(fcntl(terminal, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(term_open(loop, &listener, &term, &(struct error){0}), STATUS_OK);
    canvas_reset(&canvas, WIDTH, HEIGHT);
    area = canvas_area(&canvas, (struct rect){0, 0, WIDTH, HEIGHT});
    first = show(term, &canvas, terminal);
    same = show(term, &canvas, terminal);
    pen_puts(&(struct pen){.area = area}, ROLE_TEXT, "text");
    changed = show(term, &canvas, terminal);
    area_set_cursor(area, 3, 3);
    moved = show(term, &canvas, terminal);
    again = show(term, &canvas, terminal);
    term_redraw(term);
    redrawn = show(term, &canvas, terminal);
    term_close(term);
    loop_free(loop);
    canvas_release(&canvas);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    close(in);
    close(out);
    close(terminal);
    assert_true(first && changed && moved && redrawn);
    assert_int_equal(same, 0);
    assert_int_equal(again, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_without_a_change_writes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
