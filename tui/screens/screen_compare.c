#include "tui/screens/screen_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/base/mem.h"
#include "core/model/baseline_label.h"
#include "core/session/state/scale.h"
#include "tui/frame/status_bars.h"
#include "tui/panels/candidate_metrics.h"

/* Widths of the table; heights of the header, and of the message and key lines at the bottom. */
enum { NAME_W = 20, VALUE_W_MAX = 30, HEADER_H = 1, BELOW_H = 2 };

struct compare_screen {
    struct screen screen;
    struct compare_point points[2];
    struct view_model view_model; /* shows the second candidate against the first */
    struct panel *kernel;
};

struct compare_point compare_point_of(const struct view_model *view_model)
{
    const struct session *session = view_model->session;
    const struct attempt *best = session_attempt(session, session->now.best);
    struct compare_point point = {.step = view_model->step,
                                  .attempt = view_model->attempt,
                                  .best_us = best ? best->time.median_us : 0,
                                  .usd = session->used[RESOURCE_USD],
                                  .is_usd_unknown = session->unknown[RESOURCE_USD] > 0};

    snprintf(point.at, sizeof(point.at), "%s", session->at);
    return point;
}

/* Measurements of a candidate; 0: unknown. */

static double median_us(const struct verdict *verdict)
{
    return verdict->timing.time.median_us;
}

static double bound_percent(const struct verdict *verdict)
{
    return 100 * verdict->bound.fraction;
}

static double build_us(const struct verdict *verdict)
{
    return verdict->build.ms * 1e3;
}

static double worst_error(const struct verdict *verdict)
{
    double worst = 0;

    for (size_t i = 0; i < verdict->trials.count; i++)
        worst = fmax(worst, verdict->trials.items[i].worst_over_tolerance);
    return worst;
}

static double private_bytes(const struct verdict *verdict)
{
    return (double)candidate_metrics_most(verdict).private_bytes;
}

static double local_bytes(const struct verdict *verdict)
{
    return (double)candidate_metrics_most(verdict).local_bytes;
}

static double registers(const struct verdict *verdict)
{
    return (double)candidate_metrics_most(verdict).registers;
}

static const char *format_number(char text[FORMAT_SIZE], double value)
{
    snprintf(text, FORMAT_SIZE, "%.3g", value);
    return text;
}

static const char *format_percent(char text[FORMAT_SIZE], double value)
{
    snprintf(text, FORMAT_SIZE, "%.0f %%", value);
    return text;
}

static const struct metric {
    const char *name;
    double (*value)(const struct verdict *verdict); /* NULL: the speedup */
    const char *(*format)(char text[FORMAT_SIZE], double value);
    int better; /* 1: more is better, -1: less is, 0: neither */
} metrics[] = {
    {"time", median_us, format_time, -1},
    {"over", NULL, format_speedup, 1}, /* and the name of the strongest baseline */
    {"of the bound", bound_percent, format_percent, 1},
    {"error / tolerance", worst_error, format_number, -1},
    {"build", build_us, format_time, -1},
    {"registers", registers, format_number, -1},
    {"private memory", private_bytes, format_bytes, -1},
    {"local memory", local_bytes, format_bytes, 0},
};

enum { METRIC_COUNT = COUNT(metrics), FACT_COUNT = 5 };

/* Drawing. */

static void put_value(struct area area, int column, enum role role, const char *text)
{
    int third = (area.rect.w - NAME_W) / 3, w = third < VALUE_W_MAX ? third : VALUE_W_MAX;
    struct rect place = {NAME_W + column * w, 0, w - 1, 1};
    struct pen pen = area_pen(area_part(area, place), 0, 0);

    pen_puts(&pen, role, text);
}

/* The change from the first value to the second; red or green by the metric. */
static void put_change(struct area area, const struct metric *metric, const double values[2])
{
    double change = values[1] / values[0] - 1;
    enum role role = change * metric->better > 0   ? ROLE_GOOD
                     : change * metric->better < 0 ? ROLE_BAD
                                                   : ROLE_DIM;
    char text[FORMAT_SIZE];

    if (change < 1)
        snprintf(text, sizeof(text), "%+.1f %%", 100 * change);
    else
        snprintf(text, sizeof(text), "%.3gx", values[1] / values[0]);
    put_value(area, 2, role, text);
}

/* Draw a line; return false and draw nothing when neither candidate has the measurement. */
static bool draw_metric(const struct compare_screen *compare, const struct metric *metric,
                        struct area area)
{
    const struct subject *const subjects[] = {&compare->view_model.chosen,
                                              &compare->view_model.shown};
    const struct session *session = compare->view_model.session;
    struct pen pen = area_pen(area, 1, 0);
    double values[2] = {0};

    for (int i = 0; i < 2; i++)
        if (subjects[i]->has_verdict)
            values[i] =
                metric->value
                    ? metric->value(&subjects[i]->verdict)
                    : scale_speedup(session, session_attempt(session, subjects[i]->attempt));
    if (values[0] <= 0 && values[1] <= 0)
        return false;
    pen_puts(&pen, ROLE_DIM, metric->name);
    if (!metric->value)
        pen_putf(&pen, ROLE_DIM, " %s", baseline_label_short(scale_strongest(session)));
    for (int i = 0; i < 2; i++) {
        char text[FORMAT_SIZE];

        put_value(area, i, ROLE_TEXT, values[i] > 0 ? metric->format(text, values[i]) : "-");
    }
    if (values[0] > 0 && values[1] > 0)
        put_change(area, metric, values);
    return true;
}

