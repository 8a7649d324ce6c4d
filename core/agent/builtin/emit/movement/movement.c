#include "core/agent/builtin/emit/movement/movement.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/movement/inliner.h"
#include "core/agent/builtin/emit/movement/movement_spread.h"

/*
 * A work-item computes a part of a line, or several short lines. On GPUs one kernel computes the
 * results of all merged groups, each in work-groups of its own, because launches take long.
 */

struct movement {
    struct emitter *e;
    struct inliner inliner;
    size_t value;
    int width;            /* width of vectors, in elements */
    size_t rank, outer;   /* axes; the first `outer` of them number the work-items */
    struct strbuf head;   /* statements that are the same for all lines of a work-item */
    const char *margin;   /* indent of the outermost statements */
    struct strbuf source; /* statements that compute the value for work-item `item` */
    const char *items;    /* number of work-items, as C text */
    size_t stack;         /* the axis that a work-item keeps in registers; NO_AXIS: none */
    bool is_spread;       /* the elements of a vector lie apart, by the work-items of a set */
    int sets;             /* sets of work-items that share the vectors' sums (struct spread) */
};

enum { SETS = 16 }; /* that share the sums of a long reduction */

static const struct value *value_of(const struct movement *l)
{
    return &l->e->writer->graph.values.items[l->value];
}

static const char *size_of(const struct movement *l, size_t axis)
{
    return l->rank ? l->e->writer->extents.of[l->value][axis] : "1";
}

/* The size along an axis; 0 if it is not fixed (extents.h). */
static int64_t fixed_size(const struct movement *l, size_t axis)
{
    bool is_fixed = l->e->writer->extents.is_fixed[l->value][axis];

    return is_fixed ? value_of(l)->shape.dims[axis] : 0;
}

/* The smallest number of outer axes that leaves a work-item `items` vectors to compute. */
static size_t count_outer(const struct movement *l)
{
    const int64_t *dims = value_of(l)->shape.dims;
    size_t outer = l->rank ? l->rank - 1 : 0;
    int64_t vectors = l->rank ? (dims[outer] + l->width - 1) / l->width : 1;

    while (outer > 1 && vectors < l->e->schedule->of[KNOB_ITEMS])
        vectors *= dims[--outer];
    return outer;
}

/* True if a line may be split among several work-items. */
static bool has_parts(const struct movement *l)
{
    return l->rank && l->outer + 1 == l->rank;
}

static int part_size(const struct movement *l)
{
    return l->width * l->e->schedule->of[KNOB_ITEMS];
}

/* The number of parts of a line; 0 if it is not fixed. */
static int64_t part_count(const struct movement *l)
{
    return has_parts(l) ? (fixed_size(l, l->rank - 1) + part_size(l) - 1) / part_size(l) : 1;
}

/* Work-items whose elements of a vector lie side by side. */
static int step_of(const struct movement *l)
{
    return l->sets ? l->e->writer->dialect->warp : l->e->schedule->of[KNOB_GROUP];
}

static const char *parts_text(const struct movement *l)
{
    int64_t count = part_count(l), step = step_of(l);

    if (l->is_spread)
        count = (count + step - 1) / step * step;
    if (count)
        return emit_text(l->e, "%lld", (long long)count);
    return emit_text(l->e, "((%s + %d) / %d)", size_of(l, l->rank - 1), part_size(l) - 1,
                     part_size(l));
}

static bool has_rest(const struct movement *l)
{
    int64_t size = l->rank ? fixed_size(l, l->rank - 1) : 1;

    return l->rank && (!size || size % l->width != 0);
}

/* True if each work-item computes exactly one vector. */
static bool is_single(const struct movement *l)
{
    return has_parts(l) && l->e->schedule->of[KNOB_ITEMS] == 1 && !has_rest(l);
}

/* The outer axes along which all work-items of a warp have the same coordinate, as bits. */
static unsigned warp_axes(const struct movement *l)
{
    int warp = l->e->writer->dialect->warp;
    int64_t sharing = part_count(l);
    unsigned axes = 0;

    for (size_t axis = l->outer; warp && l->e->schedule->of[KNOB_GROUP] % warp == 0 && axis-- > 0;
         sharing *= fixed_size(l, axis))
        if (sharing && sharing % warp == 0)
            axes |= 1U << axis;
    return axes;
}

static void write_vector(struct movement *l, int width, const char *indent)
{
    struct vector_coordinates at = {.axis = l->rank ? l->rank - 1 : NO_AXIS, .is_aligned = true};

    coordinates_axes(&at.coords, value_axes(value_of(l)), "i");
    l->inliner.width = width;
    l->inliner.indent = indent;
    inliner_store(&l->inliner, l->value, &at);
}

