#include <string.h>

#include "core/agent/builtin/pull.h"

/*
 * A work-item goes along part of a line of the result, or along several
 * lines that are short, and pulls each vector through the operations that
 * lead to it.
 */

struct lines {
    struct emitter *e;
    struct pull pull;
    size_t value;
    size_t rank, outer; /* axes, and how many of them work-items are numbered by */
    struct strbuf head; /* what is the same along all of a work-item's lines */
};

static const struct shape *shape_of(const struct lines *l)
{
    return &l->e->writer->graph.values.items[l->value].shape;
}

static const char *size_of(const struct lines *l, size_t axis)
{
    return l->rank ? l->e->writer->extents.of[l->value][axis] : "1";
}

/* The least number of outer axes that leaves a work-item enough to do. */
static size_t count_outer(const struct lines *l, int width)
{
    const int64_t *dims = shape_of(l)->dims;
    size_t outer = l->rank ? l->rank - 1 : 0;
    int64_t vectors = l->rank ? dims[outer] / width : 1;

    while (outer > 1 && vectors < l->e->schedule->of[KNOB_ITEMS])
        vectors *= dims[--outer];
    return outer;
}

/* Vectors of `width` from where the last loop ended; `i<last>` runs along the line. */
static void write_vectors(struct lines *l, int width)
{
    struct emitter *e = l->e;
    struct locus at = {.lane = l->rank ? l->rank - 1 : NO_LANE, .is_aligned = true};
    const char *indent = emit_text(e, "%*s", (int)(4 * (1 + l->rank - l->outer)), "");

    place_axes(&at.place, value_axes(&e->writer->graph.values.items[l->value]), "i");
    l->pull.width = width;
    l->pull.indent = emit_text(e, "%s    ", indent);
    if (l->rank)
        emit_line(e, "%sfor (; i%zu + %d <= end; i%zu += %d) {", indent, l->rank - 1, width,
                  l->rank - 1, width);
    else
        emit_line(e, "%s{", indent);
    pull_store(&l->pull, l->value, &at);
    emit_line(e, "%s}", indent);
}

static bool has_rest(const struct lines *l, int width)
{
    return l->rank && (!l->e->writer->extents.is_fixed[l->value][l->rank - 1] ||
                       shape_of(l)->dims[l->rank - 1] % width != 0);
}

static void write_line(struct lines *l, int width)
{
    struct emitter *e = l->e;
    const char *indent = emit_text(e, "%*s", (int)(4 * (1 + l->rank - l->outer)), "");
    const char *size = size_of(l, l->rank - 1);
    int chunk = width * e->schedule->of[KNOB_ITEMS];

    for (size_t axis = l->outer; axis + 1 < l->rank; axis++)
        emit_line(e, "%*sfor (int i%zu = 0; i%zu < %s; i%zu++) {", (int)(4 * (1 + axis - l->outer)),
                  "", axis, axis, size_of(l, axis), axis);
    if (l->rank && l->outer + 1 == l->rank)
        emit_line(e,
                  "%sconst int end = min((int)$global_id0 * %d + %d, %s);\n"
                  "%sint i%zu = $global_id0 * %d;\n",
                  indent, chunk, chunk, size, indent, l->rank - 1, chunk);
    else if (l->rank)
        emit_line(e, "%sconst int end = %s;\n%sint i%zu = 0;\n", indent, size, indent, l->rank - 1);
    write_vectors(l, width);
    if (width > 1 && has_rest(l, width))
        write_vectors(l, 1);
    for (size_t axis = l->rank; axis-- > l->outer + 1;)
        emit_line(e, "%*s}", (int)(4 * (axis - l->outer)), "");
}

/* The body of the kernel with vectors of `width`; false where they cannot be had. */
static bool write_body(struct lines *l, int width, struct strbuf *body)
{
    struct strbuf *source = &l->e->writer->source, kept = *source;
    unsigned outer = (1U << l->outer) - 1;

    *source = (struct strbuf){0};
    l->pull = (struct pull){.e = l->e, .head = &l->head, .outer = l->outer};
    write_line(l, width);
    pull_release(&l->pull);
    *body = *source;
    *source = (struct strbuf){0};
    if (outer) {
        emit_line(l->e, "    const int i = $global_id1;");
        writer_axes(l->e->writer, l->value, outer, "i", "    ");
    }
    strbuf_add(source, strbuf_cstr(&l->head), l->head.len);
    strbuf_add(source, strbuf_cstr(body), body->len);
    strbuf_release(body);
    strbuf_release(&l->head);
    *body = *source;
    *source = kept;
    return !l->pull.is_stuck;
}

static void launch(const struct lines *l, int width)
{
    struct emitter *e = l->e;
    int group = e->schedule->of[KNOB_GROUP], items = width * e->schedule->of[KNOB_ITEMS];
    struct strbuf rows = {0};
    struct space space = {.global = {"1"}, .rank = 2};

    extents_product(&e->writer->extents, l->value, (1U << l->outer) - 1, &rows);
    if (l->rank && l->outer + 1 == l->rank)
        space.global[0] = emit_text(e, "ceildiv(%s, %d)", size_of(l, l->rank - 1), items);
    space.global[1] = emit_text(e, "%s", strbuf_cstr(&rows));
    if (group) {
        space.global[0] = emit_text(e, "align(%s, %d)", space.global[0], group);
        space.local[0] = emit_text(e, "%d", group);
        space.local[1] = "1";
    }
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
    strbuf_release(&rows);
}

static void write_kernel(struct emitter *e, size_t value)
{
    struct lines l = {.e = e, .value = value};
    int width = e->schedule->of[KNOB_VEC];
    struct strbuf body = {0};

    e->kernel = (struct kernel){.name = emit_text(e, "places_%zu", e->number)};
    l.rank = e->writer->graph.values.items[value].shape.rank;
    for (;; width /= 2) {
        l.outer = count_outer(&l, width);
        if (write_body(&l, width, &body))
            break;
        strbuf_release(&body);
        kernel_release(&e->kernel);
        e->kernel.name = emit_text(e, "places_%zu", e->number);
    }
    kernel_add_value(&e->kernel, &e->writer->graph.values.items[value], true);
    writer_head(e->writer, &e->kernel);
    strbuf_add(&e->writer->source, strbuf_cstr(&body), body.len);
    emit_line(e, "}");
    strbuf_release(&body);
    launch(&l, width);
}

void emit_places(struct emitter *e)
{
    for (size_t n = 0; n < e->group->count; n++) {
        size_t out = e->writer->graph.nodes.items[e->group->nodes[n]].out;

        if (!e->fusion->is_stored[out])
            continue;
        kernel_release(&e->kernel);
        e->number = e->group->nodes[n];
        write_kernel(e, out);
    }
}
