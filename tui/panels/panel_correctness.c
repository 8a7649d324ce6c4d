#include "tui/panels/panel.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/base/array.h"
#include "core/judge/oracle/variation/variation_kind.h"
#include "tui/widgets/page.h"

/*
 * Pane 5: the comparison of the outputs with the expected values.  A map shows the errors of an
 * output as a picture, so that a wrong edge of a tile is visible at once.
 */

/* The column at which the bars of the histogram begin. */
enum { HISTOGRAM_START = 20 };

/*
 * In a pane of at least BESIDE_COLUMNS the map is at the right of the text, which then has
 * TEXT_COLUMNS.
 */
enum { BESIDE_COLUMNS = 76, TEXT_COLUMNS = 44 };

struct correctness {
    struct panel panel;
    struct page page;
};

static void correctness_release(struct panel *panel)
{
    struct correctness *correctness = (struct correctness *)panel;

    page_release(&correctness->page);
}

static bool is_within(const struct trial *trial)
{
    return trial->worst_over_tolerance <= 1 && trial->nonfinite == 0;
}

static void add_summary(struct page *page, const struct view_model *view_model)
{
    const struct verdict *verdict = &view_model->shown.verdict;
    const struct driver_live *live = view_model->live;
    size_t good = 0;

    if (panel_awaits_verdict(view_model) && live->progress.total) {
        page_add(page, ROLE_DIM, "%s %u/%u", live->progress.stage, live->progress.done,
                 live->progress.total);
        return;
    }
    if (verdict->trials.count == 0) {
        page_add(page, ROLE_DIM,
                 view_model->shown.has_verdict      ? "Not compared: no kernel ran."
                 : panel_awaits_verdict(view_model) ? "The comparison comes with the verdict."
                                                    : "No outputs have been compared yet.");
        return;
    }
    for (size_t i = 0; i < verdict->trials.count; i++)
        good += is_within(&verdict->trials.items[i]);
    page_add(page, good == verdict->trials.count ? ROLE_GOOD : ROLE_BAD,
             "%s %zu/%zu trials in tolerance", good == verdict->trials.count ? "ok" : "xx", good,
             verdict->trials.count);
}

/*
 * Add the worst element. If there is no room for both values, the expected one gets a separate
 * line, because a cut number would be a wrong number.
 */
static void add_worst(struct page *page, const struct mismatch *mismatch, int columns)
{
    struct strbuf line = {0}, want = {0};

    strbuf_adds(&line, "   [");
    for (size_t i = 0; i < mismatch->rank; i++)
        strbuf_addf(&line, "%s%" PRId64, i ? "," : "", mismatch->index[i]);
    strbuf_addf(&line, "] got %.6g", mismatch->got);
    strbuf_addf(&want, " want %.6g", mismatch->want);
    if (line.len + want.len <= (size_t)columns)
        strbuf_add(&line, want.data, want.len);
    page_add_place(page, ROLE_TEXT, "%s", strbuf_cstr(&line));
    if (!strstr(strbuf_cstr(&line), strbuf_cstr(&want)))
        page_add(page, ROLE_TEXT, "     %s", strbuf_cstr(&want));
    strbuf_release(&line);
    strbuf_release(&want);
}

/* Add the line of a trial. The largest difference is left out if it has no room. */
static void add_trial(struct page *page, const struct trial *trial, int columns)
{
    enum role role = is_within(trial) ? ROLE_TEXT : ROLE_BAD;
    struct strbuf line = {0}, largest = {0};

    strbuf_addf(&line, "%s %s %.2f tol  %s", is_within(trial) ? "ok" : "xx",
                trial->output ? trial->output : "", trial->worst_over_tolerance,
                trial->dims ? trial->dims : "");
    strbuf_addf(&largest, "  abs %.1e", trial->max_abs);
    if (line.len + largest.len <= (size_t)columns)
        strbuf_add(&line, largest.data, largest.len);
    page_add_wrapped(page, role, strbuf_cstr(&line), columns);
    strbuf_release(&line);
    strbuf_release(&largest);
}

