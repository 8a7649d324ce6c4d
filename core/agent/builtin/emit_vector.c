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

/* A vector that is put together from the elements that `element` gives. */
static const char *vector_of(struct emitter *e, const char *type, int width,
                             const char *(*element)(struct emitter *e, const void *data, int index),
                             const void *data)
{
    const char *text = emit_text(e, "(%s%d)(", type, width);

    for (int i = 0; i < width; i++)
        text = emit_text(e, "%s%s%s", text, i ? ", " : "", element(e, data, i));
    return emit_text(e, "%s)", text);
}

struct shift {
    const char *vector, *fill;
    int distance;
};

static const char *shifted(struct emitter *e, const void *data, int index)
{
    const struct shift *s = data;

    return index < s->distance ? s->fill : emit_component(e, s->vector, index - s->distance);
}

const char *emit_shift(struct emitter *e, int width, const char *vector, int distance,
                       const char *fill)
{
    struct shift shift = {vector, fill, distance};

    return vector_of(e, "float", width, shifted, &shift);
}

struct exchange {
    int distance;
    bool is_odd;
};

static const char *exchanged(struct emitter *e, const void *data, int index)
{
    const struct exchange *x = data;
    int piece = index / x->distance, from = index % x->distance + piece / 2 * 2 * x->distance;

    return emit_component(e, piece % 2 ? "b" : "a", from + (x->is_odd ? x->distance : 0));
}

const char *emit_exchange(struct emitter *e, int width, int distance, bool is_odd)
{
    struct exchange exchange = {distance, is_odd};

    return vector_of(e, "float", width, exchanged, &exchange);
}

static const char *counted(struct emitter *e, const void *data, int index)
{
    (void)data;
    return emit_text(e, "%d", index);
}

const char *emit_places_from(struct emitter *e, int width, const char *first)
{
    if (width == 1)
        return first;
    return emit_text(e, "((int%d)(%s) + %s)", width, first,
                     vector_of(e, "int", width, counted, NULL));
}
