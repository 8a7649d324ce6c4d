#include "core/agent/builtin/emit/emit_space.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_element.h"

struct axes emit_channel_axes(const struct emitter *e)
{
    struct axes axes = group_columns(e->writer, e->group);

    axes.first++;
    return axes;
}

/* A vector must not reach into the next channel, unless each column is a channel of its own. */
static int channel_width(const struct emitter *e)
{
    int width = e->schedule->of[KNOB_VEC];

    while (e->group->has_batch && !emit_divides(e, group_columns(e->writer, e->group), width))
        width /= 2;
    while (e->group->column_axes > 1 && !emit_divides(e, emit_channel_axes(e), width))
        width /= 2;
    return width;
}

int emit_width(const struct emitter *e)
{
    for (size_t n = 0; n < e->group->count; n++) {
        struct op_call call = graph_call(&e->writer->graph, e->group->nodes[n]);

        bool is_row = e->fusion->is_row[emit_node_at(e, e->group->nodes[n])->out];

        for (size_t i = 0; i < call.in_count; i++)
            if (call.in[i]->dtype != DTYPE_F32 &&
                !(is_row && emit_is_elementwise(e, e->group->nodes[n])))
                return 1;
        if (call.out->dtype != DTYPE_F32 && !is_row)
            return 1;
    }
    return e->group->parts || e->group->has_batch ? channel_width(e) : e->schedule->of[KNOB_VEC];
}

const char *emit_sizes(struct emitter *e, size_t value, unsigned axes)
{
    struct strbuf text = {0};
    const char *copy;

    extents_product(&e->writer->extents, value, axes, &text);
    copy = emit_text(e, "%s", strbuf_cstr(&text));
    strbuf_release(&text);
    return copy;
}

const char *emit_extent(struct emitter *e, struct axes axes)
{
    bool is_columns = axes.first == group_columns(e->writer, e->group).first;
    const char *copy = emit_sizes(e, e->group->space,
                                  axes_bits(axes) | (is_columns && e->group->has_batch ? 1U : 0U));

    if (strchr(copy, '*'))
        copy = emit_text(e, "(%s)", copy);
    if (e->group->parts && axes.end == group_rows(e->writer, e->group).end)
        return emit_text(e, "(%s * %s)", copy, e->group->parts);
    if (e->group->parts && is_columns)
        return emit_text(e, "(%s / %s)", copy, e->group->parts);
    return copy;
}

bool emit_divides(const struct emitter *e, struct axes axes, int divisor)
{
    int64_t product = 1;

    for (size_t axis = axes.first; axis < axes.end; axis++) {
        if (!e->writer->extents.is_fixed[e->group->space][axis])
            return divisor == 1;
        product *= emit_value_at(e, e->group->space)->shape.dims[axis];
    }
    if (e->group->parts && axes.first == group_columns(e->writer, e->group).first)
        product /= e->group->part_count;
    return product % divisor == 0;
}

bool emit_is_whole(const struct emitter *e, int width)
{
    return group_rows(e->writer, e->group).end == 0 ||
           emit_divides(e, group_columns(e->writer, e->group), width);
}

/* True if rows have the same length at all dimensions of the problem. */
static bool has_fixed_rows(const struct emitter *e)
{
    struct axes columns = group_columns(e->writer, e->group);

    for (size_t axis = columns.first; axis < columns.end; axis++)
        if (!e->writer->extents.is_fixed[e->group->space][axis])
            return false;
    return true;
}

int emit_aligned_width(const struct emitter *e)
{
    int width = emit_width(e);

    while (e->writer->dialect->is_aligned && has_fixed_rows(e) && width > 1 &&
           !emit_is_whole(e, width))
        width /= 2;
    return width;
}
