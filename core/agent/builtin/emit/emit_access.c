#include <string.h>

#include "core/agent/builtin/emit/emit.h"

/* Where the elements of values are in memory: by a row's number and a column. */

static const struct value *value_at(const struct emitter *e, size_t value)
{
    return &e->writer->graph.values.items[value];
}

static const struct graph_node *node_at(const struct emitter *e, size_t node)
{
    return &e->writer->graph.nodes.items[node];
}

bool emit_is_own(const struct emitter *e, size_t value)
{
    return e->fusion->group_of[value] == e->number;
}

static enum span row_span(const struct emitter *e, size_t value)
{
    return fusion_span(e->writer, value, e->group->space, group_rows(e->writer, e->group));
}

void emit_row_axes(struct emitter *e, const char *indent)
{
    for (size_t n = 0; n < e->group->count; n++) {
        const struct graph_node *node = node_at(e, e->group->nodes[n]);

        for (size_t i = 0; node->op->kind != OP_PRODUCT && i < node->in_count; i++)
            if (!emit_is_own(e, node->in[i]) && row_span(e, node->in[i]) == SPAN_OTHER) {
                writer_axes(e->writer, e->group->space, axes_bits(group_rows(e->writer, e->group)),
                            "row", indent);
                return;
            }
    }
}

/* The row part of an element's index: a row number among the value's own rows. */
static const char *row_index(struct emitter *e, size_t value, const struct spot *spot)
{
    struct axes rows = group_rows(e->writer, e->group);
    size_t own_rows = value_at(e, value)->shape.rank;
    struct place place = {0};
    struct strbuf index = {0};
    const char *text;

    if (rows.end == 0 || row_span(e, value) == SPAN_ONE)
        return "0";
    if (row_span(e, value) == SPAN_ALL)
        return spot->row;
    own_rows -= e->group->column_axes;
    place_axes(&place, axes_bits(rows), "row");
    place = writer_broadcast(e->writer, value, e->group->space, &place);
    writer_index(e->writer, value, own_rows, &place, &index);
    text = emit_text(e, "(%s)", strbuf_cstr(&index));
    strbuf_release(&index);
    return text;
}

/* Whether the value has one element for each channel of a norm by groups. */
static bool is_channel(const struct emitter *e, size_t value)
{
    return e->group->parts && value_at(e, value)->shape.rank == 1;
}

bool emit_is_along(const struct emitter *e, size_t value)
{
    if (is_channel(e, value))
        return e->group->column_axes == 1;
    return fusion_span(e->writer, value, e->group->space, group_columns(e->writer, e->group)) ==
           SPAN_ALL;
}

/* The index of the value's element, or of the first of its elements, at the spot. */
static const char *index_at(struct emitter *e, size_t value, const struct spot *spot)
{
    struct axes columns = group_columns(e->writer, e->group);
    const char *row;

    if (emit_is_own(e, value) && e->fusion->is_row[value])
        return spot->row;
    if (is_channel(e, value))
        return emit_text(e, "%s %% %s * (%s / %s) + (%s) / %s", spot->row, e->group->parts,
                         e->writer->extents.of[e->group->space][columns.first], e->group->parts,
                         spot->column, emit_extent(e, emit_channel_axes(e)));
    row = row_index(e, value, spot);
    if (fusion_span(e->writer, value, e->group->space, columns) == SPAN_ONE)
        return row;
    if (strcmp(row, "0") == 0)
        return spot->column;
    return emit_text(e, "%s * %s + %s", row, emit_extent(e, columns), spot->column);
}

const char *emit_load(struct emitter *e, size_t value, const struct spot *spot)
{
    const struct value *v = value_at(e, value);
    const char *index = index_at(e, value, spot);
    struct strbuf scalar = {0};
    const char *text;

    if (spot->turn && e->is_early[value])
        return emit_text(e, "early_%s[%s]", v->name, spot->turn);
    if (spot->width > 1 && emit_is_along(e, value))
        return (spot->is_aligned ? emit_aligned_load : emit_vector_load)(
            e, spot->width, emit_text(e, "p_%s + %s", v->name, index));
    writer_load(v, index, &scalar);
    text = emit_text(e, "%s", emit_splat(e, strbuf_cstr(&scalar), spot->width));
    strbuf_release(&scalar);
    return text;
}

void emit_store(struct emitter *e, size_t value, const char *text, const struct spot *spot)
{
    const struct value *v = value_at(e, value);
    const char *index = index_at(e, value, spot);

    if (spot->width > 1)
        emit_line(e, "%s%s;", spot->indent,
                  (spot->is_aligned ? emit_aligned_store : emit_vector_store)(
                      e, spot->width, text, emit_text(e, "p_%s + %s", v->name, index)));
    else
        writer_store(e->writer, v, index, text, spot->indent);
}
