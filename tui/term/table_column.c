#include "tui/term/table_column.h"

#include <string.h>

#include "core/base/utf8.h"

static const char dots[] = "...";

/* A name in fewer columns would consist of little but the dots. */
enum { LEAST_CUT = 8 };

/* Write the beginning and the end of a name of `whole` columns. */
static void put_ends(struct pen *pen, enum role role, int whole, const char *name)
{
    int shown = pen->area.rect.w - (int)strlen(dots), tail = shown / 2;
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
    pen_put(pen, role, name, head_end);
    pen_puts(pen, ROLE_DIM, dots);
    pen_put(pen, role, name + tail_begin, len - tail_begin);
}

void pen_put_column(struct pen *pen, enum role role, int columns, const char *name)
{
    struct rect place = {pen->x, pen->y, columns, 1};
    struct pen inside = area_pen(area_part(pen->area, place), 0, 0);
    int whole = canvas_text_columns(name, strlen(name));

    if (whole <= inside.area.rect.w || inside.area.rect.w < LEAST_CUT)
        pen_puts(&inside, role, name);
    else
        put_ends(&inside, role, whole, name);
    pen->x += columns;
}
