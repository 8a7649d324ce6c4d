#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/emit/scan/scan_kernel.h"

enum { MAX_WIDTH = 16 };

const char *scan_joined(const struct scan *s, const char *a, const char *b)
{
    return s->operator? emit_text(s->e, "%s %s %s", a, s->operator, b)
                      : emit_text(s->e, "%s(%s, %s)", s->function, a, b);
}

const char *scan_length(const struct scan *s, size_t value)
{
    return s->e->writer->extents.of[value][s->axis];
}

bool scan_is_whole(const struct scan *s, size_t value, int divisor)
{
    return s->e->writer->extents.is_fixed[value][s->axis] &&
           emit_value_at(s->e, value)->shape.dims[s->axis] % divisor == 0;
}

/* The coordinates of a vector that begins at `place`; in a mirrored row it ends there. */
static struct vector_coordinates coordinates_at(const struct scan *s, int width, const char *place)
{
    struct vector_coordinates at = {.axis = s->axis, .is_aligned = true};

    coordinates_axes(&at.coords, (1U << s->axis) - 1, "i");
    if (s->is_mirrored)
        place = emit_text(s->e, "(%s - %d - %s)", scan_length(s, s->out), width, place);
    coordinates_set(&at.coords, s->axis, place);
    at.is_aligned = !s->is_mirrored || scan_is_whole(s, s->out, width);
    return at;
}

const char *scan_load(struct scan *s, int width, const char *place, const char *indent)
{
    struct vector_coordinates at = coordinates_at(s, width, place);

    s->inliner.width = width;
    s->inliner.indent = indent;
    s->inliner.known.count = 0;
    return inliner_value(&s->inliner, s->in, &at);
}

const char *scan_element(const struct scan *s, int width, const char *loaded, int number)
{
    if (width == 1)
        return loaded;
    return emit_vector_component(s->e, loaded, s->is_mirrored ? width - 1 - number : number);
}

const char *scan_pointer(struct scan *s, int width, const char *place)
{
    const struct value *out = emit_value_at(s->e, s->out);
    struct vector_coordinates at = coordinates_at(s, width, place);
    struct strbuf index = {0};
    const char *text;

    writer_index(s->e->writer, s->out, out->shape.rank, &at.coords, &index);
    text = emit_text(s->e, width > 1 ? "p_%s + %s" : "%.0s(%s)", out->name, strbuf_cstr(&index));
    strbuf_release(&index);
    return text;
}

void scan_store(struct scan *s, int width, const char *place, const char *const *elements,
                const char *indent)
{
    const char *ordered[MAX_WIDTH] = {0}, *to = scan_pointer(s, width, place);

    for (int i = 0; i < width; i++)
        ordered[i] = elements[s->is_mirrored ? width - 1 - i : i];
    if (width > 1)
        emit_line(s->e, "%s%s;", indent,
                  (scan_is_whole(s, s->out, width) ? emit_vector_store_aligned : emit_vector_store)(
                      s->e, width, emit_vector_of(s->e, "float", ordered, width), to));
    else
        writer_store(s->e->writer, emit_value_at(s->e, s->out), to, ordered[0], indent);
}

const char *scan_first(struct scan *s)
{
    const struct value *first = emit_value_at(s->e, s->first);
    struct coordinates at = {0};
    struct strbuf index = {0}, scalar = {0};
    const char *text;

    coordinates_axes(&at, (1U << s->axis) - 1, "i");
    coordinates_set(&at, s->axis, "0");
    kernel_add_value(&s->e->kernel, first, false);
    writer_index(s->e->writer, s->first, first->shape.rank, &at, &index);
    writer_load(first, strbuf_cstr(&index), &scalar);
    text = emit_text(s->e, "%s", strbuf_cstr(&scalar));
    strbuf_release(&index);
    strbuf_release(&scalar);
    return text;
}
