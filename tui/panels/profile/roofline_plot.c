#include "tui/panels/profile/roofline_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/format.h"
#include "tui/widgets/plot.h"

/* The most ancestors to show. */
enum { MAX_ANCESTORS = 8 };

/* The columns of the longest legend, without the number of the attempt. */
enum { LEGEND_COLUMNS = 40 };

static const double us_per_s = 1e6;

bool roofline_plot_is_known(const struct view_model *view_model)
{
    const struct bound *bound = &view_model->shown.verdict.bound;

    return bound->roofs.flops_per_us > 0 && bound->roofs.memory_count > 0 && bound->flops > 0 &&
           bound->bytes > 0 && view_model->shown.verdict.timing.is_present;
}

static const struct roofs *roofs_of(const struct view_model *view_model)
{
    return &view_model->shown.verdict.bound.roofs;
}

/* Operations per byte of the problem itself, without repeated accesses to memory. */
static double intensity_of(const struct view_model *view_model)
{
    return view_model->shown.verdict.bound.flops / view_model->shown.verdict.bound.bytes;
}

/* The bandwidth of main memory, which is the level of the largest size, in bytes per us. */
static double slowest(const struct roofs *roofs)
{
    return roofs->memory[roofs->memory_count - 1].bytes_per_us;
}

/* Whole decades that contain the candidate and the point at which the roofs meet. */
static struct plot_axis intensity_axis(const struct view_model *view_model)
{
    const struct roofs *roofs = roofs_of(view_model);
    double at = intensity_of(view_model), ridge = roofs->flops_per_us / slowest(roofs);

    return (struct plot_axis){.range = {.low = pow(10, floor(log10(fmin(at, ridge)) - 0.3)),
                                        .high = pow(10, ceil(log10(fmax(at, ridge)) + 0.3)),
                                        .is_log = true},
                              .unit = "flop/byte"};
}

/* Up to the roof, or to a candidate above it that needs fewer operations than the graph. */
static struct plot_axis rate_axis(const struct view_model *view_model, double fastest_us,
                                  double slowest_us)
{
    const struct bound *bound = &view_model->shown.verdict.bound;
    double highest = fmax(bound->roofs.flops_per_us, bound->flops / fastest_us);

    return (struct plot_axis){.range = {.low = bound->flops / slowest_us * us_per_s / 2,
                                        .high = highest * us_per_s * 2,
                                        .is_log = true},
                              .unit = ""};
}

/* Draw the roof of a memory level, which rises until arithmetic is the limit. */
static void draw_roof(const struct plot *plot, const struct roofs *roofs, size_t level)
{
    double bytes_per_s = roofs->memory[level].bytes_per_us * us_per_s;
    double flops_per_s = roofs->flops_per_us * us_per_s, ridge = flops_per_s / bytes_per_s;
    double start = fmax(plot->x.low, plot->y.low / bytes_per_s);
    bool is_main = level + 1 == roofs->memory_count;

    plot_line(plot, is_main ? ROLE_HEAT_MIDDLE : ROLE_DIM,
              (const double[]){start, start * bytes_per_s}, (const double[]){ridge, flops_per_s});
    if (is_main)
        plot_line(plot, ROLE_HEAT_MIDDLE, (const double[]){ridge, flops_per_s},
                  (const double[]){plot->x.high, flops_per_s});
}

/* Write a name at (x, y), or as far left of it as it needs to end within the plot. */
static void put_name(const struct plot *plot, const double at[2], int above, const char *name)
{
    int cell[2], w = plot->area.rect.w, len = (int)strlen(name);
    struct pen pen;

    if (!plot_cell(plot, at, cell) || cell[1] < above)
        return;
    pen = area_pen(plot->area, cell[0] + len > w ? w - len : cell[0], cell[1] - above);
    pen_puts(&pen, ROLE_DIM, name);
}

