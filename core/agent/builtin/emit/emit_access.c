#include "core/agent/builtin/emit/emit_access.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/plan/fusion_epilogue.h"

/*
 * An element's index in memory is row * columns + column. The row part is zero for a value that all
 * rows share.
 */

bool emit_is_own(const struct emitter *e, size_t value)
{
    return e->fusion->group_of[value] == e->number;
}

static enum span row_span(const struct emitter *e, size_t value)
{
    return fusion_span(e->writer, value, e->group->space,
                       axes_bits(group_rows(e->writer, e->group)));
}

void emit_row_axes(struct emitter *e, const char *indent)
{
    for (size_t n = 0; n < e->group->count; n++) {
        const struct graph_node *node = emit_node_at(e, e->group->nodes[n]);

        for (size_t i = 0; node->op->kind != OP_PRODUCT && i < node->in_count; i++)
            if (!emit_is_own(e, node->in[i]) && row_span(e, node->in[i]) == SPAN_OTHER) {
                writer_axes(e->writer, e->group->space, axes_bits(group_rows(e->writer, e->group)),
                            "row", indent);
                return;
            }
    }
}

/*
 * The row part of an element's index; an operand that is broadcast over some axes of the row needs
 * its own.
 */
static const char *row_index(struct emitter *e, size_t value, const struct position *position)
{
    struct axes rows = group_rows(e->writer, e->group);
    size_t own_rows = emit_value_at(e, value)->shape.rank;
    struct coordinates coords = {0};
    struct strbuf index = {0};
    const char *text;

    if (rows.end == 0 || own_rows == 0 || row_span(e, value) == SPAN_ONE)
        return "0";
    if (row_span(e, value) == SPAN_ALL)
        return position->row;
    own_rows -= e->group->column_axes;
    coordinates_axes(&coords, axes_bits(rows), "row");
    coords = writer_broadcast(e->writer, value, e->group->space, &coords);
    writer_index(e->writer, value, own_rows, &coords, &index);
    text = emit_text(e, "(%s)", strbuf_cstr(&index));
    strbuf_release(&index);
    return text;
}

/* True if the value has one element for each channel of a normalization by groups. */
static bool is_channel(const struct emitter *e, size_t value)
{
    return e->group->parts && emit_value_at(e, value)->shape.rank == 1;
}

bool emit_is_along(const struct emitter *e, size_t value)
{
    if (is_channel(e, value))
        return e->group->column_axes == 1;
    return fusion_span(e->writer, value, e->group->space, group_column_bits(e->writer, e->group)) ==
           SPAN_ALL;
}

/* The same of an element of the batch, where a row is a channel. */
static const char *batch_index(struct emitter *e, const struct position *position)
{
    struct axes lines = group_columns(e->writer, e->group);
    const char *channels = e->writer->extents.of[e->group->space][1];
    const char *line = emit_sizes(e, e->group->space, axes_bits(lines));

    if (lines.first == lines.end)
        return emit_text(e, "(%s) * %s + %s", position->column, channels, position->row);
    return emit_text(e, "((%s) / (%s) * %s + %s) * (%s) + (%s) %% (%s)", position->column, line,
                     channels, position->row, line, position->column, line);
}

/* The index of the value's element, or of the first element of a vector, at the position. */
static const char *index_at(struct emitter *e, size_t value, const struct position *position)
{
    struct axes columns = group_columns(e->writer, e->group);
    const char *row;

    if (emit_is_own(e, value) && e->fusion->is_row[value])
        return position->row;
    if (is_channel(e, value))
        return emit_text(e, "%s %% %s * (%s / %s) + (%s) / %s", position->row, e->group->parts,
                         e->writer->extents.of[e->group->space][columns.first], e->group->parts,
                         position->column, emit_extent(e, emit_channel_axes(e)));
    row = row_index(e, value, position);
    if (!emit_is_along(e, value))
        return row;
    if (strcmp(row, "0") == 0)
        return position->column;
    if (e->group->has_batch)
        return batch_index(e, position);
    return emit_text(e, "%s * %s + %s", row, emit_extent(e, columns), position->column);
}