/* A loop over vectors of `width` from `i<last>`, the coordinate along the line, on. */
static void write_vectors(struct movement *l, int width, const char *indent)
{
    struct emitter *e = l->e;
    size_t last = l->rank - 1;

    emit_line(e, "%sfor (; i%zu + %d <= end; i%zu += %d) {", indent, last, width, last, width);
    write_vector(l, width, emit_text(e, "%s    ", indent));
    emit_line(e, "%s}", indent);
}

static void write_line(struct movement *l, const char *indent)
{
    const char *last = emit_text(l->e, "i%zu", l->rank - 1), *size = size_of(l, l->rank - 1);

    if (has_parts(l))
        emit_line(l->e, "%sint %s = part * %d;\n%sconst int end = min(%s + %d, %s);\n", indent,
                  last, part_size(l), indent, last, part_size(l), size);
    else
        emit_line(l->e, "%sint %s = 0;\n%sconst int end = %s;\n", indent, last, indent, size);
    write_vectors(l, l->width, indent);
    if (l->width > 1 && has_rest(l))
        write_vectors(l, 1, indent);
}

/* Loops over the lines of a work-item. */
static void write_lines(struct movement *l)
{
    struct emitter *e = l->e;
    const char *indent = l->margin;

    for (size_t axis = l->outer; axis + 1 < l->rank; axis++) {
        emit_line(e, "%sfor (int i%zu = 0; i%zu < %s; i%zu++) {", indent, axis, axis,
                  size_of(l, axis), axis);
        indent = emit_text(e, "%s    ", indent);
    }
    write_line(l, indent);
    for (size_t axis = l->outer; axis + 1 < l->rank; axis++) {
        indent += strlen("    ");
        emit_line(e, "%s}", indent);
    }
}

/* The axes that number the work-items, as bits. */
static unsigned outer_axes(const struct movement *l)
{
    unsigned outer = (1U << l->outer) - 1;

    return l->stack == NO_AXIS ? outer : outer & ~(1U << l->stack);
}

/* A vector for each place along the axis that is kept in registers. */
static void write_stack(struct movement *l)
{
    struct vector_coordinates at = {.axis = l->rank - 1, .is_aligned = true};

    emit_line(l->e, "%sconst int i%zu = part * %d;\n", l->margin, l->rank - 1, l->width);
    coordinates_axes(&at.coords, value_axes(value_of(l)), "i");
    l->inliner.width = l->width;
    l->inliner.indent = l->margin;
    for (int64_t k = 0; k < value_of(l)->shape.dims[l->stack]; k++) {
        coordinates_set(&at.coords, l->stack, emit_text(l->e, "%lld", (long long)k));
        inliner_store(&l->inliner, l->value, &at);
    }
}

/* One vector, whose elements are a work-group apart from each other. */
static void write_spread(struct movement *l)
{
    struct emitter *e = l->e;
    size_t last = l->rank - 1;
    int step = step_of(l);
    const char *first = emit_text(e, "part / %d * %d + part %% %d", step, step * l->width, step);

    if (l->sets) { /* all work-items reach the barriers: those after the line repeat its end */
        emit_line(e, "%sconst int i%zu = min(%s, %s - 1);\n", l->margin, last, first,
                  size_of(l, last));
    } else {
        emit_line(e, "%sconst int i%zu = %s;", l->margin, last, first);
        emit_line(e, "%sif (i%zu >= %s)\n%s    return;\n", l->margin, last, size_of(l, last),
                  l->margin);
    }
    write_vector(l, l->width, l->margin);
}

static void write_work(struct movement *l)
{
    if (l->stack != NO_AXIS) {
        write_stack(l);
    } else if (l->is_spread) {
        write_spread(l);
    } else if (!l->rank) {
        write_vector(l, l->width, l->margin);
    } else if (is_single(l)) {
        emit_line(l->e, "%sconst int i%zu = part * %d;\n", l->margin, l->rank - 1, l->width);
        write_vector(l, l->width, l->margin);
    } else {
        write_lines(l);
    }
}

/* Declare the coordinates of the work-item's lines, and its part of a line. */
static void write_number(struct movement *l)
{
    unsigned outer = outer_axes(l);
    const char *parts = parts_text(l);

    if (has_parts(l) && outer)
        emit_line(l->e, "%sconst int i = item / %s, part = item %% %s;", l->margin, parts, parts);
    else if (has_parts(l))
        emit_line(l->e, "%sconst int part = item;", l->margin);
    else if (outer)
        emit_line(l->e, "%sconst int i = item;", l->margin);
    if (outer)
        writer_axes(l->e->writer, l->value, outer, "i", l->margin);
}

