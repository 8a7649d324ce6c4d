#include "core/agent/builtin/emit/emit_elementwise.h"

#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"

/*
 * A work-item computes `items` vectors of one row, and single columns after the last whole vector.
 * With one work-item per work-group these vectors are neighbours. The work-items of a larger group
 * interleave their vectors, so that each load of the group covers contiguous memory.
 *
 * Rows are the second dimension of the index space. GPUs limit it, so many rows are folded into the
 * first one. If operands are the same in each row, a work-item loads them once for several rows.
 */

/*
 * The maximum number of rows that fits the second dimension of every GPU, with room for sizes above
 * the main ones.
 */
enum { MOST_ROWS = 1 << 13 };

static bool is_folded(const struct emitter *e)
{
    struct axes rows = group_rows(e->writer, e->group);
    int64_t count = 1;

    for (size_t axis = rows.first; axis < rows.end; axis++)
        count *= emit_value_at(e, e->group->space)->shape.dims[axis];
    return e->schedule->of[KNOB_GROUP] > 1 && count > MOST_ROWS;
}

/* The columns that a work-group computes. */
static int group_width(const struct emitter *e, int width)
{
    return width * e->schedule->of[KNOB_ITEMS] * e->schedule->of[KNOB_GROUP];
}

/* True if the kernel reads a result that a product has just stored, its last rows last. */
static bool reads_product(const struct emitter *e)
{
    for (size_t n = 0; n < e->group->count; n++) {
        const struct graph_node *node = emit_node_at(e, e->group->nodes[n]);

        for (size_t i = 0; i < node->in_count; i++)
            if (e->fusion->is_rounded[node->in[i]])
                return true;
    }
    return false;
}

/*
 * The row of number `row`, as C text. The last rows of a product come first, because they are still
 * in the cache.
 */
static const char *in_order(struct emitter *e, const char *row)
{
    return reads_product(e)
               ? emit_text(e, "%s - 1 - %s", emit_extent(e, group_rows(e->writer, e->group)), row)
               : row;
}

/* True if the group reads operands that have an element for each column only. */
static bool reads_columns(const struct emitter *e)
{
    struct axes rows = group_rows(e->writer, e->group),
                columns = group_columns(e->writer, e->group);

    for (size_t n = 0; n < e->group->count; n++) {
        const struct graph_node *node = emit_node_at(e, e->group->nodes[n]);

        for (size_t i = 0; i < node->in_count; i++)
            if (!emit_is_own(e, node->in[i]) &&
                fusion_span(e->writer, node->in[i], e->group->space, axes_bits(rows)) == SPAN_ONE &&
                fusion_span(e->writer, node->in[i], e->group->space, axes_bits(columns)) ==
                    SPAN_ALL)
                return true;
    }
    return false;
}

/* Rows that a work-item computes. */
static int rows_of_item(const struct emitter *e, int width)
{
    enum { SHARED_ROWS = 4 };
    struct axes rows = group_rows(e->writer, e->group),
                columns = group_columns(e->writer, e->group);

    return is_folded(e) && reads_columns(e) && width > 1 && width == emit_aligned_width(e) &&
                   e->schedule->of[KNOB_ITEMS] == 1 && emit_divides(e, rows, SHARED_ROWS) &&
                   emit_divides(e, columns, group_width(e, width))
               ? SHARED_ROWS
               : 1;
}

/* Declare the row, and the number of the work-group in it. */
static void write_row(struct emitter *e, int width)
{
    if (is_folded(e)) {
        emit_line(e, "    const int groups = (%s + %d) / %d;",
                  emit_extent(e, group_columns(e->writer, e->group)), group_width(e, width) - 1,
                  group_width(e, width));
        emit_line(e, "    const int group = $group_id0 %% groups;");
        if (rows_of_item(e, width) == 1)
            emit_line(e, "    const int row = %s;", in_order(e, "$group_id0 / groups"));
        return;
    }
    if (e->schedule->of[KNOB_GROUP] > 1)
        emit_line(e, "    const int group = $group_id0;");
    if (group_rows(e->writer, e->group).end > 0)
        emit_line(e, "    const int row = %s;", in_order(e, "$global_id1"));
}