static void add_wrong_trial(struct page *page, const struct trial *trial, int columns)
{
    struct strbuf line = {0};

    add_trial(page, trial, columns);
    strbuf_addf(&line, "   %" PRId64 " of %" PRId64 " off, %" PRId64 " not finite",
                trial->mismatched, trial->elements, trial->nonfinite);
    page_add_wrapped(page, ROLE_BAD, strbuf_cstr(&line), columns);
    strbuf_release(&line);
    for (size_t i = 0; i < trial->worst_count; i++)
        add_worst(page, &trial->worst[i], columns);
}

/* Add the wrong trials first: the judge ends with them, after some thirty that are right. */
static void add_trials(struct page *page, const struct verdict *verdict, int columns)
{
    for (size_t i = 0; i < verdict->trials.count; i++)
        if (!is_within(&verdict->trials.items[i]))
            add_wrong_trial(page, &verdict->trials.items[i], columns);
    for (size_t i = 0; i < verdict->trials.count; i++)
        if (is_within(&verdict->trials.items[i]))
            add_trial(page, &verdict->trials.items[i], columns);
}

/* The first trial that is out of tolerance; NULL if there is none. */
static const struct trial *first_wrong_trial(const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->trials.count; i++)
        if (!is_within(&verdict->trials.items[i]))
            return &verdict->trials.items[i];
    return NULL;
}

/* Add what is wrong, and what the data were. */
static void add_detail(struct page *page, const struct verdict *verdict, int columns)
{
    const struct trial *wrong = first_wrong_trial(verdict);
    const char *meaning = wrong && wrong->dims ? variation_meaning(wrong->dims) : "";

    if (verdict->outcome != OUTCOME_NONE && verdict->outcome != OUTCOME_CORRECT && verdict->detail)
        page_add_wrapped(page, ROLE_BAD, verdict->detail, columns);
    if (*meaning)
        page_add_wrapped(page, ROLE_DIM, meaning, columns);
}

/*
 * Add the hazards. They come before the trials, because a low pane shows little more than these
 * lines. One of the times is in the Profile pane, beside them.
 */
static void add_hazards(struct page *page, const struct verdict *verdict, int columns)
{
    struct strbuf line = {0};

    for (size_t i = 0; i < verdict->hazards.count; i++) {
        if (strcmp(verdict->hazards.items[i].name, HAZARD_MEASURED_AT_LOAD) == 0)
            continue;
        line.len = 0;
        strbuf_addf(&line, "! %s: %s", verdict->hazards.items[i].name,
                    verdict->hazards.items[i].evidence);
        page_add_wrapped(page, ROLE_HAZARD, strbuf_cstr(&line), columns);
    }
    strbuf_release(&line);
}

/* The classes of errors, in units of the tolerance.  Each has a mark as well as a colour. */
static const struct {
    double upto;
    char mark;
    enum role role;
    const char *name;
} heats[] = {
    {0.5, '.', ROLE_HEAT_LOW, "to 0.5 tol"},
    {1, ':', ROLE_HEAT_LOW, "to 1 tol"},
    {10, 'x', ROLE_HEAT_MIDDLE, "to 10 tol"},
    {1e300, '#', ROLE_HEAT_HIGH, "beyond 10"},
    {(double)INFINITY, '!', ROLE_HEAT_HIGH, "not finite"},
};

enum { HEATS = COUNT(heats) };

static size_t heat_of(double error)
{
    size_t heat = 0;

    while (error > heats[heat].upto)
        heat++;
    return heat;
}

static void put_heat(struct pen *pen, double error)
{
    size_t heat = heat_of(error);

    pen_put(pen, heats[heat].role, &heats[heat].mark, 1);
}

/* The number of cells of the map in each class. */
static void add_histogram(struct page *page, const struct verdict *verdict, int columns)
{
    const struct error_map *map = &verdict->map;
    size_t counts[HEATS] = {0}, cells = map->rows * map->cols;
    int room = columns - HISTOGRAM_START > 4 ? columns - HISTOGRAM_START : 4;

    for (size_t i = 0; i < cells; i++)
        counts[heat_of(isnan(map->cells[i]) ? (double)INFINITY : map->cells[i])]++;
    if (cells)
        page_add_heading(page, "Blocks of the output by their worst error");
    for (size_t i = 0; i < HEATS && cells; i++) {
        int marks = (int)ceil((double)room * (double)counts[i] / (double)cells);

        page_add(page, counts[i] ? heats[i].role : ROLE_DIM, "%c %-10s %6zu", heats[i].mark,
                 heats[i].name, counts[i]);
        page_append_bar(page, marks);
    }
}

