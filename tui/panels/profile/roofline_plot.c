#include "tui/panels/profile/roofline_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/model/roofline/bound.h"
#include "tui/widgets/plot.h"

/* The most ancestors to show. */
enum { MAX_ANCESTORS = 8 };

/* The columns of the longest legend, without the number of the attempt. */
enum { LEGEND_COLUMNS = 40 };

static const double us_per_s = 1e6;

/* The attempt in view and its timed ancestors, the nearest first. They stand in one column. */
struct attempts {
    const struct attempt *items[1 + MAX_ANCESTORS];
    size_t count;
    double intensity;       /* operations per byte */
    double lowest, highest; /* operations per second */
};

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
static struct plot_axis rate_axis(const struct view_model *view_model,
                                  const struct attempts *attempts)
{
    double roof = roofs_of(view_model)->flops_per_us * us_per_s;

    return (struct plot_axis){.range = {.low = attempts->lowest / 2,
                                        .high = fmax(roof, attempts->highest) * 2,
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

/* True if a name in this cell would cover a mark of the attempts, or the line between them. */
static bool is_on_attempts(const struct plot *plot, const struct attempts *attempts, int len,
                           const int cell[2])
{
    int top[2], bottom[2];

    return plot_cell(plot, (const double[]){attempts->intensity, attempts->highest}, top) &&
           plot_cell(plot, (const double[]){attempts->intensity, attempts->lowest}, bottom) &&
           cell[0] <= top[0] && top[0] < cell[0] + len && top[1] <= cell[1] && cell[1] <= bottom[1];
}

/*
 * Write a name at (x, y). It moves behind the column of the attempts if it would cover that, and to
 * the left if it would not end within the plot. If it covers the attempts there, it moves before
 * their column, or without room below them.
 */
static void put_name(const struct plot *plot, const struct attempts *attempts, const double at[2],
                     int above, const char *name)
{
    const double column[] = {attempts->intensity, at[1]};
    int cell[2], covered[2] = {0}, w = plot->area.rect.w, len = (int)strlen(name);
    struct pen pen;

    if (!plot_cell(plot, at, cell) || cell[1] < above)
        return;
    if (plot_cell(plot, column, covered) && cell[0] <= covered[0] && covered[0] < cell[0] + len)
        cell[0] = covered[0] + 1;
    cell[0] = cell[0] + len > w ? w - len : cell[0];
    cell[1] -= above;
    if (is_on_attempts(plot, attempts, len, cell) && len <= covered[0])
        cell[0] = covered[0] - len;
    while (is_on_attempts(plot, attempts, len, cell))
        cell[1]++;
    pen = area_pen(plot->area, cell[0], cell[1]);
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
                             const struct attempts *attempts, int which)
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
    put_name(plot, attempts, at, -1, strbuf_cstr(&name));
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
static void name_arithmetic(const struct plot *plot, const struct view_model *view_model,
                            const struct attempts *attempts)
{
    const struct roofs *roofs = roofs_of(view_model);
    bool is_matrix = roofs->flops_per_us <= roofs->matrix_flops_per_us &&
                     roofs->flops_per_us >= roofs->matrix_flops_per_us;
    double flops_per_s = roofs->flops_per_us * us_per_s;
    char number[FORMAT_SIZE];
    struct strbuf name = {0};

    strbuf_addf(&name, "%s %s", is_matrix ? "16-bit products" : "f32",
                format_amount(number, flops_per_s, "flop/s"));
    put_name(plot, attempts, (const double[]){plot->x.high * 0.99, flops_per_s}, 1,
             strbuf_cstr(&name));
    strbuf_release(&name);
}

static void draw_roofs(const struct plot *plot, const struct view_model *view_model,
                       const struct attempts *attempts)
{
    for (int which = ROOFS_SHOWN; which-- > 0;)
        if (is_shown(plot, view_model, which))
            draw_memory_roof(plot, view_model, which);
    for (int which = ROOFS_SHOWN; which-- > 0;)
        if (is_shown(plot, view_model, which))
            name_memory_roof(plot, view_model, attempts, which);
    name_arithmetic(plot, view_model, attempts);
}

/* The operations per second of an attempt. */
static double rate_of(const struct view_model *view_model, const struct attempt *attempt)
{
    return view_model->shown.verdict.bound.flops / attempt->time.median_us * us_per_s;
}

static struct attempts find_attempts(const struct view_model *view_model)
{
    const struct attempt *attempt = session_attempt(view_model->session, view_model->shown.attempt);
    struct attempts found = {.intensity = intensity_of(view_model),
                             .lowest = rate_of(view_model, attempt),
                             .highest = rate_of(view_model, attempt)};

    for (; attempt && found.count < COUNT(found.items);
         attempt = session_attempt(view_model->session, attempt->parent)) {
        if (found.count && attempt->time.median_us <= 0)
            continue;
        found.items[found.count++] = attempt;
        found.lowest = fmin(found.lowest, rate_of(view_model, attempt));
        found.highest = fmax(found.highest, rate_of(view_model, attempt));
    }
    return found;
}

/* Connect each attempt with the ancestor that it was made from, and mark all. */
static void draw_attempts(const struct plot *plot, const struct view_model *view_model,
                          const struct attempts *attempts)
{
    double x = attempts->intensity;

    for (size_t i = 1; i < attempts->count; i++)
        plot_line(plot, ROLE_STRONG,
                  (const double[]){x, rate_of(view_model, attempts->items[i - 1])},
                  (const double[]){x, rate_of(view_model, attempts->items[i])});
    for (size_t i = attempts->count; i-- > 0;) {
        const double at[] = {x, rate_of(view_model, attempts->items[i])};

        plot_point(plot, i ? ROLE_STRONG : ROLE_GOOD, at,
                   "*0123456789"[i ? 1 + attempts->items[i]->number % 10 : 0]);
    }
}

static void draw_legend(const struct view_model *view_model, bool has_ancestors, struct area area)
{
    struct pen pen = area_pen(area, 0, 0);
    char attempt[FORMAT_SIZE];
    int digits = snprintf(attempt, sizeof(attempt), " #%u", view_model->shown.attempt);

    pen_puts(&pen, ROLE_STRONG, "flop/s");
    pen_puts(&pen, ROLE_DIM, area.rect.w < LEGEND_COLUMNS + digits ? "  " : "  roofs measured  ");
    pen_puts(&pen, ROLE_GOOD, "*");
    pen_puts(&pen, ROLE_TEXT, attempt);
    if (has_ancestors)
        pen_puts(&pen, ROLE_TEXT, "  1-9 ancestors");
}

void roofline_plot_draw(const struct view_model *view_model, struct area area)
{
    const struct attempts attempts = find_attempts(view_model);
    const struct plot plot =
        plot_open(area_part(area, (struct rect){0, 1, area.rect.w, area.rect.h - 1}),
                  intensity_axis(view_model), rate_axis(view_model, &attempts));

    draw_roofs(&plot, view_model, &attempts);
    draw_attempts(&plot, view_model, &attempts);
    draw_legend(view_model, attempts.count > 1, area);
}
