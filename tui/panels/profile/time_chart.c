#include "tui/panels/profile/time_chart.h"

#include <math.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/steadiness.h"
#include "core/model/baseline_label.h"

/*
 * The columns of the chart. Time and speedup take BAR_START columns. If there is room, the interval
 * of the speedup follows, in LEAST_INTERVAL columns or as many as the longest interval needs, and
 * then a bar. If there is no room for a bar, the interval begins at NARROW_START.
 */
enum {
    NARROW_START = 23,
    BAR_START = 26,
    INTERVAL_COLUMNS = 36,
    LEAST_INTERVAL = 13,
    LEAST_BAR = 4
};

/* One line of the chart. */
struct bar {
    const char *name;
    double us;
    const struct comparison *other; /* NULL: show no speedup */
    enum role role;
};

/* A chart of times, with bars in proportion to the longest. */
struct chart {
    struct page *page;
    int columns;
    double longest_us;
    int interval; /* columns of the longest interval */
};

static double longest(const struct verdict *verdict)
{
    double us = verdict->timing.time.median_us;

    for (size_t i = 0; i < verdict->against.count; i++)
        us = fmax(us, verdict->against.items[i].time.median_us);
    return us;
}

static int longest_interval(const struct verdict *verdict)
{
    int longest = LEAST_INTERVAL;

    for (size_t i = 0; i < verdict->against.count; i++) {
        const struct comparison *other = &verdict->against.items[i];
        char text[FORMAT_SIZE];
        int len = (int)strlen(format_interval(text, other->speedup_low, other->speedup_high));

        longest = len > longest ? len : longest;
    }
    return longest;
}

/* Shorten an interval that does not fit: remove its blank, or a digit of its numbers. */
static void fit(char interval[FORMAT_SIZE], const struct comparison *other, int columns)
{
    char *blank = strchr(interval, ' ');

    if (blank && NARROW_START + (int)strlen(interval) > columns)
        memmove(blank, blank + 1, strlen(blank));
    if (NARROW_START + (int)strlen(interval) > columns)
        format_short_interval(interval, other->speedup_low, other->speedup_high);
}

/* The length of a bar. The shortest time has a visible bar too. */
static int bar_columns(const struct chart *chart, const struct bar *bar, int room)
{
    int full = room > LEAST_BAR ? room : LEAST_BAR;

    return (int)fmax(1, round(full * bar->us / chart->longest_us));
}

/* "plain       412 us  5.74x [5.68, 5.80]", with a bar if there is room. */
static void add_bar(const struct chart *chart, const struct bar *bar)
{
    const struct comparison *other = bar->other;
    int behind_interval = BAR_START + chart->interval + 1;
    bool is_narrow = chart->columns < behind_interval + LEAST_BAR;
    bool has_interval = chart->columns >= INTERVAL_COLUMNS;
    int room = chart->columns - (has_interval ? behind_interval : BAR_START);
    const char *mark =
        other && steadiness_is_lost(other->speedup_low, other->speedup_high) ? UNSTEADY_MARK : " ";
    char time[FORMAT_SIZE], speedup[FORMAT_SIZE] = "", interval[FORMAT_SIZE] = "";

    if (other)
        format_speedup(speedup, other->speedup);
    if (other && has_interval)
        format_interval(interval, other->speedup_low, other->speedup_high);
    if (is_narrow && *interval)
        fit(interval, other, chart->columns);
    page_add(chart->page, bar->role, is_narrow ? "%-7.7s %7s %6s%s%-*s" : "%-9.9s %8s %6s%s%-*s",
             bar->name, format_time(time, bar->us), speedup, mark, is_narrow ? 0 : chart->interval,
             interval);
    if (!is_narrow || !has_interval)
        page_append_bar(chart->page, bar_columns(chart, bar, room));
}

/* True if the candidate is faster than everything that it was compared with. */
static bool is_fastest(const struct verdict *verdict)
{
    bool is_faster = verdict->against.count > 0;

    for (size_t i = 0; i < verdict->against.count; i++)
        is_faster &= verdict->against.items[i].speedup_low > 1;
    return is_faster;
}

static void add_awaited(struct page *page, const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->awaited.count; i++) {
        struct strbuf text = {0};

        awaited_describe(&verdict->awaited.items[i], &text);
        page_add(page, ROLE_DIM, "%-9.9s %s", verdict->awaited.items[i].name, strbuf_cstr(&text));
        strbuf_release(&text);
    }
}

void time_chart_add(struct page *page, const struct verdict *verdict, int columns)
{
    const struct chart chart = {page, columns, longest(verdict), longest_interval(verdict)};
    struct bar bar = {"this", verdict->timing.time.median_us, NULL,
                      is_fastest(verdict) ? ROLE_GOOD : ROLE_STRONG};

    page_add(page, ROLE_TEXT, "%s", "");
    add_bar(&chart, &bar);
    for (size_t i = 0; i < verdict->against.count; i++) {
        const struct comparison *other = &verdict->against.items[i];

        bar = (struct bar){baseline_label_short(other->name), other->time.median_us, other,
                           other->speedup_high < 1 ? ROLE_WARNING : ROLE_TEXT};
        add_bar(&chart, &bar);
    }
    add_awaited(page, verdict);
    bar = (struct bar){"bound", verdict->bound.us, NULL, ROLE_DIM};
    if (verdict->bound.is_present)
        add_bar(&chart, &bar);
}
