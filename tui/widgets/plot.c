#include "tui/widgets/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "core/base/utf8.h"

enum { LABEL_COLUMNS = 7, DOTS_ACROSS = 2, DOTS_DOWN = 4, BRAILLE = 0x2800 };

/* The position of a value along an axis: 0 at `low`, 1 at `high`. */
static double share(const struct plot_axis *axis, double value)
{
    return log(value / axis->low) / log(axis->high / axis->low);
}

/* Format the label of a power of ten: "100 G", "0.01". */
static void format_decade(char *text, size_t size, double value, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    size_t prefix = 0;

    for (; value >= 999.5 && prefix + 1 < COUNT(prefixes); prefix++)
        value /= 1000;
    snprintf(text, size, "%.3g%s%s%s", value, *unit || prefix ? " " : "", prefixes[prefix], unit);
}

/* The exponents of the first and the last power of ten on an axis. */
static int first_decade(const struct plot_axis *axis)
{
    return (int)ceil(log10(axis->low) - 1e-9);
}

static int last_decade(const struct plot_axis *axis)
{
    return (int)floor(log10(axis->high) + 1e-9);
}

static void label_left(const struct plot *plot, struct area area)
{
    for (int decade = first_decade(&plot->y); decade <= last_decade(&plot->y); decade++) {
        double at = pow(10, decade);
        int y = (int)lround((1 - share(&plot->y, at)) * (plot->area.rect.h - 1));
        char text[LABEL_COLUMNS + 8];
        struct pen pen;

        format_decade(text, sizeof(text), at, plot->y.unit);
        pen = area_pen(area, LABEL_COLUMNS - 1 - (int)strlen(text), y);
        pen_puts(&pen, ROLE_DIM, text);
    }
}

static void label_below(const struct plot *plot, struct area area)
{
    int free_from = 0;

    for (int decade = first_decade(&plot->x); decade <= last_decade(&plot->x); decade++) {
        double at = pow(10, decade);
        int x = (int)lround(share(&plot->x, at) * (plot->area.rect.w - 1));
        char text[LABEL_COLUMNS + 8];
        struct pen pen = area_pen(area, LABEL_COLUMNS + x, area.rect.h - 1);

        format_decade(text, sizeof(text), at, "");
        if (x >= free_from)
            pen_puts(&pen, ROLE_DIM, text);
        free_from = x >= free_from ? x + (int)strlen(text) + 1 : free_from;
    }
}

struct plot plot_open(struct area area, struct plot_axis x, struct plot_axis y)
{
    struct rect inside = {LABEL_COLUMNS, 0, area.rect.w - LABEL_COLUMNS, area.rect.h - 1};
    struct plot plot = {.area = area_part(area, inside), .x = x, .y = y};
    struct pen unit = area_pen(area, area.rect.w - (int)strlen(x.unit), area.rect.h - 1);

    label_left(&plot, area);
    label_below(&plot, area);
    pen_puts(&unit, ROLE_DIM, x.unit);
    return plot;
}

static void put_code(const struct plot *plot, int x, int y, enum role role, uint32_t code)
{
    struct pen pen = area_pen(plot->area, x, y);
    struct strbuf text = {0};

    utf8_encode(&text, code);
    pen_put(&pen, role, text.data, text.len);
    strbuf_release(&text);
}

/* Add a dot to the Braille character of its cell (Unicode 15, Braille Patterns). */
static void put_dot(const struct plot *plot, int x, int y, enum role role)
{
    static const uint8_t bits[DOTS_DOWN][DOTS_ACROSS] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const struct rect *r = &plot->area.rect;
    int col = x / DOTS_ACROSS, row = y / DOTS_DOWN;
    uint32_t old;

    if (x < 0 || y < 0 || col >= r->w || row >= r->h)
        return;
    old = canvas_cell(plot->area.canvas, r->x + col, r->y + row)->code;
    if (plot->area.canvas->is_ascii)
        put_code(plot, col, row, role, '.');
    else
        put_code(plot, col, row, role,
                 (old >= BRAILLE && old <= BRAILLE + 0xFF ? old : BRAILLE) |
                     bits[y % DOTS_DOWN][x % DOTS_ACROSS]);
}

void plot_line(const struct plot *plot, enum role role, const double from[2], const double to[2])
{
    double w = plot->area.rect.w * DOTS_ACROSS - 1, h = plot->area.rect.h * DOTS_DOWN - 1;
    double x = share(&plot->x, from[0]) * w, y = (1 - share(&plot->y, from[1])) * h;
    double dx = share(&plot->x, to[0]) * w - x, dy = (1 - share(&plot->y, to[1])) * h - y;
    int steps = (int)ceil(fmax(fabs(dx), fabs(dy)));

    for (int i = 0; i <= steps; i++) {
        double along = steps ? (double)i / steps : 0;

        put_dot(plot, (int)lround(x + along * dx), (int)lround(y + along * dy), role);
    }
}

void plot_point(const struct plot *plot, enum role role, const double at[2], char mark)
{
    int x = (int)lround(share(&plot->x, at[0]) * (plot->area.rect.w - 1));
    int y = (int)lround((1 - share(&plot->y, at[1])) * (plot->area.rect.h - 1));

    put_code(plot, x, y, role, (uint32_t)mark);
}
