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

/* The panes of a column from top to bottom, with their shares of its height. */
struct stack {
    struct scene_place places[PANE_COUNT];
    size_t count;
};

/*
 * The share of a guest, a pane that the scene does not have, in a column that keeps its own panes.
 */
enum { GUEST_SHARE = 30 };

static void place_stack(struct layout *layout, struct rect column, const struct stack *stack)
{
    int shares = 0;

    for (size_t i = 0; i < stack->count; i++)
        shares += stack->places[i].share;
    for (size_t i = 0; i < stack->count; i++) {
        const struct scene_place *place = &stack->places[i];

        layout->panes[place->pane] = take_top(&column, column.h * place->share / shares);
        shares -= place->share;
    }
}

static bool is_in(const struct scene_place *places, size_t count, enum pane pane)
{
    for (size_t i = 0; i < count; i++)
        if (places[i].pane == pane)
            return true;
    return false;
}

/*
 * Add a pane that the scene does not have. Kernel and Agents need width, so they replace the lowest
 * pane of the first column; other panes are added to the last column. In SCENE_FLAT, which has few
 * lines, the pane replaces the last column. The pane with the focus is never replaced.
 */
static void add_guest(struct stack *stacks, enum scene_size size, enum pane pane, enum pane focused)
{
    bool needs_width = pane == PANE_KERNEL || pane == PANE_AGENTS;
    size_t column = needs_width && size != SCENE_FLAT ? 0 : scene_columns(size) - 1;
    struct stack *stack = &stacks[column];
    size_t kept = size == SCENE_FLAT ? 0 : stack->count - (needs_width ? 1 : 0);
    struct scene_place place = {.pane = pane, .share = GUEST_SHARE};

    if (is_in(stack->places + kept, stack->count - kept, focused))
        return;
    if (needs_width && size != SCENE_FLAT)
        place.share = stack->places[kept].share;
    stack->places[kept] = place;
    stack->count = kept + 1;
}

static bool is_placed(const struct stack *stacks, enum pane pane)
{
    bool is_placed = pane == PANE_STEPS || pane == PANE_CANDIDATES;

    for (size_t i = 0; i < SCENE_COLUMNS; i++)
        is_placed |= is_in(stacks[i].places, stacks[i].count, pane);
    return is_placed;
}

static void fill_stacks(struct stack stacks[SCENE_COLUMNS], enum scene_size size,
                        const struct layout_focus *focus)
{
    const struct scene_place *place = scene_arrangement(layout_scene(focus), size)->places;

    for (; place->share; place++) {
        struct stack *stack = &stacks[place->column];

        stack->places[stack->count++] = *place;
    }
    if (!is_placed(stacks, focus->guest))
        add_guest(stacks, size, focus->guest, focus->pane);
    if (!is_placed(stacks, focus->pane))
        add_guest(stacks, size, focus->pane, focus->pane);
}

/* The first column of all scenes: its share of the width in percent, and its greatest width. */
enum { LEFT_SHARE = 23, LEFT_SHARE_FLAT = 18, LEFT_MOST = 40 };

static int left_width(int w, enum scene_size size)
{
    int left = w * (size == SCENE_FLAT ? LEFT_SHARE_FLAT : LEFT_SHARE) / 100;

    return left < LEFT_MOST ? left : LEFT_MOST;
}

static void place_scene(struct layout *layout, struct rect body, enum scene_size size,
                        const struct layout_focus *focus)
{
    struct rect left = take_left(&body, left_width(body.w, size));
    int first = body.w * scene_arrangement(layout_scene(focus), size)->first / 100;
    struct stack stacks[SCENE_COLUMNS] = {0};
    size_t columns = scene_columns(size);

    layout->panes[PANE_STEPS] = take_top(&left, left.h * 60 / 100);
    layout->panes[PANE_CANDIDATES] = left;
    fill_stacks(stacks, size, focus);
    for (size_t i = 0; i < columns; i++) {
        int w = i == 0 ? first : body.w / (int)(columns - i);

        place_stack(layout, take_left(&body, w), &stacks[i]);
    }
}

static enum scene_size size_of(enum layout_kind kind)
{
    if (kind == LAYOUT_FLAT)
        return SCENE_FLAT;
    return kind == LAYOUT_WIDE ? SCENE_WIDE : SCENE_NARROW;
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
    if (layout.kind >= LAYOUT_FLAT && !focus->is_full)
        place_scene(&layout, body, size_of(layout.kind), focus);
    else
        layout.panes[focus->pane] = body;
    return layout;
}

enum scene layout_scene(const struct layout_focus *focus)
{
    return focus->pinned ? focus->pinned : focus->scene;
}

void layout_set_scene(struct layout_focus *focus, enum scene scene)
{
    if (focus->scene != scene && !focus->pinned)
        focus->guest = scene_has(scene, focus->pane) ? PANE_STEPS : focus->pane;
    focus->scene = scene;
}

void layout_focus_pane(struct layout_focus *focus, enum pane pane)
{
    focus->pane = pane;
    if (!scene_has(layout_scene(focus), pane))
        focus->guest = pane;
}

struct area layout_open_pane(const struct layout *layout, struct canvas *canvas, enum pane pane,
                             enum role border, const char *title)
{
    struct area area = canvas_area(canvas, layout->panes[pane]);

    return layout->kind >= LAYOUT_SINGLE ? area_box(area, title, border) : area;
}

/*
 * Put a tab. All seven fit in 80 columns; on a narrower screen, the tabs without the focus show
 * only the number or the beginning of the name.
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
