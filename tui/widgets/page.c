#include "tui/widgets/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"

enum { LEAST_TEXT_W = 16 }; /* of a text beside its name */

void page_clear(struct page *page)
{
    page->text.len = 0;
    page->lines.count = 0;
    page->columns = 0;
}

void page_begin(struct page *page, unsigned about)
{
    if (page->about != about) {
        page->view.top = 0;
        page->view.has_cursor = false;
    }
    page->about = about;
    page_clear(page);
}

static void add_line(struct page *page, enum role role, const char *text, size_t len)
{
    struct page_line line = {.start = page->text.len, .len = len, .role = role};

    strbuf_add(&page->text, text, len);
    vec_push(&page->lines, line);
}

PRINTF_LIKE(3, 0)
static void add_formatted(struct page *page, enum role role, const char *fmt, va_list args)
{
    char *text = NULL;
    int len = vasprintf(&text, fmt, args);

    if (len < 0)
        abort();
    add_line(page, role, text, (size_t)len);
    free(text);
}

void page_add(struct page *page, enum role role, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_formatted(page, role, fmt, args);
    va_end(args);
}

void page_add_place(struct page *page, enum role role, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_formatted(page, role, fmt, args);
    va_end(args);
    page->lines.items[page->lines.count - 1].is_place = true;
}

void page_add_heading(struct page *page, const char *text)
{
    if (page->lines.count > 0)
        add_line(page, ROLE_TEXT, "", 0);
    add_line(page, ROLE_HUNK, text, strlen(text));
    page->lines.items[page->lines.count - 1].is_heading = true;
}

void page_append_bar(struct page *page, int columns)
{
    struct page_line *last = &page->lines.items[page->lines.count - 1];

    strbuf_adds(&page->text, " ");
    last->len = page->text.len - last->start;
    last->bar = columns;
}

void page_add_wrapped(struct page *page, enum role role, const char *text, int columns)
{
    struct widget_text wrapped = {0};

    widget_text_add_wrapped(&wrapped, text, strlen(text), columns);
    for (size_t i = 0; i < wrapped.lines.count; i++)
        add_line(page, role, wrapped.lines.items[i].text, wrapped.lines.items[i].len);
    widget_text_release(&wrapped);
}

/* A name and its text as one paragraph, where a column of its own would be too narrow for the text.
 */
static void add_paragraph(struct page *page, enum role role, const char *name, const char *text,
                          int columns)
{
    struct strbuf line = {0};

    strbuf_addf(&line, "%s %s", name, text);
    page_add_wrapped(page, role, strbuf_cstr(&line), columns);
    strbuf_release(&line);
}

void page_add_named(struct page *page, enum role role, const char *name, const char *text,
                    struct page_room room)
{
    struct widget_text wrapped = {0};
    int name_w = canvas_text_columns(name, strlen(name));
    int start = name_w < room.indent ? room.indent : name_w + 1;

    if (room.columns - start < LEAST_TEXT_W) {
        add_paragraph(page, role, name, text, room.columns);
        return;
    }
    widget_text_add_wrapped(&wrapped, text, strlen(text), room.columns - start);
    for (size_t i = 0; i < wrapped.lines.count; i++) {
        const struct text_line *line = &wrapped.lines.items[i];

        page_add(page, role, "%s%*s%.*s", i ? "" : name, i ? start : start - name_w, "",
                 (int)line->len, line->text);
    }
    widget_text_release(&wrapped);
}

static bool is_grown(const struct page *page, const struct strbuf *text, int columns)
{
    size_t before = page->text.len;

    return page->columns == columns && before <= text->len &&
           (before == 0 || memcmp(page->text.data, text->data, before) == 0);
}

void page_grow(struct page *page, const struct strbuf *text, int columns)
{
    struct widget_text wrapped = {0};
    size_t from = 0;

    if (!is_grown(page, text, columns))
        page_clear(page);
    page->columns = columns;
    if (page->lines.count) /* new text can change only the last of the broken lines */
        from = page->lines.items[--page->lines.count].start;
    if (text->len > page->text.len)
        strbuf_add(&page->text, text->data + page->text.len, text->len - page->text.len);
    if (page->text.len > from)
        widget_text_add_wrapped(&wrapped, page->text.data + from, page->text.len - from, columns);
    for (size_t i = 0; i < wrapped.lines.count; i++) {
        const struct text_line *line = &wrapped.lines.items[i];
        struct page_line added = {.start = (size_t)(line->text - page->text.data),
                                  .len = line->len};

        vec_push(&page->lines, added);
    }
    widget_text_release(&wrapped);
}

void page_draw(struct page *page, struct area area)
{
    widget_text_clear(&page->view);
    for (size_t i = 0; i < page->lines.count; i++) {
        const struct page_line *line = &page->lines.items[i];
        struct text_line shown = {.text = page->text.data + line->start,
                                  .len = line->len,
                                  .role = line->role,
                                  .bar = line->bar,
                                  .is_place = line->is_place,
                                  .is_heading = line->is_heading};

        vec_push(&page->view.lines, shown);
    }
    widget_text_draw(&page->view, area);
}

void page_release(struct page *page)
{
    strbuf_release(&page->text);
    vec_release(&page->lines);
    widget_text_release(&page->view);
}