static struct area line_of(struct area area, int y)
{
    return area_part(area, (struct rect){0, y, area.rect.w, 1});
}

/* The state of the session at both points. */
static void draw_facts(const struct compare_screen *compare, struct area area)
{
    static const char *const names[FACT_COUNT] = {"", "time", "best so far", "spent so far",
                                                  "candidate"};

    for (int y = 0; y < FACT_COUNT; y++) {
        struct pen pen = area_pen(area, 1, y);

        pen_puts(&pen, ROLE_DIM, names[y]);
    }
    for (int i = 0; i < 2; i++) {
        const struct compare_point *point = &compare->points[i];
        const struct attempt *attempt =
            session_attempt(compare->view_model.session, point->attempt);
        char text[FORMAT_SIZE];

        snprintf(text, sizeof(text), "step %u", point->step);
        put_value(area, i, ROLE_STRONG, text);
        snprintf(text, sizeof(text), "%.5s %.8s", point->at + CLOCK_DAY_AT,
                 point->at + CLOCK_TIME_AT);
        put_value(line_of(area, 1), i, ROLE_TEXT, text);
        put_value(line_of(area, 2), i, ROLE_TEXT, format_time(text, point->best_us));
        snprintf(text, sizeof(text), "$%.3g", point->usd);
        put_value(line_of(area, 3), i, ROLE_TEXT, point->is_usd_unknown ? "unknown" : text);
        put_value(line_of(area, 4), i, ROLE_TEXT,
                  !attempt                ? "none yet"
                  : attempt->is_evaluated ? outcome_name(attempt->outcome)
                                          : attempt->title);
    }
}

/* Draw the table; return its height in lines. */
static int draw_table(const struct compare_screen *compare, struct area area)
{
    int y = FACT_COUNT;

    draw_facts(compare, area);
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (draw_metric(compare, &metrics[i], line_of(area, y)))
            y++;
    return y;
}

static void draw_kernel(const struct compare_screen *compare, struct area area)
{
    struct panel *kernel = compare->kernel;
    struct strbuf title = {0};
    struct area inside;

    strbuf_adds(&title, "Kernel");
    kernel->ops->title(kernel, &compare->view_model, &title);
    inside = area_box(area, strbuf_cstr(&title), ROLE_BORDER_FOCUSED);
    kernel->ops->draw(kernel, &compare->view_model, inside);
    area_mark(inside, &compare->screen.host->chrome->search, ROLE_MATCH);
    strbuf_release(&title);
}

static struct rect compare_draw(struct screen *screen, struct canvas *canvas)
{
    struct compare_screen *compare = (struct compare_screen *)screen;
    int w = canvas->w, h = canvas->h - BELOW_H;
    struct area body = canvas_area(canvas, (struct rect){0, HEADER_H, w, h - HEADER_H});
    int table_h = draw_table(compare, body);

    status_bars_draw_header(&compare->view_model,
                            canvas_area(canvas, (struct rect){0, 0, w, HEADER_H}));
    draw_kernel(compare, area_part(body, (struct rect){0, table_h, w, body.rect.h - table_h}));
    status_bars_draw_keys("s side by side  { } context  ] [ changes  / search  ? help  q back",
                          canvas_area(canvas, (struct rect){0, h + 1, w, 1}));
    return (struct rect){0, h, w, 1};
}

/* The screen has the commands of the Kernel pane. */
static bool compare_command(struct screen *screen, const struct call *call)
{
    struct compare_screen *compare = (struct compare_screen *)screen;
    struct panel_answer answer = {0};

    return compare->kernel->ops->command(compare->kernel, &compare->view_model, call, &answer);
}

static unsigned compare_contexts(const struct screen *screen)
{
    (void)screen;
    return CONTEXT_KERNEL;
}

static struct panel_body compare_body(struct screen *screen)
{
    struct compare_screen *compare = (struct compare_screen *)screen;

    return compare->kernel->ops->body(compare->kernel, &compare->view_model);
}

static void compare_mouse(struct screen *screen, const struct canvas *canvas, struct mouse mouse)
{
    struct panel_body body = compare_body(screen);

    (void)canvas;
    if (mouse.action != MOUSE_PRESSED)
        screen_scroll(&body, mouse);
}

static void compare_close(struct screen *screen)
{
    struct compare_screen *compare = (struct compare_screen *)screen;

    panel_free(compare->kernel);
    view_model_release(&compare->view_model);
    free(compare);
}

static const struct screen_ops compare_ops = {
    .close = compare_close,
    .draw = compare_draw,
    .contexts = compare_contexts,
    .body = compare_body,
    .command = compare_command,
    .mouse = compare_mouse,
};

/* Show the difference from the first candidate, as ":base N" does. */
static void choose_base(struct compare_screen *compare)
{
    const struct call call = {.row = keymap_row_of(COMMAND_BASE), .argument = "0"};
    struct panel_answer answer = {0};

    compare->kernel->ops->command(compare->kernel, &compare->view_model, &call, &answer);
    view_model_compare_with(&compare->view_model, compare->points[0].attempt);
}

void screen_compare_open(struct screen_host *host, const struct compare_point points[2],
                         const struct session *whole, const struct view_model_source *source)
{
    struct compare_screen *compare = mem_alloc_zeroed(1, sizeof(*compare));

    *compare = (struct compare_screen){.screen = {&compare_ops, host},
                                       .points = {points[0], points[1]},
                                       .view_model = {.session = whole, .source = *source},
                                       .kernel = panel_new(&panel_kernel)};
    view_model_look_at_attempt(&compare->view_model, points[1].attempt);
    choose_base(compare);
    host->ops->push(host, &compare->screen);
}
