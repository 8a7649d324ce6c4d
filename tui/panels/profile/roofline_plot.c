#include "tui/panels/profile/roofline_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/format.h"
#include "core/model/bound.h"
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

/* The bandwidth of main memory (the memory roof with the largest size) in bytes per microsecond. */
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

/*
 * The axis of rates: up to the roof, or to a candidate above it, which needs fewer operations than
 * the graph.
 */
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

/*
 * The memory roofs that a plot shows: the one that bounds the problem and, for comparison, the
 * fastest one and the one of the largest size. If a larger size has a higher bandwidth, a size has
 * no roof.
 */
enum { ROOF_OF_PROBLEM, ROOF_FASTEST, ROOF_LARGEST, ROOFS_SHOWN };

/* places of the names along their roofs, as shares of the length */
static const double roof_places[ROOFS_SHOWN] = {0.5, 0.7, 0.3};

/* The roof for a problem that moves `bytes`: the largest size that has this bandwidth. */
static struct memory_roof roof_of(const struct roofs *roofs, double bytes)
{
    double bandwidth = roofs_bandwidth(roofs, bytes);
    size_t level = roofs->memory_count - 1;

    while (level > 0 && roofs->memory[level].bytes_per_us < bandwidth)
        level--;
    return roofs->memory[level];
}

static struct memory_roof roof_shown(const struct view_model *view_model, int which)
{
    const struct roofs *roofs = roofs_of(view_model);

    if (which == ROOF_LARGEST)
        return roofs->memory[roofs->memory_count - 1];
    return roof_of(roofs, which == ROOF_FASTEST ? 0 : view_model->shown.verdict.bound.bytes);
}

/*
 * The point of a memory roof at a share of the way from the plot's edge to the roof of arithmetic.
 */
static void point_of_roof(const struct plot *plot, const struct roofs *roofs, double bytes_per_s,
                          double share, double at[2])
{
    double start = fmax(plot->x.low, plot->y.low / bytes_per_s);
    double ridge = roofs->flops_per_us * us_per_s / bytes_per_s;

    at[0] = start * pow(ridge / start, share);
    at[1] = at[0] * bytes_per_s;
}

/*
 * Write a name at (x, y). It moves behind the column of the attempts if it would cover that, and to
 * the left if it would not end within the plot.
 */
static void put_name(const struct plot *plot, const struct view_model *view_model,
                     const double at[2], int above, const char *name)
{
    const double attempts[] = {intensity_of(view_model), at[1]};
    int cell[2], covered[2], w = plot->area.rect.w, len = (int)strlen(name);
    struct pen pen;

    if (!plot_cell(plot, at, cell) || cell[1] < above)
        return;
    if (plot_cell(plot, attempts, covered) && cell[0] <= covered[0] && covered[0] < cell[0] + len)
        cell[0] = covered[0] + 1;
    pen = area_pen(plot->area, cell[0] + len > w ? w - len : cell[0], cell[1] - above);
    pen_puts(&pen, ROLE_DIM, name);
}

/* A narrow plot shows only the roof of the problem, and its name without the size. */
static bool is_wide(const struct plot *plot)
{
    enum { WIDE_PLOT = 50 };

    return plot->area.rect.w >= WIDE_PLOT;
}

/* Draw the roof of a memory level, which rises until arithmetic is the limit. */
static void draw_memory_roof(const struct plot *plot, const struct view_model *view_model,
                             int which)
{
    const struct roofs *roofs = roofs_of(view_model);
    double bytes_per_s = roof_shown(view_model, which).bytes_per_us * us_per_s, from[2], to[2];

    point_of_roof(plot, roofs, bytes_per_s, 0, from);
    point_of_roof(plot, roofs, bytes_per_s, 1, to);
    plot_line(plot, which == ROOF_OF_PROBLEM ? ROLE_HEAT_MIDDLE : ROLE_DIM, from, to);
    if (which == ROOF_OF_PROBLEM)
        plot_line(plot, ROLE_HEAT_MIDDLE, to, (const double[]){plot->x.high, to[1]});
}

