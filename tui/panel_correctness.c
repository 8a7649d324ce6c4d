#include "tui/panel.h"

#include <inttypes.h>
#include <math.h>

#include "core/base/mem.h"
#include "tui/page.h"

/*
 * Pane 5: whether the values are right, and where they are not.  The map
 * shows the output as a picture, so that a wrong edge of a tile is seen at
 * once.
 */

struct correctness {
    struct panel panel;
    struct page page;
};

static struct panel *correctness_open(void)
{
    struct correctness *correctness = mem_alloc_zeroed(1, sizeof(*correctness));

    correctness->panel.ops = &panel_correctness;
    return &correctness->panel;
}

static void correctness_close(struct panel *panel)
{
    struct correctness *correctness = (struct correctness *)panel;

    page_release(&correctness->page);
    free(correctness);
}

static bool is_within(const struct trial *trial)
{
    return trial->worst_over_tolerance <= 1 && trial->nonfinite == 0;
}

static void add_summary(struct page *page, const struct scene *scene)
{
    const struct verdict *verdict = &scene->shown.verdict;
    const struct driver_live *live = scene->live;
    size_t good = 0;

    if (!scene->shown.has_verdict && live && live->progress.stage && live->progress.total) {
        page_add(page, ROLE_DIM, "%s %u/%u", live->progress.stage, live->progress.done,
                 live->progress.total);
        return;
    }
    if (verdict->trials.count == 0) {
        page_add(page, ROLE_DIM, scene->shown.has_verdict ? "Not reached." : "Not verified yet.");
        return;
    }
    for (size_t i = 0; i < verdict->trials.count; i++)
        good += is_within(&verdict->trials.items[i]);
    page_add(page, good == verdict->trials.count ? ROLE_GOOD : ROLE_BAD,
             "%s %zu/%zu trials in tolerance", good == verdict->trials.count ? "ok" : "xx", good,
             verdict->trials.count);
}

static void add_worst(struct page *page, const struct mismatch *mismatch)
{
    struct strbuf index = {0};

    for (size_t i = 0; i < mismatch->rank; i++)
        strbuf_addf(&index, "%s%" PRId64, i ? "," : "", mismatch->index[i]);
    page_add(page, ROLE_TEXT, "   [%s] got %.6g want %.6g", strbuf_cstr(&index), mismatch->got,
             mismatch->want);
    strbuf_release(&index);
}

static void add_trial(struct page *page, const struct trial *trial)
{
    page_add(page, is_within(trial) ? ROLE_TEXT : ROLE_BAD, "%s %s %.2f tol  %s  abs %.1e",
             is_within(trial) ? "ok" : "xx", trial->output ? trial->output : "",
             trial->worst_over_tolerance, trial->dims ? trial->dims : "", trial->max_abs);
    if (is_within(trial))
        return;
    page_add(page, ROLE_BAD, "   %" PRId64 " of %" PRId64 " off, %" PRId64 " not finite",
             trial->mismatched, trial->elements, trial->nonfinite);
    for (size_t i = 0; i < trial->worst_count; i++)
        add_worst(page, &trial->worst[i]);
}

/* An error in units of the tolerance: the mark says as much as the colour. */
static const struct {
    double upto;
    char mark;
    enum role role;
} heats[] = {
    {0.5, '.', ROLE_HEAT_LOW},
    {1, ':', ROLE_HEAT_LOW},
    {10, 'x', ROLE_HEAT_MIDDLE},
    {1e300, '#', ROLE_HEAT_HIGH},
    {(double)INFINITY, '!', ROLE_HEAT_HIGH},
};

static void put_heat(struct pen *pen, double error)
{
    size_t heat = 0;

    while (error > heats[heat].upto)
        heat++;
    pen_put(pen, heats[heat].role, &heats[heat].mark, 1);
}

/* The worst of the map's cells that fall into one place of a picture of `w` x `h`. */
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

static void draw_map(const struct error_map *map, struct area area)
{
    struct pen pen = area_pen(area, 0, 0);
    struct rect picture = {.w = area.rect.w, .h = area.rect.h - 1};

    pen_puts(&pen, ROLE_DIM, ". : within  x # off  ! not finite");
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

/* How many lines of the pane the map takes: up to half of them. */
static int map_height(const struct error_map *map, int height)
{
    int wanted = (int)map->rows + 1;

    if (map->rows == 0 || map->cols == 0 || height < 6)
        return 0;
    return wanted < height / 2 ? wanted : height / 2;
}

static void correctness_draw(struct panel *panel, const struct scene *scene, struct area area)
{
    struct correctness *correctness = (struct correctness *)panel;
    const struct verdict *verdict = &scene->shown.verdict;
    int map_h = map_height(&verdict->map, area.rect.h), text_h = area.rect.h - map_h;

    page_clear(&correctness->page);
    add_summary(&correctness->page, scene);
    if (verdict->outcome != OUTCOME_NONE && verdict->outcome != OUTCOME_CORRECT && verdict->detail)
        page_add_wrapped(&correctness->page, ROLE_BAD, verdict->detail, area.rect.w);
    for (size_t i = 0; i < verdict->trials.count; i++)
        add_trial(&correctness->page, &verdict->trials.items[i]);
    page_draw(&correctness->page, area_part(area, (struct rect){0, 0, area.rect.w, text_h}));
    if (map_h)
        draw_map(&verdict->map, area_part(area, (struct rect){0, text_h, area.rect.w, map_h}));
}

static struct panel_body correctness_body(struct panel *panel, const struct scene *scene)
{
    (void)scene;
    return (struct panel_body){.text = &((struct correctness *)panel)->page.view};
}

const struct panel_ops panel_correctness = {
    .open = correctness_open,
    .close = correctness_close,
    .draw = correctness_draw,
    .body = correctness_body,
};
