#include "tui/screens/chrome.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void chrome_open(struct chrome *chrome)
{
    *chrome = (struct chrome){0};
    keymap_fill(&chrome->keymap);
}

void chrome_release(struct chrome *chrome)
{
    overlay_release(&chrome->overlay);
    message_release(&chrome->messages);
    strbuf_release(&chrome->judge);
    palette_close(&chrome->palette);
    prompt_line_free(chrome->prompt);
    keymap_release(&chrome->keymap);
}

void chrome_say(struct chrome *chrome, enum role role, const char *fmt, ...)
{
    struct strbuf text = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    message_add(&chrome->messages, role, strbuf_take(&text));
}

void chrome_say_error(struct chrome *chrome, const struct error *err)
{
    chrome_say(chrome, ROLE_BAD, "%s", err->text);
}

void chrome_say_notice(struct chrome *chrome, const char *notice)
{
    if (*notice && strcmp(notice, chrome->notice) != 0)
        chrome_say(chrome, ROLE_WARNING, "%s", notice);
    snprintf(chrome->notice, sizeof(chrome->notice), "%s", notice);
}

void chrome_ask(struct chrome *chrome, const struct prompt_line_options *options, const char *fmt,
                ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(chrome->label, sizeof(chrome->label), fmt, args);
    va_end(args);
    prompt_line_free(chrome->prompt);
    chrome->prompt = prompt_line_new(options);
}

void chrome_close_prompt(struct chrome *chrome)
{
    prompt_line_free(chrome->prompt);
    chrome->prompt = NULL;
}

/* Draw the completions of the prompt on the line above it. */
static void draw_words(const struct chrome *chrome, struct rect line, struct canvas *canvas)
{
    const char *words = chrome->prompt ? prompt_line_words(chrome->prompt) : "";
    struct area area = canvas_area(canvas, (struct rect){0, line.y - 1, line.w, 1});
    struct pen pen = area_pen(area, 1, 0);

    if (*words)
        area_clear(area, ROLE_TEXT);
    for (; *words; words += strcspn(words, "\n") + 1) {
        pen_put(&pen, ROLE_KEY, words, strcspn(words, "\n"));
        pen_puts(&pen, ROLE_TEXT, "  ");
    }
}

void chrome_draw(struct chrome *chrome, struct canvas *canvas, struct rect message)
{
    const struct overlay_facts facts = {.keymap = &chrome->keymap,
                                        .contexts = chrome->contexts,
                                        .messages = &chrome->messages,
                                        .judge = strbuf_cstr(&chrome->judge)};
    struct area line = canvas_area(canvas, message);
    bool is_said = message_is_unread(&chrome->messages);

    if (chrome->prompt || is_said)
        area_clear(line, ROLE_TEXT);
    if (chrome->prompt)
        prompt_line_draw(chrome->prompt, chrome->label, line);
    else if (is_said)
        message_draw(&chrome->messages, line);
    draw_words(chrome, message, canvas);
    if (chrome->overlay.kind)
        overlay_draw(&chrome->overlay, &facts, &chrome->search, canvas);
    if (chrome->palette.line)
        palette_draw(&chrome->palette, &chrome->keymap, canvas);
}

bool chrome_find(struct chrome *chrome, const struct panel_body *body, int direction)
{
    bool is_found = panel_body_find(body, &chrome->search, direction);

    if (!is_found && chrome->search.len)
        chrome_say(chrome, ROLE_WARNING, "not found in this pane: %s", chrome->search.text);
    return is_found;
}
