#include "tui/widgets/plot.h"

#include <math.h>
#include <string.h>

#include "core/base/strbuf.h"
#include "core/base/utf8.h"

enum { DOTS_ACROSS = 2, DOTS_DOWN = 4, BRAILLE = 0x2800 };

/*
 * At most one label on the left for every TICK_LINES lines, and one below for every TICK_COLUMNS.
 */
enum { TICK_LINES = 2, TICK_COLUMNS = 8 };

/* Distances between the outermost dots. */
static int dots_across(const struct plot *plot)
{
    return plot->area.rect.w * DOTS_ACROSS - 1;
}

static int dots_down(const struct plot *plot)
{
    return plot->area.rect.h * DOTS_DOWN - 1;
}

/* Rounds down: above the upper edge the line is below 0. */
int plot_line_at(const struct plot *plot, double share)
{
    return (int)floor(round((1 - share) * dots_down(plot)) / DOTS_DOWN);
}

double plot_line_height(const struct plot *plot)
{
    return (double)DOTS_DOWN / (dots_down(plot) > 0 ? dots_down(plot) : 1);
}

bool plot_cell(const struct plot *plot, const double at[2], int cell[2])
{
    const struct rect *r = &plot->area.rect;

    cell[0] = (int)floor(round(axis_share(&plot->x, at[0]) * dots_across(plot)) / DOTS_ACROSS);
    cell[1] = plot_line_at(plot, axis_share(&plot->y, at[1]));
    return cell[0] >= 0 && cell[0] < r->w && cell[1] >= 0 && cell[1] < r->h;
}

static void label_left(const struct plot *plot, struct area area, const char *unit)
{
    struct axis_ticks ticks = axis_ticks(&plot->y, (size_t)plot->area.rect.h / TICK_LINES + 1);

    for (size_t i = 0; i < ticks.count; i++) {
        char text[AXIS_LABEL_SIZE];
        struct pen pen;
        int cell[2];

        if (!plot_cell(plot, (double[]){plot->x.low, ticks.items[i]}, cell))
            continue;
        axis_label(text, ticks.items[i], unit);
        pen = area_pen(area, PLOT_LABEL_COLUMNS - 1 - (int)strlen(text), cell[1]);
        pen_puts(&pen, ROLE_DIM, text);
    }
}

/* Draw the unit: below the labels to the left if it is short, else at the end of the axis. */
static int put_unit(struct area area, const char *unit)
{
    int columns = (int)strlen(unit);
    bool is_short = columns <= PLOT_LABEL_COLUMNS;
    struct pen pen = area_pen(area, is_short ? 0 : area.rect.w - columns, area.rect.h - 1);

    pen_puts(&pen, ROLE_DIM, unit);
    return is_short ? area.rect.w + 1 : area.rect.w - columns;
}

/* Draw the labels below. A label that would overlap the one before it or the unit is left out. */
static void label_below(const struct plot *plot, struct area area, const char *unit)
{
    struct axis_ticks ticks = axis_ticks(&plot->x, (size_t)plot->area.rect.w / TICK_COLUMNS + 1);
    int end = put_unit(area, unit), free_from = 0;

    for (size_t i = 0; i < ticks.count; i++) {
        char text[AXIS_LABEL_SIZE];
        struct pen pen;
        int cell[2], x;

        axis_label(text, ticks.items[i], "");
        if (!plot_cell(plot, (double[]){ticks.items[i], plot->y.low}, cell))
            continue;
        x = PLOT_LABEL_COLUMNS + cell[0];
        if (x < free_from || x + (int)strlen(text) >= end)
            continue;
        pen = area_pen(area, x, area.rect.h - 1);
        pen_puts(&pen, ROLE_DIM, text);
        free_from = x + (int)strlen(text) + 1;
    }
}

struct rect plot_inside(struct rect area)
{
    return (struct rect){area.x + PLOT_LABEL_COLUMNS, area.y, area.w - PLOT_LABEL_COLUMNS,
                         area.h - 1};
}

struct plot plot_open(struct area area, struct plot_axis x, struct plot_axis y)
{
    struct rect inside = {PLOT_LABEL_COLUMNS, 0, area.rect.w - PLOT_LABEL_COLUMNS, area.rect.h - 1};
    struct plot plot = {.area = area_part(area, inside), .x = x.range, .y = y.range};

    label_left(&plot, area, y.unit);
    label_below(&plot, area, x.unit);
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
    double w = dots_across(plot), h = dots_down(plot);
    double x = axis_share(&plot->x, from[0]) * w, y = (1 - axis_share(&plot->y, from[1])) * h;
    double dx = axis_share(&plot->x, to[0]) * w - x, dy = (1 - axis_share(&plot->y, to[1])) * h - y;
    int steps = (int)ceil(fmax(fabs(dx), fabs(dy)));

    for (int i = 0; i <= steps; i++) {
        double along = steps ? (double)i / steps : 0;

        put_dot(plot, (int)lround(x + along * dx), (int)lround(y + along * dy), role);
    }
}

void plot_point(const struct plot *plot, enum role role, const double at[2], char mark)
{
    int cell[2];

    if (plot_cell(plot, at, cell))
        put_code(plot, cell[0], cell[1], role, (uint32_t)mark);
}
