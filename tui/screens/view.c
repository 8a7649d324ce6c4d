#include "tui/screens/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void view_open(struct view *view)
{
    *view = (struct view){0};
    keymap_fill(&view->keymap);
}

void view_release(struct view *view)
{
    overlay_release(&view->overlay);
    message_release(&view->messages);
    strbuf_release(&view->judge);
    palette_close(&view->palette);
    prompt_line_free(view->prompt);
    keymap_release(&view->keymap);
}

void view_say(struct view *view, enum role role, const char *fmt, ...)
{
    struct strbuf text = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    message_add(&view->messages, role, strbuf_take(&text));
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
    const struct overlay_facts facts = {.keymap = &view->keymap,
                                        .contexts = view->contexts,
                                        .messages = &view->messages,
                                        .judge = strbuf_cstr(&view->judge)};
    struct area line = canvas_area(canvas, message);
    bool is_said = message_is_unread(&view->messages);

    if (view->prompt || is_said)
        area_clear(line, ROLE_TEXT);
    if (view->prompt)
        prompt_line_draw(view->prompt, view->label, line);
    else if (is_said)
        message_draw(&view->messages, line);
    draw_words(view, message, canvas);
    if (view->overlay.kind)
        overlay_draw(&view->overlay, &facts, &view->search, canvas);
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