/* The worst error among the cells of the map that one character of the picture represents. */
static double worst_in(const struct error_map *map, struct rect picture)
{
    size_t w = (size_t)picture.w, h = (size_t)picture.h, x = (size_t)picture.x,
           y = (size_t)picture.y;
    double worst = 0;

    for (size_t row = y * map->rows / h; row < (y + 1) * map->rows / h; row++)
        for (size_t col = x * map->cols / w; col < (x + 1) * map->cols / w; col++)
            if (!(map->cells[row * map->cols + col] <= worst))
                worst = map->cells[row * map->cols + col];
    return isnan(worst) ? (double)INFINITY : worst;
}

/* The trial of the map: the first that failed, else the first. */
static const struct trial *mapped_trial(const struct verdict *verdict)
{
    const struct trial *wrong = first_wrong_trial(verdict);

    return wrong || !verdict->trials.count ? wrong : &verdict->trials.items[0];
}

static void draw_map(const struct verdict *verdict, struct area area)
{
    const struct error_map *map = &verdict->map;
    const struct trial *trial = mapped_trial(verdict);
    struct pen pen = area_pen(area, 0, 0);
    struct rect picture = {.w = area.rect.w, .h = area.rect.h - 1};

    if (trial)
        pen_putf(&pen, ROLE_DIM, "%s ", trial->output ? trial->output : "");
    pen_puts(&pen, ROLE_DIM, ". : within  x # off  ! not finite");
    if (trial && trial->dims) /* without the name of varied data, which the text has */
        pen_putf(&pen, ROLE_DIM, "  %.*s", (int)strcspn(trial->dims, ","), trial->dims);
    if ((size_t)picture.w > map->cols)
        picture.w = (int)map->cols;
    if ((size_t)picture.h > map->rows)
        picture.h = (int)map->rows;
    for (picture.y = 0; picture.y < picture.h; picture.y++) {
        pen = area_pen(area, 0, picture.y + 1);
        for (picture.x = 0; picture.x < picture.w; picture.x++)
            put_heat(&pen, worst_in(map, picture));
    }
}

/*
 * Split off the place of the map from the place of the text: at its right if there is room, else at
 * most the lower half.
 */
static struct rect place_map(const struct error_map *map, struct rect *text)
{
    struct rect picture = *text;
    int wanted = (int)map->rows + 1;

    if (map->rows == 0 || map->cols == 0 || text->h < 6)
        return (struct rect){0};
    if (text->w >= BESIDE_COLUMNS) {
        text->w = TEXT_COLUMNS;
        picture.x = TEXT_COLUMNS + 1;
        picture.w -= picture.x;
    } else {
        picture.h = wanted < text->h / 2 ? wanted : text->h / 2;
        text->h -= picture.h;
        picture.y = text->h;
    }
    return picture;
}

static void add_verdict(struct page *page, const struct view_model *view_model, int columns)
{
    static void (*const parts[])(struct page * page, const struct verdict *verdict, int columns) = {
        add_detail, add_hazards, add_trials, add_histogram};
    const struct verdict *verdict = &view_model->shown.verdict;

    add_summary(page, view_model);
    for (size_t i = 0; i < COUNT(parts); i++)
        parts[i](page, verdict, columns);
}

static void correctness_draw(struct panel *panel, const struct view_model *view_model,
                             struct area area)
{
    struct correctness *correctness = (struct correctness *)panel;
    const struct verdict *verdict = &view_model->shown.verdict;
    struct rect text = {0, 0, area.rect.w, area.rect.h};
    struct rect picture = place_map(&verdict->map, &text);

    page_begin(&correctness->page, view_model->shown.attempt);
    add_verdict(&correctness->page, view_model, text.w);
    page_draw(&correctness->page, area_part(area, text));
    if (picture.w)
        draw_map(verdict, area_part(area, picture));
}

static struct panel_body correctness_body(struct panel *panel, const struct view_model *view_model)
{
    (void)view_model;
    return (struct panel_body){.text = &((struct correctness *)panel)->page.view};
}

const struct panel_ops panel_correctness = {
    .size = sizeof(struct correctness),
    .release = correctness_release,
    .draw = correctness_draw,
    .body = correctness_body,
};
