/*
 * A minimal program with a screen, for tests/e2e/screen.sh. It shows the size of the screen and the
 * last key, and can end in many ways.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>

#include "tui/keys/keymap.h"
#include "tui/term/term.h"
#include "tui/widgets/layout.h"

struct demo {
    struct loop *loop;
    struct term *term;
    struct theme theme;
    struct canvas canvas;
    struct strbuf last; /* key, paste or event */
};

static void show(struct demo *demo)
{
    struct rect size = term_size(demo->term);
    struct layout_focus focus = {.pane = PANE_KERNEL};
    struct layout layout = layout_of(size.w, size.h, &focus);
    struct area inside;
    struct pen pen;

    canvas_reset(&demo->canvas, size.w, size.h);
    inside = layout_open_pane(&layout, &demo->canvas, PANE_KERNEL, ROLE_BORDER_FOCUSED, "Demo");
    pen = area_pen(inside, 0, 0);
    pen_putf(&pen, ROLE_GOOD, "size %dx%d", size.w, size.h);
    pen = area_pen(inside, 0, 1);
    pen_putf(&pen, ROLE_KEYWORD, "last %s", strbuf_cstr(&demo->last));
    term_show(demo->term, &demo->canvas, &demo->theme);
}

static void say(struct demo *demo, const char *text)
{
    strbuf_release(&demo->last);
    strbuf_adds(&demo->last, text);
    show(demo);
}

static void run_editor(struct demo *demo)
{
    static const char *const argv[] = {"sh", "-c", "echo in the child; read answer; exit 3", NULL};
    struct error err = {0};

    if (term_run(demo->term, argv, &err))
        say(demo, err.text);
}

static void handle_key(void *data, struct key key)
{
    struct demo *demo = data;

    strbuf_release(&demo->last);
    key_format(key, &demo->last);
    show(demo);
    if (key.code == 'q')
        loop_stop(demo->loop);
    else if (key.code == 'x' && !key.modifiers)
        raise(SIGSEGV);
    else if (key.code == 'e')
        run_editor(demo);
    else if (key.code == 'z' && key.modifiers == KEY_MOD_CTRL)
        term_suspend(demo->term);
    else if (key.code == 'o')
        fputs("noise of a driver\n", stderr);
}

static void handle_paste(void *data, const char *text, size_t len)
{
    struct demo *demo = data;

    strbuf_release(&demo->last);
    strbuf_addf(&demo->last, "paste of %zu: ", len);
    strbuf_add(&demo->last, text, len);
    show(demo);
}

static void handle_mouse(void *data, struct mouse mouse)
{
    static const char *const actions[] = {[MOUSE_NOTHING] = "nothing",
                                          [MOUSE_PRESSED] = "press",
                                          [MOUSE_WHEEL_UP] = "wheel up",
                                          [MOUSE_WHEEL_DOWN] = "wheel down"};
    struct strbuf text = {0};

    strbuf_addf(&text, "%s at %d,%d", actions[mouse.action], mouse.x, mouse.y);
    say(data, strbuf_cstr(&text));
    strbuf_release(&text);
}

static void handle_resize(void *data)
{
    show(data);
}

static void handle_return(void *data, int wait_status)
{
    struct demo *demo = data;
    char text[64];

    snprintf(text, sizeof(text), "child ended with %d", wait_status >> 8);
    say(demo, text);
}

static void handle_end(void *data, const char *why)
{
    struct demo *demo = data;

    (void)why;
    loop_stop(demo->loop);
}

int main(void)
{
    struct demo demo = {.loop = loop_new(), .theme = theme_builtin()};
    const struct term_listener listener = {.key = handle_key,
                                           .paste = handle_paste,
                                           .mouse = handle_mouse,
                                           .resized = handle_resize,
                                           .returned = handle_return,
                                           .ended = handle_end,
                                           .data = &demo};
    struct error err = {0};

    setlocale(LC_ALL, "");
    if (theme_load("dark", &demo.theme, &err))
        fprintf(stderr, "screen_demo: %s\n", err.text);
    if (term_open(demo.loop, &listener, &demo.term, &err)) {
        fprintf(stderr, "screen_demo: %s\n", err.text);
        return 1;
    }
    demo.canvas.is_ascii = term_is_ascii();
    show(&demo);
    loop_run(demo.loop);
    term_close(demo.term);
    canvas_release(&demo.canvas);
    strbuf_release(&demo.last);
    loop_free(demo.loop);
    return 0;
}