static void name_memory_roof(const struct plot *plot, const struct view_model *view_model,
                             int which)
{
    const struct memory_roof roof = roof_shown(view_model, which);
    char number[FORMAT_SIZE], bytes[FORMAT_SIZE];
    struct strbuf name = {0};
    double at[2];

    strbuf_addf(&name, " %s%s", which == ROOF_OF_PROBLEM ? "memory " : "",
                format_amount(number, roof.bytes_per_us * us_per_s, "B/s"));
    if (is_wide(plot))
        strbuf_addf(&name, " over %s", format_bytes(bytes, roof.bytes));
    point_of_roof(plot, roofs_of(view_model), roof.bytes_per_us * us_per_s, roof_places[which], at);
    put_name(plot, view_model, at, -1, strbuf_cstr(&name));
    strbuf_release(&name);
}

/* False for a roof that has no room, or that would be drawn at the same place as the problem's. */
static bool is_shown(const struct plot *plot, const struct view_model *view_model, int which)
{
    enum { LEAST_LINES = 2 };
    double least = LEAST_LINES * plot_line_height(plot) * log(plot->y.high / plot->y.low);
    double ratio = roof_shown(view_model, which).bytes_per_us /
                   roof_shown(view_model, ROOF_OF_PROBLEM).bytes_per_us;

    return which == ROOF_OF_PROBLEM || (is_wide(plot) && fabs(log(ratio)) >= least);
}

/*
 * Write the name of the roof of arithmetic. With a mixed tolerance it is the roof of the matrix
 * units (roofs_allowed()).
 */
static void name_arithmetic(const struct plot *plot, const struct view_model *view_model)
{
    const struct roofs *roofs = roofs_of(view_model);
    bool is_matrix = roofs->flops_per_us <= roofs->matrix_flops_per_us &&
                     roofs->flops_per_us >= roofs->matrix_flops_per_us;
    double flops_per_s = roofs->flops_per_us * us_per_s;
    char number[FORMAT_SIZE];
    struct strbuf name = {0};

    strbuf_addf(&name, "%s %s", is_matrix ? "16-bit products" : "f32",
                format_amount(number, flops_per_s, "flop/s"));
    put_name(plot, view_model, (const double[]){plot->x.high * 0.99, flops_per_s}, 1,
             strbuf_cstr(&name));
    strbuf_release(&name);
}

static void draw_roofs(const struct plot *plot, const struct view_model *view_model)
{
    for (int which = ROOFS_SHOWN; which-- > 0;)
        if (is_shown(plot, view_model, which))
            draw_memory_roof(plot, view_model, which);
    for (int which = ROOFS_SHOWN; which-- > 0;)
        if (is_shown(plot, view_model, which))
            name_memory_roof(plot, view_model, which);
    name_arithmetic(plot, view_model);
}

/* The operations per second of an attempt. */
static double rate_of(const struct view_model *view_model, const struct attempt *attempt)
{
    return view_model->shown.verdict.bound.flops / attempt->time.median_us * us_per_s;
}

static void draw_attempt(const struct plot *plot, const struct view_model *view_model,
                         const struct attempt *attempt, char mark)
{
    const double at[] = {intensity_of(view_model), rate_of(view_model, attempt)};

    plot_point(plot, mark == '*' ? ROLE_GOOD : ROLE_STRONG, at, mark);
}

/* Connect an attempt with the ancestor that it was made from. */
static void draw_connection(const struct plot *plot, const struct view_model *view_model,
                            const struct attempt *attempt, const struct attempt *ancestor)
{
    double x = intensity_of(view_model);

    plot_line(plot, ROLE_STRONG, (const double[]){x, rate_of(view_model, attempt)},
              (const double[]){x, rate_of(view_model, ancestor)});
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
    draw_roofs(&plot, view_model);
    for (size_t i = 0; i < count; i++)
        draw_connection(&plot, view_model, i ? ancestors[i - 1] : shown, ancestors[i]);
    while (count-- > 0)
        draw_attempt(&plot, view_model, ancestors[count],
                     (char)('0' + ancestors[count]->number % 10));
    draw_attempt(&plot, view_model, shown, '*');
    draw_legend(view_model, find_ancestors(view_model, ancestors), area);
}
