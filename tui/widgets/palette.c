#include "tui/widgets/palette.h"

#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/vec.h"

enum { PALETTE_W = 70, PALETTE_H = 16 };

static bool holds_word(const struct keymap_row *row, const char *word, size_t len)
{
    struct pattern pattern;
    char text[PATTERN_SIZE];

    snprintf(text, sizeof(text), "%.*s", (int)len, word);
    pattern_set(&pattern, text);
    return pattern_is_in(&pattern, row->name, strlen(row->name)) ||
           pattern_is_in(&pattern, row->help, strlen(row->help));
}

static bool fits(const struct keymap_row *row, const char *words)
{
    while (*words) {
        size_t len = strcspn(words, " ");

        if (len && !holds_word(row, words, len))
            return false;
        words += len;
        words += strspn(words, " ");
    }
    return true;
}

static void choose_rows(struct palette *palette)
{
    palette->rows.count = 0;
    for (const struct keymap_row *row = keymap_table; row->name; row++)
        if ((row->context & palette->contexts) && fits(row, prompt_line_text(palette->line)))
            vec_push(&palette->rows, row);
}

void palette_open(struct palette *palette, unsigned contexts)
{
    palette->contexts = contexts;
    palette->line = prompt_line_new(&(struct prompt_line_options){0});
    palette->list.selected = 0;
    choose_rows(palette);
}

void palette_close(struct palette *palette)
{
    prompt_line_free(palette->line);
    widget_list_release(&palette->list);
    vec_release(&palette->rows);
    *palette = (struct palette){0};
}

enum palette_state palette_key(struct palette *palette, struct key key)
{
    static const struct {
        enum input input;
        enum screen_command command;
    } moves[] = {
        {INPUT_UP, COMMAND_UP},
        {INPUT_DOWN, COMMAND_DOWN},
        {INPUT_PAGE_UP, COMMAND_HALF_UP},
        {INPUT_PAGE_DOWN, COMMAND_HALF_DOWN},
    };
    enum prompt_line_state state;

    for (size_t i = 0; i < COUNT(moves); i++) {
        if (moves[i].input != key.input)
            continue;
        widget_list_move(&palette->list, moves[i].command, palette->rows.count);
        return PALETTE_CHOOSING;
    }
    state = prompt_line_key(palette->line, key);
    if (state == PROMPT_LINE_ENTERED)
        return PALETTE_CHOSEN;
    palette->list.selected = 0;
    choose_rows(palette);
    return state == PROMPT_LINE_LEFT ? PALETTE_LEFT : PALETTE_CHOOSING;
}

const struct keymap_row *palette_choice(const struct palette *palette)
{
    size_t selected = palette->list.selected;

    return selected < palette->rows.count ? palette->rows.items[selected] : NULL;
}

struct shown_rows {
    const struct palette *palette;
    const struct keymap *keymap;
};

enum { KEYS_WIDTH = 13 };

static void put_row(const void *data, size_t index, struct pen *pen)
{
    const struct shown_rows *shown = data;
    const struct keymap_row *row = shown->palette->rows.items[index];
    struct strbuf keys = {0};

    keymap_add_keys(shown->keymap, row, &keys);
    area_link(pen->area, (struct rect){0, pen->y, pen->area.rect.w, 1}, keymap_index(row));
    pen_putf(pen, ROLE_STRONG, " %-14s ", row->name);
    pen_puts(pen, ROLE_KEY, strbuf_cstr(&keys));
    /* themes without colours underline the keys, but not the space behind them */
    pen_putf(pen, ROLE_TEXT, "%*s %s", keys.len < KEYS_WIDTH ? (int)(KEYS_WIDTH - keys.len) : 0, "",
             row->help);
    strbuf_release(&keys);
}

void palette_draw(struct palette *palette, const struct keymap *keymap, struct canvas *canvas)
{
    const struct shown_rows shown = {palette, keymap};
    const struct widget_rows rows = {.count = palette->rows.count, .put = put_row, .data = &shown};
    int w = canvas->w < PALETTE_W ? canvas->w : PALETTE_W;
    int h = canvas->h < PALETTE_H ? canvas->h : PALETTE_H;
    struct area area =
        canvas_area(canvas, (struct rect){(canvas->w - w) / 2, (canvas->h - h) / 3, w, h});
    struct area inside;

    area_clear(area, ROLE_TEXT);
    inside = area_box(area, "Commands: type to search, Enter runs", ROLE_BORDER_FOCUSED);
    prompt_line_draw(palette->line, "> ", area_part(inside, (struct rect){0, 0, w, 1}));
    inside = area_part(inside, (struct rect){0, 1, w, h});
    if (rows.count == 0) {
        struct pen pen = area_pen(inside, 1, 0);

        pen_puts(&pen, ROLE_DIM, "No command matches: Escape closes.");
    }
    widget_list_draw(&palette->list, &rows, inside);
}