/* Load a pair whose second element may be beyond the last column: then the first one twice. */
static const char *load_each(struct emitter *e, const struct value *stored, const char *index,
                             const struct position *position)
{
    const char *const places[PAIR] = {index, emit_text(e, "%s + %s", index, position->second)};
    const char *elements[PAIR];

    for (size_t i = 0; i < PAIR; i++) {
        struct strbuf scalar = {0};

        writer_load(stored, places[i], &scalar);
        elements[i] = emit_text(e, "%s", strbuf_cstr(&scalar));
        strbuf_release(&scalar);
    }
    return emit_vector_of(e, "float", elements, PAIR);
}

const char *emit_load(struct emitter *e, size_t value, const struct position *position)
{
    const struct value *v = emit_value_at(e, value);
    const char *index = index_at(e, value, position);
    const char *pointer = emit_text(e, "p_%s + %s", v->name, index);
    struct strbuf scalar = {0};
    struct value stored = *v;
    const char *text;

    if (position->slot && e->is_preloaded[value])
        return emit_text(e, "early_%s[%s]", v->name, position->slot);
    stored.dtype = fusion_storage(e->writer, e->schedule, e->fusion, value);
    if (position->second && emit_is_along(e, value))
        return load_each(e, &stored, index, position);
    if (position->width > 1 && emit_is_along(e, value) && e->fusion->is_rounded[value])
        return emit_text(e, "load_rounded%s<%d>(%s)", position->is_aligned ? "" : "_each",
                         position->width, pointer);
    if (position->width > 1 && emit_is_along(e, value))
        return (position->is_aligned ? emit_vector_load_aligned
                                     : emit_vector_load)(e, position->width, pointer);
    writer_load(&stored, index, &scalar);
    text = emit_text(e, "%s", emit_vector_splat(e, strbuf_cstr(&scalar), position->width));
    strbuf_release(&scalar);
    return text;
}

/* Store a pair whose second element may be beyond the last column. */
static void store_each(struct emitter *e, size_t value, const char *text,
                       const struct position *position)
{
    const struct value *v = emit_value_at(e, value);
    const char *index = index_at(e, value, position), *there = position->condition;
    const char *indent = position->indent;
    const char *const conditions[PAIR] = {
        emit_text(e, "%sif (%s) ", indent, there),
        emit_text(e, "%sif (%s && %s) ", indent, there, position->second)};

    if (e->fusion->is_rounded[value])
        emit_line(e, "%sconst uint both_%s = pack(%s, %s);", indent, v->name,
                  emit_vector_component(e, text, 0), emit_vector_component(e, text, 1));
    for (int i = 0; i < PAIR; i++) {
        const char *place = i ? emit_text(e, "%s + 1", index) : index;

        if (e->fusion->is_rounded[value])
            emit_line(e, "%s*(ushort *)(p_%s + %s) = (ushort)(both_%s >> %d);", conditions[i],
                      v->name, place, v->name, i * 16);
        else
            writer_store(e->writer, v, place, emit_vector_component(e, text, i), conditions[i]);
    }
}

void emit_store(struct emitter *e, size_t value, const char *text, const struct position *position)
{
    const struct value *v = emit_value_at(e, value);
    const char *index = index_at(e, value, position);
    const char *indent = position->condition
                             ? emit_text(e, "%sif (%s) ", position->indent, position->condition)
                             : position->indent;

    if (position->second)
        store_each(e, value, text, position);
    else if (e->fusion->is_rounded[value]) /* by the epilogue of a product, in pairs of columns */
        emit_line(e, "%s%s = pack(%s, %s);", e->packs_runs ? position->indent : indent,
                  e->packs_runs ? emit_text(e, "packed_%s[j %% 4]", v->name)
                                : emit_text(e, "*(uint *)(p_%s + %s)", v->name, index),
                  emit_vector_component(e, text, 0), emit_vector_component(e, text, 1));
    else if (position->width > 1)
        emit_line(e, "%s%s;", indent,
                  (position->is_aligned ? emit_vector_store_aligned : emit_vector_store)(
                      e, position->width, text, emit_text(e, "p_%s + %s", v->name, index)));
    else
        writer_store(e->writer, v, index, text, indent);
}
