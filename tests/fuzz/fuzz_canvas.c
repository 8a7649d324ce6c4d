#include <locale.h>
#include <stdlib.h>
#include <wchar.h>

#include "core/base/utf8.h"
#include "tui/code/lexer.h"
#include "tui/term/screenshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WIDTH = 24, HEIGHT = 8, MARGIN = 2 }; /* small, so that many executions fit in a second */

/* No cell may hold a character that a terminal would act on. */
static void check_cells(const struct canvas *canvas)
{
    for (int y = 0; y < canvas->h; y++)
        for (int x = 0; x < canvas->w; x++) {
            const struct cell *cell = canvas_cell(canvas, x, y);

            if (cell->code && utf8_is_hazardous(cell->code))
                abort();
            for (int i = 0; i < GLYPH_MARKS && cell->marks[i]; i++)
                if (utf8_is_hazardous(cell->marks[i]) || wcwidth((wchar_t)cell->marks[i]) != 0)
                    abort();
        }
}

/* Drawing in the middle must leave the margin unchanged. */
static void check_margin(const struct canvas *canvas)
{
    for (int x = 0; x < canvas->w; x++)
        if (canvas_cell(canvas, x, 0)->code != '.' ||
            canvas_cell(canvas, x, canvas->h - 1)->code != '.')
            abort();
    for (int y = 0; y < canvas->h; y++)
        if (canvas_cell(canvas, 0, y)->code != '.' ||
            canvas_cell(canvas, canvas->w - 1, y)->code != '.')
            abort();
}

static void fill(struct canvas *canvas)
{
    struct rect all = {0, 0, WIDTH, HEIGHT};

    canvas_reset(canvas, WIDTH, HEIGHT);
    for (int y = 0; y < HEIGHT; y++) {
        struct pen pen = area_pen(canvas_area(canvas, all), 0, y);

        for (int x = 0; x < WIDTH; x++)
            pen_puts(&pen, ROLE_TEXT, ".");
    }
}

/* Draw the text as a plain line, and as code in each language; the first bytes give its place. */
static void draw(struct area area, const char *text, size_t len, int left)
{
    struct pen pen = area_pen(area, left, 0);

    pen_put(&pen, ROLE_STRONG, text, len);
    for (int i = 0; lexer_languages[i].name; i++) {
        struct lexer line = {&lexer_languages[i], 0, text, len, 0};

        pen = area_pen(area, left, 1 + i % (HEIGHT - 2 * MARGIN));
        line.state = lexer_next_line(line.language, 0, text, len / 2);
        lexer_put_line(&pen, &line);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct rect middle = {MARGIN, MARGIN, WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN};
    const struct theme theme = theme_builtin();
    struct canvas canvas = {0};
    struct strbuf out = {0};
    struct area area;

    if (size < 1)
        return 0;
    setlocale(LC_CTYPE, "C.UTF-8");
    fill(&canvas);
    area = canvas_area(&canvas, middle);
    draw(area, (const char *)data + 1, size - 1, -(data[0] % WIDTH));
    if (canvas_text_columns((const char *)data + 1, size - 1) < 0)
        abort();
    check_cells(&canvas);
    check_margin(&canvas);
    screenshot_text(&canvas, &out);
    screenshot_svg(&canvas, &theme, &out);
    if (!utf8_is_text(strbuf_cstr(&out), out.len))
        abort();
    strbuf_release(&out);
    canvas_release(&canvas);
    return 0;
}