/*
 * The columns of a work-item: C text of the first and of the end; where single columns begin; and
 * both steps.
 */
struct range {
    const char *first, *end, *rest;
    int step, rest_step;
};

static struct range range_of(struct emitter *e, int chunk)
{
    int group = e->schedule->of[KNOB_GROUP], width = emit_aligned_width(e);

    if (group > 1)
        return (struct range){
            .first = emit_text(e, "group * %d + $local_id0 * %d", chunk * group, width),
            .end = emit_text(e, "group * %d + %d", chunk * group, chunk * group),
            .rest = emit_text(e, "end / %d * %d + $local_id0", width, width),
            .step = group * width,
            .rest_step = group,
        };
    return (struct range){
        .first = emit_text(e, "$global_id0 * %d", chunk),
        .end = emit_text(e, "(int)$global_id0 * %d + %d", chunk, chunk),
        .step = width,
        .rest_step = 1,
    };
}

static void emit_loops(struct emitter *e, int width)
{
    struct axes columns = group_columns(e->writer, e->group);
    struct range range = range_of(e, emit_width(e) * e->schedule->of[KNOB_ITEMS]);
    struct position position = {.row = "row",
                                .column = "col",
                                .width = width,
                                .indent = "        ",
                                .is_aligned = emit_is_whole(e, width)};

    emit_line(e, "    const int end = min(%s, %s);", range.end, emit_extent(e, columns));
    emit_line(e, "    int col = %s;", range.first);
    if (width > 1) {
        emit_line(e, "\n    for (; col + %d <= end; col += %d) {", width, range.step);
        emit_results(e, &position);
        emit_line(e, "    }");
    }
    if (emit_divides(e, columns, width) && width > 1)
        return;
    if (range.rest && width > 1)
        emit_line(e, "    col = %s;", range.rest);
    position.width = 1;
    emit_line(e, "\n    for (; col < end; %s) {",
              range.rest_step > 1 ? emit_text(e, "col += %d", range.rest_step) : "col++");
    emit_results(e, &position);
    emit_line(e, "    }");
}

/* Compute a vector of each of several rows. */
static void emit_shared_columns(struct emitter *e, int width)
{
    int rows = rows_of_item(e, width);
    struct position position = {.row = "row",
                                .column = "col",
                                .width = width,
                                .indent = "        ",
                                .is_aligned = emit_is_whole(e, width)};

    emit_line(e, "    const int col = group * %d + $local_id0 * %d;", group_width(e, width), width);
    emit_line(e, "\n#pragma unroll\n    for (int part = 0; part < %d; part++) {", rows);
    emit_line(e, "        const int row = %s;",
              in_order(e, emit_text(e, "($group_id0 / groups * %d + part)", rows)));
    emit_row_axes(e, "        ");
    emit_results(e, &position);
    emit_line(e, "    }");
}

static void launch(struct emitter *e, int width)
{
    int group = e->schedule->of[KNOB_GROUP];
    const char *columns = emit_extent(e, group_columns(e->writer, e->group));
    const char *rows = emit_extent(e, group_rows(e->writer, e->group));
    int shared = rows_of_item(e, width);
    bool folds = is_folded(e);
    struct space space = {.rank = folds ? 1 : 2};

    space.global[0] = emit_text(e, "%s%s%salign(ceildiv(%s, %d), %d)", folds ? rows : "",
                                shared > 1 ? emit_text(e, " / %d", shared) : "", folds ? " * " : "",
                                columns, width * e->schedule->of[KNOB_ITEMS], group ? group : 1);
    space.global[1] = rows;
    if (group) {
        space.local[0] = emit_text(e, "%d", group);
        space.local[1] = "1";
    }
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

void emit_elementwise(struct emitter *e)
{
    int width = emit_width(e);

    e->kernel.name = emit_text(e, "elements_%zu", e->number);
    emit_args(e, 0);
    writer_head(e->writer, &e->kernel);
    write_row(e, width);
    if (rows_of_item(e, width) > 1) {
        emit_shared_columns(e, width);
    } else {
        emit_row_axes(e, "    ");
        emit_loops(e, emit_aligned_width(e));
    }
    emit_line(e, "}");
    launch(e, width);
}
