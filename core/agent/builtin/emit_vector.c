#include "core/agent/builtin/emit.h"

const char *emit_splat(struct emitter *e, const char *scalar, int width)
{
    return width > 1 ? emit_text(e, "(float%d)(%s)", width, scalar) : scalar;
}

const char *emit_vector_load(struct emitter *e, int width, const char *pointer)
{
    return width > 1 ? emit_text(e, "vload%d(0, %s)", width, pointer)
                     : emit_text(e, "*(%s)", pointer);
}

const char *emit_vector_store(struct emitter *e, int width, const char *vector, const char *pointer)
{
    return width > 1 ? emit_text(e, "vstore%d(%s, 0, %s)", width, vector, pointer)
                     : emit_text(e, "*(%s) = %s", pointer, vector);
}

const char *emit_component(struct emitter *e, const char *vector, int index)
{
    return emit_text(e, "%s.s%x", vector, (unsigned)index);
}

enum { MAX_WIDTH = 16 };

/* A vector that is put together from its elements. */
static const char *vector_of(struct emitter *e, const char *type, const char *const *elements,
                             int width)
{
    const char *text = emit_text(e, "(%s%d)(%s", type, width, elements[0]);

    for (int i = 1; i < width; i++)
        text = emit_text(e, "%s, %s", text, elements[i]);
    return emit_text(e, "%s)", text);
}

const char *emit_shift(struct emitter *e, int width, const char *vector, int distance,
                       const char *fill)
{
    const char *elements[MAX_WIDTH] = {0};

    for (int i = 0; i < width; i++)
        elements[i] = i < distance ? fill : emit_component(e, vector, i - distance);
    return vector_of(e, "float", elements, width);
}

const char *emit_exchange(struct emitter *e, int width, int distance, bool is_odd)
{
    const char *elements[MAX_WIDTH] = {0};

    for (int i = 0; i < width; i++) {
        int piece = i / distance, from = i % distance + piece / 2 * 2 * distance;

        elements[i] = emit_component(e, piece % 2 ? "b" : "a", from + (is_odd ? distance : 0));
    }
    return vector_of(e, "float", elements, width);
}

const char *emit_places_from(struct emitter *e, int width, const char *first)
{
    const char *elements[MAX_WIDTH] = {0};

    if (width == 1)
        return first;
    for (int i = 0; i < width; i++)
        elements[i] = emit_text(e, "%d", i);
    return emit_text(e, "((int%d)(%s) + %s)", width, first, vector_of(e, "int", elements, width));
}
