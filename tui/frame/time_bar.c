#include "tui/frame/time_bar.h"

/* Of several steps in one cell, the mark with the highest rank is drawn. */
struct mark {
    int rank;
    char sign;
    enum role role;
};

enum { ENDS = 2 }; /* cells for the brackets */

/* The mark of a step by its final outcome, wherever the replay stands. */
static struct mark mark_of(const struct session *session, const struct step *step)
{
    const struct attempt *attempt = session_attempt(session, step->attempt);

    if (step->is_undone)
        return (struct mark){0, 'u', ROLE_DIM};
    if (step->decision == DECISION_VETOED || step->decision == DECISION_RETRIED)
        return (struct mark){4, 'v', ROLE_BAD};
    if (step->kind == STEP_KEEP && attempt && attempt->is_kept)
        return (struct mark){5, '*', ROLE_GOOD};
    if (step->kind == STEP_CANDIDATE && attempt && attempt->is_evaluated)
        return attempt->outcome == OUTCOME_CORRECT ? (struct mark){2, 'o', ROLE_GOOD}
                                                   : (struct mark){3, 'x', ROLE_BAD};
    return (struct mark){1, '.', ROLE_BAR};
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

void time_bar_draw(const struct timeline *timeline, struct area area)
{
    const struct session *session = &timeline->recording.session;
    int columns = area.rect.w - ENDS;
    struct area inside = area_part(area, (struct rect){1, 0, columns, 1});
    int now = column_of(timeline, timeline_now_us(timeline), columns), last = -1, rank = 0;
    struct pen ends = area_pen(area, 0, 0);

    if (columns < 1)
        return;
    pen_puts(&ends, ROLE_BAR, "[");
    ends.x = area.rect.w - 1;
    pen_puts(&ends, ROLE_BAR, "]");
    draw_line(inside, now);
    for (size_t i = 0; i < timeline->steps.count; i++) {
        struct mark mark = mark_of(session, &session->steps.items[i]);
        size_t end = timeline_end_of_step(timeline, (unsigned)i + 1);
        int x = column_of(timeline, timeline->at_us[end - 1], columns);
        struct pen pen = area_pen(inside, x, 0);

        if (x != last || mark.rank > rank) {
            pen_put(&pen, mark.role, &mark.sign, 1);
            rank = mark.rank;
            last = x;
        }
    }
    area_paint(area_part(inside, (struct rect){now, 0, 1, 1}), ROLE_MATCH);
}

size_t time_bar_place(const struct timeline *timeline, int x, int w)
{
    int last = w - ENDS - 1, column = x - 1 < last ? x - 1 : last;

    return last > 0 ? timeline_place_at(timeline, timeline_length_us(timeline) * column / last) : 1;
}
