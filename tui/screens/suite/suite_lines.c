#include "tui/screens/suite/suite_lines.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "tui/term/table_column.h"

/* The bar's share of the line in percent, and its least width in columns. */
enum { BAR_SHARE = 35, LEAST_BAR = 10 };

/* The blank column at each end of a line, and the least columns of the suite's name. */
enum { MARGIN = 1, LEAST_NAME = 12 };

void suite_lines_say_it_runs(struct chrome *chrome, const struct lease_process *process)
{
    struct strbuf text = {0};

    process_lease_describe(process, &text);
    chrome_say(chrome, ROLE_TEXT, "the suite runs already: %s", strbuf_cstr(&text));
    strbuf_release(&text);
}

/* The parts of the header that follow the suite's name. */
struct header {
    struct {
        enum role role;
        struct strbuf text;
    } parts[8];
    size_t count;
};

static struct strbuf *add_part(struct header *header, enum role role)
{
    header->parts[header->count].role = role;
    return &header->parts[header->count++].text;
}

/* Add whether the suite runs, or why it does not. */
static void add_runner(const struct suite_follow *follow, struct header *header)
{
    const struct suite_state *state = &follow->store.state;
    const char *host = follow->process.is_elsewhere ? follow->process.host : NULL;

    if (follow->trouble.code)
        strbuf_addf(add_part(header, ROLE_BAD), " | %s", follow->trouble.text);
    else if (follow->process.pid)
        strbuf_addf(add_part(header, ROLE_GOOD), " | runs%s%s", host ? " on " : "",
                    host ? host : "");
    else if (state->count && state->in_phase[TASK_HAS_ENDED] == state->count)
        strbuf_adds(add_part(header, ROLE_GOOD), " | ended");
    else
        strbuf_addf(add_part(header, ROLE_WARNING), " | does not run%s%s",
                    state->stopped ? ": " : "", state->stopped ? state->stopped : "");
}

static void add_states(const struct suite_progress *progress, struct header *header)
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

    strbuf_addf(add_part(header, ROLE_HEADER), " | %zu of %zu ended",
                progress->in_state[BOARD_ENDED], progress->tasks);
    for (size_t i = 0; i < COUNT(words); i++)
        if (progress->in_state[words[i].state])
            strbuf_addf(add_part(header, words[i].role), ", %zu %s",
                        progress->in_state[words[i].state], words[i].word);
}

/* Put "suite NAME ID" into what is left of the line: first the id is left out, then "suite". */
static void put_name(const struct suite_follow *follow, int columns, struct pen *pen)
{
    static const char word[] = "suite ";
    const char *name = follow->store.suite.name;
    int needed = canvas_text_columns(name, strlen(name));
    int id = (int)strlen(follow->store.id) + 1, spare = columns - needed;

    if (spare >= (int)strlen(word)) {
        pen_puts(pen, ROLE_STRONG, word);
        spare -= (int)strlen(word);
    }
    columns = columns < LEAST_NAME ? LEAST_NAME : columns;
    pen_put_column(pen, ROLE_STRONG, needed < columns ? needed : columns, name);
    if (spare >= id)
        pen_putf(pen, ROLE_HEADER, " %s", follow->store.id);
}

void suite_lines_draw_header(const struct suite_follow *follow,
                             const struct suite_progress *progress, struct area area)
{
    struct pen pen = area_pen(area, MARGIN, 0);
    struct header header = {.count = 0};
    int columns = area.rect.w - 2 * MARGIN;

    add_runner(follow, &header);
    add_states(progress, &header);
    if (follow->is_reading)
        strbuf_adds(add_part(&header, ROLE_DIM), " | reading");
    for (size_t i = 0; i < header.count; i++)
        columns -=
            canvas_text_columns(strbuf_cstr(&header.parts[i].text), header.parts[i].text.len);
    put_name(follow, columns, &pen);
    for (size_t i = 0; i < header.count; i++) {
        pen_puts(&pen, header.parts[i].role, strbuf_cstr(&header.parts[i].text));
        strbuf_release(&header.parts[i].text);
    }
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
    else if (total->usd > 0)
        pen_putf(&pen, ROLE_BAR, " | more than $%.2f", total->usd);
    else
        pen_puts(&pen, ROLE_BAR, " | cost unknown");
}
