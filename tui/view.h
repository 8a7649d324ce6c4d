#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "tui/page.h"
#include "tui/palette.h"
#include "tui/panel.h"
#include "tui/prompt_line.h"

/*
 * The whole screen: the panes with what is around them, over a scene.  A view
 * knows neither terminal nor driver; commands that reach beyond it are the
 * caller's (tui/app.c).
 */

enum { VIEW_MESSAGE_SIZE = 512, VIEW_LABEL_SIZE = 64 };

struct view {
    struct layout_focus focus;
    struct panel *panels[PANE_COUNT];
    struct keymap keymap;

    bool is_armed; /* decisions are taken now */
    bool is_helping;
    struct page help;
    struct palette palette;

    struct pattern search; /* marked in the pane that has the focus */

    char message[VIEW_MESSAGE_SIZE]; /* stays until the next key */
    enum role message_role;

    struct prompt_line *prompt; /* NULL: closed */
    char label[VIEW_LABEL_SIZE];
};

void view_open(struct view *view);
void view_release(struct view *view);

/* Draw everything on a canvas that has its size and is blank. */
void view_draw(struct view *view, const struct scene *scene, struct canvas *canvas);

/* Draw what lies over every screen: the message or the prompt on its line, the help, the palette.
 */
void view_draw_over(struct view *view, struct canvas *canvas, struct rect message);

/* The contexts in which keys mean something now. */
unsigned view_contexts(const struct view *view, const struct scene *scene);

/* Carry out what concerns the screen alone; return whether it did. */
bool view_command(struct view *view, struct scene *scene, const struct call *call);

/* A press focuses a pane or selects a row, the wheel scrolls; the places are those of `canvas`. */
void view_mouse(struct view *view, struct scene *scene, const struct canvas *canvas,
                struct mouse mouse);

/* Go to the next place (1), the one before (-1), or the first from here on (0) with the pattern. */
void view_search(struct view *view, struct scene *scene, int direction);

/* The same in any list or text; return whether it is there, and else say so. */
bool view_find(struct view *view, const struct panel_body *body, int direction);

/* What the pane that has the focus holds. */
struct panel_body view_body(const struct view *view, const struct scene *scene);

/* Append what is copied from the pane that has the focus. */
void view_copy(const struct view *view, const struct scene *scene, struct strbuf *out);

void view_say(struct view *view, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Open the prompt; what is typed is in view->prompt. */
void view_ask(struct view *view, const struct prompt_line_options *options, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void view_close_prompt(struct view *view);

#endif
