#include "core/agent/builtin/emit/product/product_tile.h"

#include "core/agent/builtin/emit/emit_space.h"

/* The axes of an operand that number its matrices. */
static struct axes batch_axes(const struct tile *t, size_t operand)
{
    size_t rank = t->call.in[operand]->shape.rank;

    return (struct axes){0, rank > 2 ? rank - 2 : 0};
}

bool product_has_batch(const struct tile *t)
{
    return t->product.batch.rank > 0;
}

const char *product_batch_extent(const struct tile *t, size_t operand)
{
    if (operand == RESULT)
        return emit_sizes(t->e, t->node->out, (1U << t->product.batch.rank) - 1);
    return emit_sizes(t->e, t->node->in[operand], axes_bits(batch_axes(t, operand)));
}

const char *product_matrix_index(const struct tile *t, size_t operand)
{
    struct coordinates coords = {0};
    struct strbuf index = {0};
    const char *copy;

    if (!product_has_batch(t) || batch_axes(t, operand).end == 0)
        return NULL;
    coordinates_axes(&coords, (1U << t->product.batch.rank) - 1, "batch");
    coords = writer_broadcast(t->e->writer, t->node->in[operand], t->node->out, &coords);
    writer_index(t->e->writer, t->node->in[operand], batch_axes(t, operand).end, &coords, &index);
    copy = emit_text(t->e, "(%s)", strbuf_cstr(&index));
    strbuf_release(&index);
    return copy;
}

int product_column_dimension(const struct emitter *e)
{
    return e->schedule->of[KNOB_ORDER] ? 1 : 0;
}

/* The offset of a matrix; a packed matrix consists of whole tiles of columns. */
const char *product_offset(const struct tile *t, size_t operand)
{
    const char *index = product_matrix_index(t, operand);
    const char *size = t->rows;

    if (!index)
        return "";
    if (operand == 1)
        size = t->is_packed
                   ? emit_text(t->e, "((%s + %d) / %d * %d)", t->columns, t->n - 1, t->n, t->n)
                   : t->columns;
    return emit_text(t->e, " + %s * %s * %s", index, size, t->depth);
}

bool product_is_converted(const struct tile *t)
{
    return t->e->fusion->converted_for[t->node->in[0]] == t->e->number;
}
