#include "core/judge/oracle/choice/choice_order.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/rounding/row_order.h"
#include "core/judge/oracle/rounding/spread_lines.h"
#include "core/judge/oracle/walk.h"

/* A line whose elements are put in order, and where its results are. */
struct order {
    struct choices *choices;
    const struct walk_lines *lines;
    size_t start;
    double *names;
    bool has_any;
};

static void take_place(void *data, size_t place, const double *elements, size_t count)
{
    struct order *order = data;
    const ptrdiff_t *offsets = order->lines->offsets;
    double *room = choices_room(order->choices, count), name;

    memcpy(room, elements, count * sizeof(*room));
    name = choices_take(order->choices, count);
    order->names[order->start + (offsets ? (size_t)offsets[place] : place)] = name;
    order->has_any |= name != 0;
}

double *choice_order_find(struct choices *choices, const struct oracle_spread *spread)
{
    struct walk_lines lines = walk_lines_make(spread->call.op);
    size_t elements = (size_t)shape_elements(&spread->call.op->out->shape);
    struct walk starts = lines.starts;
    double *room = mem_alloc_zeroed(3 * lines.n + 1, sizeof(*room));
    double *places = mem_alloc_zeroed(lines.n + 1, sizeof(*places));
    struct order order = {.choices = choices,
                          .lines = &lines,
                          .names = mem_alloc_zeroed(elements + 1, sizeof(double))};

    walk_seek(&starts, 0);
    for (size_t i = 0; i < lines.count; i++, walk_step(&starts)) {
        size_t start = (size_t)starts.offsets[0];
        struct spread_line line = spread_line_gather(spread, &lines, start, room);

        order.start = start;
        for (size_t j = 0; j < lines.n; j++)
            places[j] = spread->call.out[start + (lines.offsets ? (size_t)lines.offsets[j] : j)];
        row_order_choices(&line, places, take_place, &order);
    }
    free(places);
    free(room);
    walk_lines_release(&lines);
    if (!order.has_any) {
        free(order.names);
        order.names = NULL;
    }
    return order.names;
}