/* Name the roof of arithmetic and that of main memory with their numbers. */
static void name_roofs(const struct plot *plot, const struct roofs *roofs)
{
    double flops_per_s = roofs->flops_per_us * us_per_s, bytes_per_s = slowest(roofs) * us_per_s;
    double middle = sqrt(fmax(plot->x.low, plot->y.low / bytes_per_s) * flops_per_s / bytes_per_s);
    char number[FORMAT_SIZE];
    struct strbuf name = {0};

    strbuf_addf(&name, "f32 %s", format_amount(number, flops_per_s, "flop/s"));
    put_name(plot, (const double[]){plot->x.high * 0.99, flops_per_s}, 1, strbuf_cstr(&name));
    name.len = 0;
    strbuf_addf(&name, " memory %s", format_amount(number, bytes_per_s, "B/s"));
    put_name(plot, (const double[]){middle, middle * bytes_per_s}, -1, strbuf_cstr(&name));
    strbuf_release(&name);
}

static void draw_attempt(const struct plot *plot, const struct view_model *view_model,
                         const struct attempt *attempt, char mark)
{
    double flops = view_model->shown.verdict.bound.flops;
    double rate = flops / attempt->time.median_us * us_per_s;

    plot_point(plot, mark == '*' ? ROLE_GOOD : ROLE_STRONG,
               (const double[]){intensity_of(view_model), rate}, mark);
}

/* Find the timed ancestors of the attempt in view, the nearest first. */
static size_t find_ancestors(const struct view_model *view_model,
                             const struct attempt *found[MAX_ANCESTORS])
{
    const struct attempt *attempt = session_attempt(view_model->session, view_model->shown.attempt);
    size_t count = 0;

    while (attempt && count < MAX_ANCESTORS) {
        attempt = session_attempt(view_model->session, attempt->parent);
        if (attempt && attempt->time.median_us > 0)
            found[count++] = attempt;
    }
    return count;
}

static void draw_legend(const struct view_model *view_model, size_t ancestors, struct area area)
{
    struct pen pen = area_pen(area, 0, 0);
    char attempt[FORMAT_SIZE];
    int digits = snprintf(attempt, sizeof(attempt), " #%u", view_model->shown.attempt);

    pen_puts(&pen, ROLE_STRONG, "flop/s");
    pen_puts(&pen, ROLE_DIM, area.rect.w < LEGEND_COLUMNS + digits ? "  " : "  roofs measured  ");
    pen_puts(&pen, ROLE_GOOD, "*");
    pen_puts(&pen, ROLE_TEXT, attempt);
    if (ancestors)
        pen_puts(&pen, ROLE_TEXT, "  1-9 ancestors");
}

void roofline_plot_draw(const struct view_model *view_model, struct area area)
{
    const struct attempt *shown = session_attempt(view_model->session, view_model->shown.attempt);
    const struct attempt *ancestors[MAX_ANCESTORS];
    size_t count = find_ancestors(view_model, ancestors);
    double fastest_us = shown->time.median_us, slowest_us = fastest_us;
    struct plot plot;

    for (size_t i = 0; i < count; i++) {
        fastest_us = fmin(fastest_us, ancestors[i]->time.median_us);
        slowest_us = fmax(slowest_us, ancestors[i]->time.median_us);
    }
    plot = plot_open(area_part(area, (struct rect){0, 1, area.rect.w, area.rect.h - 1}),
                     intensity_axis(view_model), rate_axis(view_model, fastest_us, slowest_us));
    for (size_t level = 0; level < roofs_of(view_model)->memory_count; level++)
        draw_roof(&plot, roofs_of(view_model), level);
    name_roofs(&plot, roofs_of(view_model));
    while (count-- > 0)
        draw_attempt(&plot, view_model, ancestors[count],
                     (char)('0' + ancestors[count]->number % 10));
    draw_attempt(&plot, view_model, shown, '*');
    draw_legend(view_model, find_ancestors(view_model, ancestors), area);
}
