#include "core/agent/builtin/emit.h"

/*
 * A work-item computes `items` vectors of neighbouring columns in one row;
 * columns beyond the last whole vector one by one.
 */

static void emit_loops(struct emitter *e, int width)
{
    struct axes columns = group_columns(e->writer, e->group);
    int chunk = width * e->schedule->of[KNOB_ITEMS];
    struct spot spot = {.row = "row", .column = "col", .width = width, .indent = "        "};

    emit_line(e, "    const int end = min((int)get_global_id(0) * %d + %d, %s);", chunk, chunk,
              emit_extent(e, columns));
    emit_line(e, "    int col = get_global_id(0) * %d;", chunk);
    if (width > 1) {
        emit_line(e, "\n    for (; col + %d <= end; col += %d) {", width, width);
        emit_results(e, &spot);
        emit_line(e, "    }");
    }
    if (emit_divides(e, columns, width) && width > 1)
        return;
    spot.width = 1;
    emit_line(e, "\n    for (; col < end; col++) {");
    emit_results(e, &spot);
    emit_line(e, "    }");
}

static void launch(struct emitter *e, int width)
{
    int group = e->schedule->of[KNOB_GROUP];
    const char *columns = emit_extent(e, group_columns(e->writer, e->group));
    struct space space = {.rank = 2};

    space.global[0] = emit_text(e, "align(ceildiv(%s, %d), %d)", columns,
                                width * e->schedule->of[KNOB_ITEMS], group ? group : 1);
    space.global[1] = emit_extent(e, group_rows(e->writer, e->group));
    if (group) {
        space.local[0] = emit_text(e, "%d", group);
        space.local[1] = "1";
    }
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

void emit_elements(struct emitter *e)
{
    int width = emit_width(e);

    e->kernel.name = emit_text(e, "elements_%zu", e->number);
    emit_args(e, 0);
    writer_head(e->writer, &e->kernel);
    if (group_rows(e->writer, e->group).end > 0)
        emit_line(e, "    const int row = get_global_id(1);");
    emit_row_axes(e, "    ");
    emit_loops(e, width);
    emit_line(e, "}");
    launch(e, width);
}
