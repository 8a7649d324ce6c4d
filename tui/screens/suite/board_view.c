#include "tui/screens/suite/board_view.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "tui/term/canvas.h"

const char *const board_order_names[BOARD_ORDERS + 1] = {
    [BOARD_AS_GIVEN] = "suite", [BOARD_BY_STATE] = "state", [BOARD_BY_SPEEDUP] = "speed",
    [BOARD_BY_SHARE] = "share", [BOARD_BY_TRIES] = "tries", [BOARD_BY_COST] = "cost",
};

const char *const board_group_names[BOARD_GROUPS + 1] = {
    [BOARD_UNGROUPED] = "none", [BOARD_OF_PROBLEM] = "problem", [BOARD_OF_ARM] = "arm",
    [BOARD_OF_STATE] = "state", [BOARD_OF_DEVICE] = "device",
};

static double share_of(const struct board_view *view, const struct board_row *row)
{
    return row->best == BOARD_NO_TASK ? 0 : view->follow->tasks[row->best].facts.bound_share;
}

/* The sort key of a row in the view's order; rows with the highest key come first. */
static double weight_of(const struct board_view *view, const struct board_row *row)
{
    switch (view->order) {
    case BOARD_BY_STATE:
        return -(double)row->state;
    case BOARD_BY_SPEEDUP:
        return row->mean_speedup;
    case BOARD_BY_SHARE: /* rows with an unknown share come last */
        return share_of(view, row) > 0 ? -share_of(view, row) : -1e9;
    case BOARD_BY_TRIES:
        return row->tries;
    case BOARD_BY_COST:
        return row->usd;
    case BOARD_AS_GIVEN:
    case BOARD_ORDERS:
        break;
    }
    return 0;
}

const char *board_view_group_of(const struct board_view *view, const struct board_row *row)
{
    switch (view->group) {
    case BOARD_OF_PROBLEM:
        return row->label;
    case BOARD_OF_ARM:
        return view->follow->store.suite.arms.items[row->arm].name;
    case BOARD_OF_STATE:
        return board_state_names[row->state];
    case BOARD_OF_DEVICE:
        return *row->device ? row->device : "no device yet";
    case BOARD_UNGROUPED:
    case BOARD_GROUPS:
        break;
    }
    return "";
}

/*
 * Compare the groups of two rows: states by urgency, devices by name, others in the suite's order.
 */
static int compare_groups(const struct board_view *view, const struct board_row *a,
                          const struct board_row *b)
{
    switch (view->group) {
    case BOARD_OF_PROBLEM:
        return (a->problem > b->problem) - (a->problem < b->problem);
    case BOARD_OF_ARM:
        return (a->arm > b->arm) - (a->arm < b->arm);
    case BOARD_OF_STATE:
        return (a->state > b->state) - (a->state < b->state);
    case BOARD_OF_DEVICE:
        return strcmp(a->device, b->device);
    case BOARD_UNGROUPED:
    case BOARD_GROUPS:
        break;
    }
    return 0;
}

static int compare_rows(const void *a, const void *b, void *data)
{
    const struct board_view *view = data;
    size_t one = *(const size_t *)a, other = *(const size_t *)b;
    const struct board_row *first = &view->board->items[one], *second = &view->board->items[other];
    int groups = compare_groups(view, first, second);
    double difference = weight_of(view, second) - weight_of(view, first);

    if (groups != 0)
        return groups;
    if (difference != 0)
        return difference > 0 ? 1 : -1;
    return (one > other) - (one < other);
}

static bool is_new_group(const struct board_view *view, size_t place)
{
    const struct board_row *items = view->board->items;

    return place == 0 || compare_groups(view, &items[view->rows.items[place - 1]],
                                        &items[view->rows.items[place]]) != 0;
}

static void make_lines(struct board_view *view)
{
    size_t heading = 0;

    view->lines.count = 0;
    for (size_t i = 0; i < view->rows.count; i++) {
        size_t row = view->rows.items[i];

        if (view->group && is_new_group(view, i)) {
            heading = view->lines.count;
            vec_push(&view->lines,
                     ((struct board_line){.is_heading = true, .row = row, .first = i}));
        }
        if (view->group)
            view->lines.items[heading].count++;
        vec_push(&view->lines, (struct board_line){.row = row});
    }
}

static int longer(int columns, const char *name)
{
    int others = canvas_text_columns(name, strlen(name));

    return others > columns ? others : columns;
}

static void measure_names(struct board_view *view)
{
    const struct suite *suite = &view->follow->store.suite;

    view->label_w = view->arm_w = 0;
    for (size_t i = 0; i < view->rows.count; i++)
        view->label_w = longer(view->label_w, view->board->items[view->rows.items[i]].label);
    for (size_t i = 0; i < suite->arms.count; i++)
        view->arm_w = longer(view->arm_w, suite->arms.items[i].name);
}

void board_view_choose(struct board_view *view)
{
    view->rows.count = 0;
    for (size_t i = 0; i < view->board->count; i++)
        if (view->only == BOARD_STATES || view->board->items[i].in_state[view->only])
            vec_push(&view->rows, i);
    measure_names(view);
    if (view->rows.count)
        qsort_r(view->rows.items, view->rows.count, sizeof(*view->rows.items), compare_rows, view);
    make_lines(view);
}

void board_view_release(struct board_view *view)
{
    vec_release(&view->rows);
    vec_release(&view->lines);
}
