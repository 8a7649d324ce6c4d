#include "tui/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tui/help.h"

void view_open(struct view *view)
{
    *view = (struct view){0};
    keymap_fill(&view->keymap);
}

void view_release(struct view *view)
{
    page_release(&view->help);
    palette_close(&view->palette);
    prompt_line_free(view->prompt);
    keymap_release(&view->keymap);
}

void view_say(struct view *view, enum role role, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(view->message, sizeof(view->message), fmt, args);
    va_end(args);
    view->message_role = role;
}

void view_ask(struct view *view, const struct prompt_line_options *options, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(view->label, sizeof(view->label), fmt, args);
    va_end(args);
    prompt_line_free(view->prompt);
    view->prompt = prompt_line_new(options);
}

void view_close_prompt(struct view *view)
{
    prompt_line_free(view->prompt);
    view->prompt = NULL;
}

/* The prompt where it is open, else the message. */
static void draw_message(const struct view *view, struct area area)
{
    struct pen pen = area_pen(area, 1, 0);

    if (view->prompt)
        prompt_line_draw(view->prompt, view->label, area);
    else
        pen_puts(&pen, view->message_role, view->message);
}

/* What the prompt could become, above it. */
static void draw_words(const struct view *view, struct rect line, struct canvas *canvas)
{
    const char *words = view->prompt ? prompt_line_words(view->prompt) : "";
    struct area area = canvas_area(canvas, (struct rect){0, line.y - 1, line.w, 1});
    struct pen pen = area_pen(area, 1, 0);

    if (*words)
        area_clear(area, ROLE_TEXT);
    for (; *words; words += strcspn(words, "\n") + 1) {
        pen_put(&pen, ROLE_KEY, words, strcspn(words, "\n"));
        pen_puts(&pen, ROLE_TEXT, "  ");
    }
}

void view_draw(struct view *view, struct canvas *canvas, struct rect message)
{
    if (view->prompt || view->message[0]) {
        area_clear(canvas_area(canvas, message), ROLE_TEXT);
        draw_message(view, canvas_area(canvas, message));
    }
    draw_words(view, message, canvas);
    if (view->is_helping)
        help_draw(&view->help, &view->keymap, canvas);
    if (view->palette.line)
        palette_draw(&view->palette, &view->keymap, canvas);
}

bool view_find(struct view *view, const struct panel_body *body, int direction)
{
    bool is_found = panel_body_find(body, &view->search, direction);

    if (!is_found && view->search.len)
        view_say(view, ROLE_WARNING, "not in this pane: %s", view->search.text);
    return is_found;
}

bool view_command(struct view *view, enum screen_command command)
{
    if (!view->is_helping)
        return false;
    if (command == COMMAND_HELP || command == COMMAND_QUIT)
        view->is_helping = false;
    else
        widget_text_scroll(&view->help.view, command);
    return command != COMMAND_SUSPEND && command != COMMAND_REDRAW &&
           command != COMMAND_INTERRUPT && command != COMMAND_SCREEN && command != COMMAND_THEME;
}
