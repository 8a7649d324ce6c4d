#include <stdio.h>
#include <string.h>

#include "core/codegen/writer.h"

/* Coordinates, loads and stores of elements (writer.h). */

void writer_axes(struct writer *writer, size_t value, unsigned axes, const char *number,
                 const char *indent)
{
    struct strbuf inner = {0};
    unsigned left = axes;

    for (size_t axis = 0; left; axis++) {
        if (!(left >> axis & 1))
            continue;
        left &= ~(1U << axis);
        strbuf_addf(&writer->source, "%sconst int %s%zu = %s", indent, number, axis, number);
        if (left) {
            strbuf_release(&inner);
            extents_product(&writer->extents, value, left, &inner);
            strbuf_addf(&writer->source, strchr(strbuf_cstr(&inner), '*') ? " / (%s)" : " / %s",
                        strbuf_cstr(&inner));
        }
        if (axes & ((1U << axis) - 1))
            strbuf_addf(&writer->source, " %% %s", writer->extents.of[value][axis]);
        strbuf_adds(&writer->source, ";\n");
    }
    strbuf_release(&inner);
}

void coordinates_axes(struct coordinates *coords, unsigned axes, const char *number)
{
    for (size_t axis = 0; axis < SHAPE_MAX_RANK; axis++)
        if (axes >> axis & 1)
            snprintf(coords->at[axis], sizeof(coords->at[axis]), "%s%zu", number, axis);
}

void coordinates_set(struct coordinates *coords, size_t axis, const char *text)
{
    snprintf(coords->at[axis], sizeof(coords->at[axis]), "%s", text);
}

struct coordinates writer_broadcast(const struct writer *writer, size_t in, size_t out,
                                    const struct coordinates *coords)
{
    const struct value *values = writer->graph.values.items;
    size_t rank = values[in].shape.rank, shift = values[out].shape.rank - rank;
    struct coordinates moved = {0};

    for (size_t axis = 0; axis < rank; axis++) {
        const char *size = writer->extents.of[in][axis], *at = coords->at[axis + shift];
        bool is_same = writer_same_size(writer, in, axis, out, axis + shift);

        if (strcmp(size, "1") == 0)
            at = "0";
        snprintf(moved.at[axis], sizeof(moved.at[axis]),
                 at[0] == '0' || is_same ? "%s" : "%s * (%s != 1)", at, size);
    }
    return moved;
}

void writer_index(const struct writer *writer, size_t value, size_t rank,
                  const struct coordinates *coords, struct strbuf *out)
{
    for (size_t axis = 2; axis < rank; axis++)
        strbuf_adds(out, "(");
    for (size_t axis = 0; axis < rank; axis++) {
        if (axis > 0)
            strbuf_addf(out, " * %s + ", writer->extents.of[value][axis]);
        strbuf_addf(out, "%s%s", coords->at[axis], axis > 0 && axis + 1 < rank ? ")" : "");
    }
    if (rank == 0)
        strbuf_adds(out, "0");
}

/* Expand the formula of a load or store. */
static void expand_access(const char *access, const struct value *value, const char *index,
                          const char *text, struct strbuf *out)
{
    struct strbuf pointer = {0};
    struct formula_words words = {0};

    strbuf_addf(&pointer, "p_%s", value->name);
    words.of['p'] = strbuf_cstr(&pointer);
    words.of['i'] = index;
    words.of['v'] = text;
    formula_expand(access, &words, out);
    strbuf_release(&pointer);
}

void writer_load(const struct value *value, const char *index, struct strbuf *out)
{
    char number[32];

    if (value->role == TENSOR_CONSTANT) {
        formula_number(value->dtype, value->fill.a, number);
        strbuf_adds(out, number);
    } else {
        expand_access(formula_type(value->dtype)->load, value, index, NULL, out);
    }
}

void writer_store(struct writer *writer, const struct value *value, const char *index,
                  const char *text, const char *indent)
{
    strbuf_adds(&writer->source, indent);
    expand_access(formula_type(value->dtype)->store, value, index, text, &writer->source);
    strbuf_adds(&writer->source, ";\n");
}
