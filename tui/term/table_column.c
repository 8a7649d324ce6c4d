#include "tui/term/table_column.h"

#include <string.h>

#include "core/base/utf8.h"

static const char dots[] = "...";

/* A name in fewer columns would consist of little but the dots. */
enum { LEAST_CUT = 8 };

/* Append the beginning and the end of a name of `whole` columns, in `columns` columns. */
static void add_ends(const char *name, int whole, int columns, struct strbuf *out)
{
    int shown = columns - (int)strlen(dots), tail = shown / 2;
    size_t len = strlen(name), head_end = 0, tail_begin = len, taken;
    struct glyph_state state = {0};
    int x = 0;

    for (size_t at = 0; at < len; at += taken) {
        uint32_t code;
        struct glyph glyph;

        taken = utf8_decode(name + at, len - at, &code);
        glyph = glyph_next(&state, code);
        if (glyph.form != GLYPH_MARK && whole - x <= tail && tail_begin == len)
            tail_begin = at;
        x += glyph.columns;
        if (x <= shown - tail)
            head_end = at + taken;
    }
    strbuf_add(out, name, head_end);
    strbuf_adds(out, dots);
    strbuf_adds(out, name + tail_begin);
}

void table_column_cut(const char *name, int columns, struct strbuf *out)
{
    int whole = canvas_text_columns(name, strlen(name));

    if (whole <= columns || columns < LEAST_CUT)
        strbuf_adds(out, name);
    else
        add_ends(name, whole, columns, out);
}

void pen_put_column(struct pen *pen, enum role role, int columns, const char *name)
{
    struct rect place = {pen->x, pen->y, columns, 1};
    struct pen inside = area_pen(area_part(pen->area, place), 0, 0);
    struct strbuf cut = {0};

    table_column_cut(name, inside.area.rect.w, &cut);
    pen_puts(&inside, role, strbuf_cstr(&cut));
    pen->x += columns;
    strbuf_release(&cut);
}
