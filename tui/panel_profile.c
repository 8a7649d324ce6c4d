#include "tui/panel.h"

#include <string.h>

#include "core/base/format.h"
#include "core/base/mem.h"
#include "tui/page.h"
#include "tui/roofline.h"

/* Pane 6: how fast it is, beside the baselines and the bound. */

struct profile {
    struct panel panel;
    struct page page;
};

/* Columns of a line before its bar: name, time, speedup. */
enum { BAR_START = 26 };

/* From these sizes on there is room for the roofline, beside the text or below it. */
enum { BESIDE_COLUMNS = 76, TEXT_COLUMNS = 40, BELOW_LINES = 15, TEXT_LINES = 12 };

static struct panel *profile_open(void)
{
    struct profile *profile = mem_alloc_zeroed(1, sizeof(*profile));

    profile->panel.ops = &panel_profile;
    return &profile->panel;
}

static void profile_close(struct panel *panel)
{
    struct profile *profile = (struct profile *)panel;

    page_release(&profile->page);
    free(profile);
}

/* One line of the chart. */
struct bar {
    const char *name;
    double us;
    double speedup; /* 0: none is shown */
    enum role role;
};

static double longest(const struct verdict *verdict)
{
    double us = verdict->timing.time.median_us;

    for (size_t i = 0; i < verdict->against.count; i++)
        if (verdict->against.items[i].time.median_us > us)
            us = verdict->against.items[i].time.median_us;
    return us;
}

static void add_bar(struct page *page, const struct bar *bar, double us_per_column)
{
    char time[FORMAT_SIZE], speedup[FORMAT_SIZE] = "";
    struct strbuf marks = {0};

    for (int i = 0; i < (int)(bar->us / us_per_column + 0.5); i++)
        strbuf_adds(&marks, "=");
    if (bar->speedup > 0)
        format_speedup(speedup, bar->speedup);
    page_add(page, bar->role, "%-9.9s %8s %6s %s", bar->name, format_time(time, bar->us), speedup,
             strbuf_cstr(&marks));
    strbuf_release(&marks);
}

/* The candidate, what it was measured against, and the bound; bars in proportion to the time. */
static void add_chart(struct page *page, const struct verdict *verdict, int columns)
{
    double us_per_column = longest(verdict) / (columns > BAR_START + 4 ? columns - BAR_START : 4);
    struct bar bar = {"this", verdict->timing.time.median_us, 0, ROLE_STRONG};

    add_bar(page, &bar, us_per_column);
    for (size_t i = 0; i < verdict->against.count; i++) {
        const struct comparison *other = &verdict->against.items[i];

        bar = (struct bar){other->name, other->time.median_us, other->speedup,
                           other->speedup_low > 1 ? ROLE_GOOD : ROLE_TEXT};
        add_bar(page, &bar, us_per_column);
    }
    bar = (struct bar){"bound", verdict->bound.us, 0, ROLE_DIM};
    if (verdict->bound.is_present)
        add_bar(page, &bar, us_per_column);
}

static void add_timing(struct page *page, const struct timing *timing)
{
    char median[FORMAT_SIZE], low[FORMAT_SIZE], high[FORMAT_SIZE];

    page_add(page, ROLE_STRONG, "%s [%s, %s] n=%u", format_time(median, timing->time.median_us),
             format_time(low, timing->time.low_us), format_time(high, timing->time.high_us),
             timing->runs);
    page_add(page, ROLE_DIM, "p10 %s, p90 %s", format_time(low, timing->p10_us),
             format_time(high, timing->p90_us));
    if (timing->has_prepare)
        page_add(page, ROLE_DIM, "prepare %s, once per set of params",
                 format_time(median, timing->prepare_us));
}

static void add_comparisons(struct page *page, const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->against.count; i++) {
        const struct comparison *other = &verdict->against.items[i];

        page_add(page, ROLE_TEXT, "over %s %.2fx [%.2f, %.2f]", other->name, other->speedup,
                 other->speedup_low, other->speedup_high);
    }
}

static void add_bound(struct page *page, const struct bound *bound)
{
    if (!bound->is_present)
        return;
    page_add(page, ROLE_TEXT, "%.0f %% of the bound, which is %s", 100 * bound->fraction,
             limiter_name(bound->limiter));
    page_add(page, ROLE_DIM, "%.3g Mflop, %.3g MB", bound->flops / 1e6, bound->bytes / 1e6);
}

static void add_kernels(struct page *page, const struct timing *timing)
{
    char time[FORMAT_SIZE];

    for (size_t i = 0; timing->per_kernel.count > 1 && i < timing->per_kernel.count; i++)
        page_add(page, ROLE_TEXT, "  %s %s", timing->per_kernel.items[i].kernel,
                 format_time(time, timing->per_kernel.items[i].median_us));
}

static void add_profile(struct page *page, const struct scene *scene, int columns)
{
    const struct verdict *verdict = &scene->shown.verdict;
    const struct driver_live *live = scene->live;
    char time[FORMAT_SIZE];

    if (!verdict->timing.is_present && live && live->progress.median_us > 0)
        page_add(page, ROLE_DIM, "%s: %s so far", live->progress.stage,
                 format_time(time, live->progress.median_us));
    else if (!verdict->timing.is_present)
        page_add(page, ROLE_DIM, scene->shown.has_verdict ? "Not reached." : "Not timed yet.");
    if (!verdict->timing.is_present)
        return;
    add_timing(page, &verdict->timing);
    add_bound(page, &verdict->bound);
    page_add(page, ROLE_TEXT, "%s", "");
    add_chart(page, verdict, columns);
    page_add(page, ROLE_TEXT, "%s", "");
    add_comparisons(page, verdict);
    add_kernels(page, &verdict->timing);
    if (verdict->tuning.is_present)
        page_add(page, ROLE_DIM, "tuned: %s, %zu of %zu choices tried", verdict->tuning.chosen,
                 verdict->tuning.tried.count, verdict->tuning.choices);
    if (verdict->where.device)
        page_add(page, ROLE_DIM, "on %s, %s", verdict->where.device,
                 verdict->where.driver ? verdict->where.driver : "");
}

/* Cut the roofline's place off that of the text: beside it, else below it, else nowhere. */
static struct rect place_plot(const struct scene *scene, struct rect *text)
{
    struct rect plot = *text;

    if (!roofline_is_known(scene))
        return (struct rect){0};
    if (text->w >= BESIDE_COLUMNS) {
        text->w = TEXT_COLUMNS;
        plot.x = TEXT_COLUMNS + 1;
        plot.w -= plot.x;
    } else if (text->h >= BELOW_LINES) {
        text->h = text->h > 2 * TEXT_LINES ? text->h - TEXT_LINES : text->h / 2;
        plot.y = text->h;
        plot.h -= plot.y;
    } else {
        return (struct rect){0};
    }
    return plot;
}

static void profile_draw(struct panel *panel, const struct scene *scene, struct area area)
{
    struct profile *profile = (struct profile *)panel;

    struct rect text = {0, 0, area.rect.w, area.rect.h}, plot = place_plot(scene, &text);

    page_clear(&profile->page);
    add_profile(&profile->page, scene, text.w);
    page_draw(&profile->page, area_part(area, text));
    if (plot.w)
        roofline_draw(scene, area_part(area, plot));
}

static struct panel_body profile_body(struct panel *panel, const struct scene *scene)
{
    (void)scene;
    return (struct panel_body){.text = &((struct profile *)panel)->page.view};
}

const struct panel_ops panel_profile = {
    .open = profile_open,
    .close = profile_close,
    .draw = profile_draw,
    .body = profile_body,
};
