#include "tui/help.h"

enum { HELP_W = 76, HELP_H = 60 };

static void add_row(struct page *page, const struct keymap *keymap, const struct keymap_row *row)
{
    struct strbuf keys = {0};

    keymap_add_keys(keymap, row, &keys);
    page_add(page, ROLE_TEXT, "  %-14s :%-14s %s", strbuf_cstr(&keys), row->name, row->help);
    strbuf_release(&keys);
}

static void add_context(struct page *page, const struct keymap *keymap,
                        const struct keymap_context *context)
{
    page_add(page, ROLE_STRONG, "%s", context->title);
    for (const struct keymap_row *row = keymap_table; row->name; row++)
        if (row->context == context->context)
            add_row(page, keymap, row);
    page_add(page, ROLE_TEXT, "%s", "");
}

void help_draw(struct page *page, const struct keymap *keymap, struct canvas *canvas)
{
    int w = canvas->w < HELP_W ? canvas->w : HELP_W, h = canvas->h < HELP_H ? canvas->h : HELP_H;
    struct rect middle = {(canvas->w - w) / 2, (canvas->h - h) / 2, w, h};
    struct area area = canvas_area(canvas, middle);

    page_clear(page);
    for (const struct keymap_context *context = keymap_contexts; context->name; context++)
        add_context(page, keymap, context);
    page_add(page, ROLE_STRONG, "marks of the steps");
    page_add(page, ROLE_TEXT, "  ?? waits, ok accepted, ed edited, no vetoed, xx failed;");
    page_add(page, ROLE_TEXT, "  in capitals: decided by you, not by policy");
    area_clear(area, ROLE_TEXT);
    page_draw(page, area_box(area, "Keys: ? goes back", ROLE_BORDER_FOCUSED));
}