/* Write the statements with vectors of this width; false if they need narrower ones. */
static bool write_source(struct movement *l)
{
    struct strbuf *source = &l->e->writer->source, kept = *source, work;
    bool is_whole = l->is_spread || l->stack != NO_AXIS; /* one pass without loops over lines */

    *source = (struct strbuf){0};
    l->inliner = (struct inliner){.e = l->e,
                                  .head = &l->head,
                                  .margin = l->margin,
                                  .outer = l->outer,
                                  .stack = l->stack,
                                  .warp_axes = is_whole ? 0 : warp_axes(l),
                                  .is_single = is_whole || is_single(l)};
    if (l->is_spread)
        l->inliner.spread = (struct spread){.at = emit_text(l->e, "i%zu", l->rank - 1),
                                            .size = size_of(l, l->rank - 1),
                                            .step = step_of(l),
                                            .sets = l->sets};
    write_work(l);
    inliner_release(&l->inliner);
    work = *source;
    *source = (struct strbuf){0};
    write_number(l);
    strbuf_add(source, strbuf_cstr(&l->head), l->head.len);
    strbuf_add(source, strbuf_cstr(&work), work.len);
    strbuf_release(&work);
    strbuf_release(&l->head);
    l->source = *source;
    *source = kept;
    return !l->inliner.needs_narrower;
}

/* The number of work-items, as an expression for the plan. */
static const char *count_items(const struct movement *l)
{
    const char *lines = emit_sizes(l->e, l->value, outer_axes(l)), *parts = parts_text(l);

    return strcmp(parts, "1") == 0 ? lines : emit_text(l->e, "%s * %s", lines, parts);
}

/*
 * The widest vectors that are worth a try. Where vectors between two lines would be loaded by
 * elements, neighbours had better compute neighbours.
 */
static int widest(const struct movement *l)
{
    int width = l->rank ? l->e->schedule->of[KNOB_VEC] : 1;
    int64_t size = l->rank ? fixed_size(l, l->rank - 1) : 0;

    while (l->e->writer->dialect->is_aligned && width > 1 && size % width != 0)
        width /= 2;
    return width;
}

/* The axis along which a work-item keeps all elements in registers; NO_AXIS if there is none. */
static size_t stack_of(const struct movement *l)
{
    size_t axis;
    bool is_stack = l->e->schedule->of[KNOB_GROUP] > 1 && l->e->schedule->of[KNOB_ITEMS] == 1 &&
                    fusion_stack_axis(l->e->writer, l->value, &axis) &&
                    fixed_size(l, l->rank - 1) > 0;

    return is_stack ? axis : NO_AXIS;
}

/* Vectors of which a stack takes few enough registers, and that fill the lines. */
static int stack_width(const struct movement *l)
{
    enum { MOST_FLOATS = 64 };
    int width = l->e->schedule->of[KNOB_VEC];

    while (width > 1 && (width * value_of(l)->shape.dims[l->stack] > MOST_FLOATS ||
                         fixed_size(l, l->rank - 1) % width != 0))
        width /= 2;
    return width;
}

/* The statements with the widest vectors that are contiguous everywhere. */
static struct movement write_value(struct emitter *e, size_t value, const char *margin,
                                   bool is_only)
{
    struct movement l = {.e = e, .value = value, .margin = margin};

    l.rank = value_of(&l)->shape.rank;
    l.stack = stack_of(&l);
    l.sets = l.stack == NO_AXIS && is_only && movement_shares(e, value) ? SETS : 0;
    l.is_spread = l.stack == NO_AXIS && (l.sets || movement_spreads(e, value));
    l.width = l.stack != NO_AXIS ? stack_width(&l)
              : l.is_spread      ? movement_spread_width(e, value, l.sets ? step_of(&l) : 0)
                                 : widest(&l);
    l.outer = l.is_spread || l.stack != NO_AXIS ? l.rank - 1 : count_outer(&l);
    while (!write_source(&l)) {
        l.width = l.is_spread ? widest(&l) : l.width / 2;
        l.is_spread = false;
        l.sets = 0;
        l.outer = l.stack != NO_AXIS ? l.rank - 1 : count_outer(&l);
        strbuf_release(&l.source);
    }
    l.items = count_items(&l);
    kernel_add_value(&e->kernel, value_of(&l), true);
    return l;
}

