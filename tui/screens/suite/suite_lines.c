#include "tui/screens/suite/suite_lines.h"

#include <string.h>

#include "core/base/format.h"

/* The bar's share of the line in percent, and its least width in columns. */
enum { BAR_SHARE = 35, LEAST_BAR = 10 };

void suite_lines_say_it_runs(struct chrome *chrome, const struct suite_process *process)
{
    struct strbuf text = {0};

    suite_process_describe(process, &text);
    chrome_say(chrome, ROLE_TEXT, "the suite runs already: %s", strbuf_cstr(&text));
    strbuf_release(&text);
}

/* Put whether the suite runs, or why it does not. */
static void put_runner(const struct suite_follow *follow, struct pen *pen)
{
    const struct suite_state *state = &follow->store.state;

    if (follow->trouble.code)
        pen_putf(pen, ROLE_BAD, " | %s", follow->trouble.text);
    else if (follow->process.pid)
        pen_putf(pen, ROLE_GOOD, " | runs%s%s", follow->process.is_elsewhere ? " on " : "",
                 follow->process.is_elsewhere ? follow->process.host : "");
    else if (state->count && state->in_phase[TASK_HAS_ENDED] == state->count)
        pen_puts(pen, ROLE_GOOD, " | ended");
    else
        pen_putf(pen, ROLE_WARNING, " | does not run%s%s", state->stopped ? ": " : "",
                 state->stopped ? state->stopped : "");
}

static void put_states(const struct suite_progress *progress, struct pen *pen)
{
    static const struct {
        const char *word;
        enum board_state state;
        enum role role;
    } words[] = {
        {"ask you", BOARD_ASKS, ROLE_WAITING}, {"failed", BOARD_FAILED, ROLE_BAD},
        {"run", BOARD_RUNS, ROLE_HEADER},      {"open", BOARD_OPEN, ROLE_WARNING},
        {"queued", BOARD_WAITS, ROLE_HEADER},
    };

    pen_putf(pen, ROLE_HEADER, " | %zu of %zu ended", progress->in_state[BOARD_ENDED],
             progress->tasks);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (progress->in_state[words[i].state])
            pen_putf(pen, words[i].role, ", %zu %s", progress->in_state[words[i].state],
                     words[i].word);
}

void suite_lines_draw_header(const struct suite_follow *follow,
                             const struct suite_progress *progress, struct area area)
{
    struct pen pen = area_pen(area, 1, 0);

    pen_putf(&pen, ROLE_STRONG, "suite %s", follow->store.suite.name);
    if (area.rect.w >= 100)
        pen_putf(&pen, ROLE_HEADER, " %s", follow->store.id);
    put_runner(follow, &pen);
    put_states(progress, &pen);
    if (follow->is_reading)
        pen_puts(&pen, ROLE_DIM, " | reading");
    area_paint(area, ROLE_HEADER);
}

/* Put the time left, such as "about 12 min left"; the estimate is no more precise than this. */
static void put_left(const struct suite_progress *progress, struct pen *pen)
{
    double minutes = progress->left_s / 60;

    if (!progress->has_left)
        pen_puts(pen, ROLE_DIM, "time left unknown");
    else if (minutes < 1)
        pen_puts(pen, ROLE_TEXT, "less than a minute left");
    else if (minutes < 90)
        pen_putf(pen, ROLE_TEXT, "about %.0f min left", minutes);
    else
        pen_putf(pen, ROLE_TEXT, "about %.1f h left", minutes / 60);
    if (progress->in_state[BOARD_ASKS] && progress->has_left)
        pen_puts(pen, ROLE_DIM, ", without your decisions");
}

void suite_lines_draw_progress(const struct suite_follow *follow,
                               const struct suite_progress *progress, struct area area)
{
    size_t done = progress->in_state[BOARD_ENDED] + progress->in_state[BOARD_FAILED];
    double share = progress->tasks ? (double)done / (double)progress->tasks : 0;
    int columns = area.rect.w * BAR_SHARE / 100;
    struct pen pen = area_pen(area, 1, 0);

    columns = columns < LEAST_BAR ? LEAST_BAR : columns;
    pen_puts(&pen, ROLE_DIM, "[");
    if (done)
        pen_put_bar(&pen, ROLE_GOOD, share * columns);
    pen.x = columns + 2;
    pen_puts(&pen, ROLE_DIM, "]");
    pen_putf(&pen, ROLE_STRONG, " %.0f %% ", 100 * share);
    if (done < progress->tasks && follow->process.pid)
        put_left(progress, &pen);
}

void suite_lines_draw_totals(const struct board_total *total, struct area area)
{
    struct pen pen = area_pen(area, 1, 0);
    char text[FORMAT_SIZE];

    pen_putf(&pen, ROLE_BAR, "%zu %s", total->rows, total->rows == 1 ? "row" : "rows");
    if (total->timed) {
        pen_putf(&pen, ROLE_BAR, " | geometric mean ");
        pen_puts(&pen, ROLE_STRONG, format_speedup(text, total->mean.value));
        if (total->mean.low > 0)
            pen_putf(&pen, ROLE_DIM, " %s",
                     format_interval(text, total->mean.low, total->mean.high));
        pen_putf(&pen, ROLE_BAR, " over %zu", total->timed);
    }
    pen_putf(&pen, ROLE_BAR, " | %u %s", total->tries, total->tries == 1 ? "try" : "tries");
    if (total->has_usd)
        pen_putf(&pen, ROLE_BAR, " | $%.2f", total->usd);
    else
        pen_putf(&pen, ROLE_BAR, " | more than $%.2f", total->usd);
}
