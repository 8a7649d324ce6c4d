#include "tui/widgets/layout.h"

#include <stdio.h>

#include "core/base/array.h"

/* The heights of the lines above and below the panes. */
enum { HEADER_H = 1, TABS_H = 1, BAR_H = 2, MESSAGE_H = 1, STATUS_H = 1 };

static const char *const names[PANE_COUNT] = {
    [PANE_STEPS] = "Steps",
    [PANE_CANDIDATES] = "Candidates",
    [PANE_KERNEL] = "Kernel",
    [PANE_DIAGNOSTICS] = "Diagnostics",
    [PANE_CORRECTNESS] = "Correctness",
    [PANE_PROFILE] = "Profile",
    [PANE_AGENTS] = "Agents",
};

const char *layout_pane_name(enum pane pane)
{
    return names[pane];
}

static enum layout_kind kind_of(int w, int h)
{
    static const struct {
        int w, h;
        enum layout_kind kind;
    } kinds[] = {
        {160, 40, LAYOUT_WIDE},  {110, 30, LAYOUT_COLUMNS}, {160, 16, LAYOUT_FLAT},
        {60, 16, LAYOUT_SINGLE}, {40, 8, LAYOUT_SMALL},
    };

    for (size_t i = 0; i < COUNT(kinds); i++)
        if (w >= kinds[i].w && h >= kinds[i].h)
            return kinds[i].kind;
    return LAYOUT_LINE;
}

/* Cut lines off the top, bottom or left of the remaining rectangle, and return them. */
static struct rect take_top(struct rect *left, int h)
{
    struct rect taken = {left->x, left->y, left->w, h};

    left->y += h;
    left->h -= h;
    return taken;
}

static struct rect take_bottom(struct rect *left, int h)
{
    left->h -= h;
    return (struct rect){left->x, left->y + left->h, left->w, h};
}

static struct rect take_left(struct rect *left, int w)
{
    struct rect taken = {left->x, left->y, w, left->h};

    left->x += w;
    left->w -= w;
    return taken;
}

static void place_columns(struct layout *layout, struct rect body, const struct layout_focus *focus)
{
    struct rect left = take_left(&body, body.w * 23 / 100);
    struct rect middle = take_left(&body, body.w * 60 / 100);
    struct rect right = body;

    layout->panes[PANE_STEPS] = take_top(&left, left.h * 60 / 100);
    layout->panes[PANE_CANDIDATES] = left;
    layout->panes[PANE_DIAGNOSTICS] = take_top(&right, body.h * 25 / 100);
    layout->panes[PANE_CORRECTNESS] =
        take_top(&right, body.h * (layout->kind == LAYOUT_WIDE ? 30 : 35) / 100);
    layout->panes[PANE_PROFILE] = right;
    if (layout->kind == LAYOUT_WIDE) {
        layout->panes[PANE_KERNEL] = take_top(&middle, middle.h * 70 / 100);
        layout->panes[PANE_AGENTS] = middle;
    } else {
        layout->panes[focus->middle == PANE_AGENTS ? PANE_AGENTS : PANE_KERNEL] = middle;
    }
}

/* Few lines but many columns: the panes at the right of the other layouts take two columns. */
static void place_flat(struct layout *layout, struct rect body, const struct layout_focus *focus)
{
    struct rect left = take_left(&body, body.w * 18 / 100);
    struct rect middle = take_left(&body, body.w * 50 / 100);
    struct rect third = take_left(&body, body.w / 2);

    layout->panes[PANE_STEPS] = take_top(&left, left.h * 60 / 100);
    layout->panes[PANE_CANDIDATES] = left;
    layout->panes[focus->middle == PANE_AGENTS ? PANE_AGENTS : PANE_KERNEL] = middle;
    layout->panes[PANE_DIAGNOSTICS] = take_top(&third, third.h * 40 / 100);
    layout->panes[PANE_CORRECTNESS] = third;
    layout->panes[PANE_PROFILE] = body;
}

struct layout layout_of(int w, int h, const struct layout_focus *focus)
{
    struct layout layout = {.kind = kind_of(w, h)};
    struct rect body = {.w = w, .h = h};

    layout.status = take_bottom(&body, STATUS_H);
    if (layout.kind == LAYOUT_LINE)
        return layout;
    if (layout.kind >= LAYOUT_SINGLE) {
        layout.header = take_top(&body, HEADER_H);
        layout.message = take_bottom(&body, MESSAGE_H);
        layout.bar = take_bottom(&body, BAR_H);
    }
    if (layout.kind == LAYOUT_SINGLE)
        layout.tabs = take_top(&body, TABS_H);
    if (layout.kind == LAYOUT_FLAT && !focus->is_full)
        place_flat(&layout, body, focus);
    else if (layout.kind >= LAYOUT_COLUMNS && !focus->is_full)
        place_columns(&layout, body, focus);
    else
        layout.panes[focus->pane] = body;
    return layout;
}

void layout_focus_pane(struct layout_focus *focus, enum pane pane)
{
    focus->pane = pane;
    if (pane == PANE_KERNEL || pane == PANE_AGENTS)
        focus->middle = pane;
}

struct area layout_open_pane(const struct layout *layout, struct canvas *canvas, enum pane pane,
                             enum role border, const char *title)
{
    struct area area = canvas_area(canvas, layout->panes[pane]);

    return layout->kind >= LAYOUT_SINGLE ? area_box(area, title, border) : area;
}

/*
 * All seven tabs fit in 80 columns; on a narrower screen those without the focus are numbers, or
 * the beginnings of names.
 */
static void put_tab(struct pen *pen, enum pane pane, const struct layout_focus *focus)
{
    enum role role = pane == focus->pane ? ROLE_TAB_FOCUSED : ROLE_TAB;
    char number[16] = "";

    if (!focus->is_unnumbered)
        snprintf(number, sizeof(number), "%d ", (int)pane + 1);
    if (pane == focus->pane)
        pen_putf(pen, role, "[%s%s]", number, names[pane]);
    else if (pen->area.rect.w >= 80)
        pen_putf(pen, role, " %s%s", number, names[pane]);
    else
        pen_putf(pen, role, " %.*s", focus->is_unnumbered ? 4 : 2,
                 focus->is_unnumbered ? names[pane] : number);
}

void layout_draw_tabs(const struct layout *layout, struct canvas *canvas,
                      const struct layout_focus *focus)
{
    struct pen pen = area_pen(canvas_area(canvas, layout->tabs), 0, 0);

    for (enum pane pane = 0; pane < PANE_COUNT; pane++)
        put_tab(&pen, pane, focus);
}

enum pane layout_tab_at(const struct layout *layout, const struct layout_focus *focus, int x)
{
    struct canvas canvas = {0};
    enum pane pane = 0;
    struct pen pen;

    canvas_reset(&canvas, layout->tabs.w, 1);
    pen = area_pen(canvas_area(&canvas, (struct rect){.w = layout->tabs.w, .h = 1}), 0, 0);
    for (; pane < PANE_COUNT; pane++) {
        put_tab(&pen, pane, focus);
        if (pen.x > x)
            break;
    }
    canvas_release(&canvas);
    return pane;
}