static void launch(struct emitter *e, const char *items)
{
    int group = e->schedule->of[KNOB_GROUP];
    struct space space = {.global = {items}, .rank = 1};

    if (group)
        space.local[0] = emit_text(e, "%d", group);
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

static void write_guard(struct emitter *e, const char *items, const char *indent)
{
    if (e->schedule->of[KNOB_GROUP] > 1)
        emit_line(e, "%sif (item >= %s)\n%s    return;", indent, items, indent);
}

/* A kernel for one value. */
static void write_kernel(struct emitter *e, size_t value)
{
    struct movement l = write_value(e, value, "    ", false);
    int group = e->schedule->of[KNOB_GROUP];

    writer_head(e->writer, &e->kernel);
    emit_line(e, "    const int item = $global_id0;\n");
    write_guard(e, l.items, "    ");
    strbuf_add(&e->writer->source, strbuf_cstr(&l.source), l.source.len);
    emit_line(e, "}");
    strbuf_release(&l.source);
    launch(e, group > 1 ? emit_text(e, "align(%s, %d)", l.items, group) : l.items);
}

/* True if this group's kernel computes the node's result. */
static bool is_written(const struct emitter *e, size_t node)
{
    size_t out = e->writer->graph.nodes.items[node].out;

    return e->fusion->is_stored[out] &&
           e->fusion->groups.items[e->fusion->group_of[out]].kernel_group == e->number;
}

static size_t last_written(const struct emitter *e)
{
    size_t last = e->writer->graph.nodes.count - 1;

    while (!is_written(e, last))
        last--;
    return last;
}

/* Append a value's statements to the body. Each value but the last occupies whole work-groups. */
static const char *add_value(struct emitter *e, struct strbuf *body, const struct movement *l,
                             bool is_last)
{
    int group = e->schedule->of[KNOB_GROUP];
    const char *span = emit_text(e, "(%s + %d) / %d * %d", l->items, group - 1, group, group);
    struct strbuf kept = e->writer->source;

    e->writer->source = *body;
    if (!is_last)
        emit_line(e, "    if (item < %s) {", span);
    write_guard(e, l->items, l->margin);
    strbuf_add(&e->writer->source, strbuf_cstr(&l->source), l->source.len);
    if (!is_last)
        emit_line(e, "        return;\n    }\n    item -= %s;\n", span);
    *body = e->writer->source;
    e->writer->source = kept;
    return emit_text(e, "align(%s, %d)", l->items, group);
}

/* A kernel for one value, whose sums sets of work-items share. */
static void write_sets(struct emitter *e, const struct movement *l)
{
    int step = step_of(l);
    const struct space space = {
        .global = {emit_text(e, "ceildiv(%s, %d) * %d", l->items, step, step * l->sets)},
        .local = {emit_text(e, "%d", step * l->sets)},
        .rank = 1};

    e->kernel.work_items = step * l->sets;
    writer_head(e->writer, &e->kernel);
    emit_line(e, "    const int place = $local_id0 %% %d, set = $local_id0 / %d;", step, step);
    emit_line(e, "    const int item = $group_id0 * %d + place;\n", step);
    strbuf_add(&e->writer->source, strbuf_cstr(&l->source), l->source.len);
    emit_line(e, "}");
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

/* True if the kernel computes no other value than the last one. */
static bool has_one_value(const struct emitter *e)
{
    size_t count = 0;

    for (size_t n = 0; n < e->writer->graph.nodes.count; n++)
        count += is_written(e, n);
    return count == 1;
}

/* One kernel for all values of the groups that share it. */
static void write_all(struct emitter *e)
{
    size_t last = last_written(e);
    const char *items = NULL;
    struct strbuf body = {0};

    for (size_t n = 0; n <= last; n++) {
        const char *more;
        struct movement l;

        if (!is_written(e, n))
            continue;
        l = write_value(e, e->writer->graph.nodes.items[n].out, n == last ? "    " : "        ",
                        has_one_value(e));
        if (l.sets) {
            write_sets(e, &l);
            strbuf_release(&l.source);
            return;
        }
        more = add_value(e, &body, &l, n == last);
        items = items ? emit_text(e, "%s + %s", items, more) : more;
        strbuf_release(&l.source);
    }
    writer_head(e->writer, &e->kernel);
    emit_line(e, "    int item = $global_id0;\n");
    strbuf_add(&e->writer->source, strbuf_cstr(&body), body.len);
    emit_line(e, "}");
    strbuf_release(&body);
    launch(e, items);
}

void emit_movement(struct emitter *e)
{
    if (!fusion_has_kernel(e->writer, e->fusion, e->number))
        return;
    if (e->writer->dialect->warp && e->schedule->of[KNOB_GROUP] > 1) {
        e->kernel.name = emit_text(e, "places_%zu", e->number);
        write_all(e);
        return;
    }
    for (size_t n = 0; n < e->writer->graph.nodes.count; n++) {
        if (!is_written(e, n))
            continue;
        kernel_release(&e->kernel);
        e->kernel.name = emit_text(e, "places_%zu", n);
        write_kernel(e, e->writer->graph.nodes.items[n].out);
    }
}
