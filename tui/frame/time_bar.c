#include "tui/frame/time_bar.h"

#include <string.h>

#include "core/base/vec.h"

/* The mark of a cell. If several steps end in the cell, the mark with the highest rank is drawn. */
struct time_mark {
    int rank;
    char sign; /* 0: no step ends in the cell */
    enum role role;
};

enum { ENDS = 2 }; /* cells for the brackets */

/* The mark of a step, by its final outcome, at whatever place the replay is. */
static struct time_mark mark_of(const struct session *session, const struct step *step)
{
    const struct attempt *attempt = session_attempt(session, step->attempt);

    if (step->is_undone)
        return (struct time_mark){0, 'u', ROLE_DIM};
    if (step->decision == DECISION_VETOED || step->decision == DECISION_RETRIED)
        return (struct time_mark){4, 'v', ROLE_BAD};
    if (step->kind == STEP_KEEP && attempt && attempt->is_kept)
        return (struct time_mark){5, '*', ROLE_GOOD};
    if (step->kind == STEP_CANDIDATE && attempt && attempt->is_evaluated)
        return attempt->outcome == OUTCOME_CORRECT ? (struct time_mark){2, 'o', ROLE_GOOD}
                                                   : (struct time_mark){3, 'x', ROLE_BAD};
    return (struct time_mark){1, '.', ROLE_BAR};
}

static int column_of(const struct timeline *timeline, int64_t at_us, int columns)
{
    int64_t length_us = timeline_length_us(timeline);

    return length_us > 0 ? (int)(at_us * (columns - 1) / length_us) : 0;
}

/* The line without marks: "=" up to the position of the replay, "-" behind it. */
static void draw_line(struct area area, int now)
{
    struct pen pen = area_pen(area, 0, 0);

    for (int x = 0; x < area.rect.w; x++)
        pen_puts(&pen, x <= now ? ROLE_STRONG : ROLE_DIM, x <= now ? "=" : "-");
}

/* Make the marks of a bar with `columns` cells, unless it has them. */
static void make_marks(struct time_bar *bar, const struct timeline *timeline, int columns)
{
    const struct session *session = &timeline->recording.session;
    size_t count = (size_t)columns;

    if (bar->count == count)
        return;
    bar->items = mem_grow(bar->items, &bar->capacity, count, sizeof(*bar->items));
    bar->count = count;
    memset(bar->items, 0, count * sizeof(*bar->items));
    for (size_t i = 0; i < timeline->steps.count; i++) {
        struct time_mark mark = mark_of(session, &session->steps.items[i]);
        size_t end = timeline_end_of_step(timeline, (unsigned)i + 1);
        int x = column_of(timeline, timeline->at_us[end - 1], columns);

        if (!bar->items[x].sign || mark.rank > bar->items[x].rank)
            bar->items[x] = mark;
    }
}

void time_bar_release(struct time_bar *bar)
{
    vec_release(bar);
}

void time_bar_draw(struct time_bar *bar, const struct timeline *timeline, struct area area)
{
    int columns = area.rect.w - ENDS;
    struct area inside = area_part(area, (struct rect){1, 0, columns, 1});
    int now = column_of(timeline, timeline_now_us(timeline), columns);
    struct pen ends = area_pen(area, 0, 0);

    if (columns < 1)
        return;
    pen_puts(&ends, ROLE_BAR, "[");
    ends.x = area.rect.w - 1;
    pen_puts(&ends, ROLE_BAR, "]");
    draw_line(inside, now);
    make_marks(bar, timeline, columns);
    for (int x = 0; x < columns; x++) {
        struct pen pen = area_pen(inside, x, 0);

        if (bar->items[x].sign)
            pen_put(&pen, bar->items[x].role, &bar->items[x].sign, 1);
    }
    area_paint(area_part(inside, (struct rect){now, 0, 1, 1}), ROLE_MATCH);
}

size_t time_bar_place(const struct timeline *timeline, int x, int w)
{
    int last = w - ENDS - 1, column = x - 1 < last ? x - 1 : last;

    return last > 0 ? timeline_place_at(timeline, timeline_length_us(timeline) * column / last) : 1;
}
