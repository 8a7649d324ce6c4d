#include "core/agent/builtin/emit/movement/inliner.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_vector.h"
#include "core/codegen/slice_first.h"
#include "core/model/op/op_lookup.h"

/* A movement, and the coordinates in its result. */
struct move {
    struct inliner *inliner;
    struct op_call call;
    const struct graph_node *node;
    const struct vector_coordinates *at;
};

static const char *size_of(const struct move *m, size_t value, size_t axis)
{
    return m->inliner->e->writer->extents.of[value][axis];
}

/* True if aligned vectors along the axis do not cross the end of a line. */
static bool is_whole(const struct move *m, size_t value, size_t axis)
{
    const struct writer *w = m->inliner->e->writer;

    return w->extents.is_fixed[value][axis] &&
           w->graph.values.items[value].shape.dims[axis] % m->inliner->width == 0;
}

static const char *number_of(const struct move *m, const char *attribute, size_t index)
{
    struct strbuf text = {0};
    const char *copy;

    writer_number(m->inliner->e->writer, m->node, attribute, index, &text);
    copy = emit_text(m->inliner->e, "%s", strbuf_cstr(&text));
    strbuf_release(&text);
    return copy;
}

static const char *operand(const struct move *m, size_t number, const struct vector_coordinates *in)
{
    return inliner_operand(m->inliner, (size_t)(m->node - m->inliner->e->writer->graph.nodes.items),
                           number, in);
}

/* The range of axes in which result and operand of a reshape differ. */
struct middle {
    size_t first, out_end, in_end;
};

static struct middle middle_of(const struct move *m)
{
    const struct writer *w = m->inliner->e->writer;
    size_t in = m->node->in[0], out = m->node->out;
    struct middle middle = {0, m->call.out->shape.rank, m->call.in[0]->shape.rank};

    while (middle.out_end > 0 && middle.in_end > 0 &&
           writer_same_size(w, out, middle.out_end - 1, in, middle.in_end - 1)) {
        middle.out_end--;
        middle.in_end--;
    }
    while (middle.first < middle.out_end && middle.first < middle.in_end &&
           writer_same_size(w, out, middle.first, in, middle.first))
        middle.first++;
    return middle;
}

/* The row-major index of the element along the result's differing axes. */
static const char *middle_number(const struct move *m, const struct middle *middle)
{
    const char *text = "0";

    for (size_t axis = middle->first; axis < middle->out_end; axis++)
        text = axis == middle->first
                   ? m->at->coords.at[axis]
                   : inliner_number(m->inliner, "%s * %s + %s", text,
                                    size_of(m, m->node->out, axis), m->at->coords.at[axis]);
    return text;
}

static void split_number(const struct move *m, const struct middle *middle, const char *number,
                         struct vector_coordinates *in)
{
    const char *left = number;

    for (size_t axis = middle->in_end; axis-- > middle->first;) {
        const char *size = size_of(m, m->node->in[0], axis);
        bool is_first = axis == middle->first;

        coordinates_set(&in->coords, axis,
                        is_first ? left : inliner_number(m->inliner, "%s %% %s", left, size));
        if (!is_first)
            left = inliner_number(m->inliner, "%s / %s", left, size);
    }
}

/* The axis of a vector of a reshape's result, in the operand. */
static size_t reshaped_axis(const struct move *m, const struct middle *middle)
{
    size_t lane = m->at->axis, last = m->call.in[0]->shape.rank - 1;

    if (lane == NO_AXIS || lane < middle->first)
        return lane;
    if (lane >= middle->out_end)
        return lane - middle->out_end + middle->in_end;
    m->inliner->needs_narrower |=
        m->inliner->width > 1 &&
        (lane + 1 != m->call.out->shape.rank || middle->in_end != last + 1 ||
         middle->in_end == middle->first || !m->at->is_aligned ||
         !is_whole(m, m->node->out, lane) || !is_whole(m, m->node->in[0], last));
    return last;
}

static const char *reshape(const struct move *m)
{
    struct middle middle = middle_of(m);
    struct vector_coordinates in = {.axis = reshaped_axis(m, &middle),
                                    .is_aligned = m->at->is_aligned};

    for (size_t axis = 0; axis < middle.first; axis++)
        coordinates_set(&in.coords, axis, m->at->coords.at[axis]);
    for (size_t axis = middle.in_end; axis < m->call.in[0]->shape.rank; axis++)
        coordinates_set(&in.coords, axis, m->at->coords.at[axis - middle.in_end + middle.out_end]);
    split_number(m, &middle, middle_number(m, &middle), &in);
    return operand(m, 0, &in);
}

static const char *permute(const struct move *m)
{
    struct vector_coordinates in = {.axis = NO_AXIS, .is_aligned = m->at->is_aligned};

    for (size_t axis = 0; axis < m->call.out->shape.rank; axis++) {
        size_t from = call_axis(&m->call, "dims", axis);

        coordinates_set(&in.coords, from, m->at->coords.at[axis]);
        if (axis == m->at->axis)
            in.axis = from;
    }
    return operand(m, 0, &in);
}

static const char *transpose(const struct move *m)
{
    size_t a = call_axis(&m->call, "dim0", 0), b = call_axis(&m->call, "dim1", 0);
    struct vector_coordinates in = *m->at;

    coordinates_set(&in.coords, a, m->at->coords.at[b]);
    coordinates_set(&in.coords, b, m->at->coords.at[a]);
    if (m->at->axis == a || m->at->axis == b)
        in.axis = a + b - m->at->axis;
    return operand(m, 0, &in);
}

static const char *slice(const struct move *m)
{
    size_t axis = call_axis(&m->call, "dim", 0);
    int64_t start = op_attribute(&m->call, "start")->integers[0];
    const char *first, *step = number_of(m, "step", 0);
    struct vector_coordinates in = *m->at;
    struct strbuf text = {0};

    slice_first(m->inliner->e->writer, m->node, &m->call, &text);
    first = emit_text(m->inliner->e, "%s", strbuf_cstr(&text));
    strbuf_release(&text);
    if (m->at->axis == axis) {
        m->inliner->needs_narrower |= m->inliner->width > 1 && strcmp(step, "1") != 0;
        in.is_aligned &= start >= 0 && start % m->inliner->width == 0 &&
                         writer_is_fixed(m->inliner->e->writer, first);
    }
    if (strcmp(first, "0") != 0 || strcmp(step, "1") != 0)
        coordinates_set(
            &in.coords, axis,
            inliner_number(m->inliner, "%s + %s * %s", first, m->at->coords.at[axis], step));
    return operand(m, 0, &in);
}

static const char *expand(const struct move *m)
{
    struct vector_coordinates in =
        inliner_broadcast(m->inliner, m->node->in[0], m->node->out, m->at);

    return operand(m, 0, &in);
}

/* Declare a variable that one of several blocks sets. */
static const char *declare_choice(const struct move *m)
{
    const char *name = emit_text(m->inliner->e, "choice%zu", m->inliner->names++);

    emit_line(m->inliner->e, "%s%s %s;", m->inliner->indent, inliner_type(m->inliner, m->node->out),
              name);
    return name;
}

static void choose(const struct move *m, const char *name, const char *text)
{
    if (m->inliner->width > 1 && m->inliner->e->writer->dialect->has_calls)
        text = emit_text(m->inliner->e, "LIKE(%s, %s)", text, name);
    emit_line(m->inliner->e, "%s%s = %s;", m->inliner->indent, name, text);
}

/*
 * An if for each operand but the last: it applies while the coordinate is before the operand's end.
 */
static const char *concat(const struct move *m)
{
    size_t axis = call_axis(&m->call, "dim", 0);
    const char *name = declare_choice(m), *at = m->at->coords.at[axis], *end = "0";
    struct emitter *e = m->inliner->e;

    for (size_t k = 0; k < m->call.in_count; k++) {
        const char *first = end;
        struct vector_coordinates in = *m->at;
        struct inliner_scope scope = inliner_open(m->inliner);

        if (m->at->axis == axis)
            m->inliner->needs_narrower |=
                m->inliner->width > 1 && (!m->at->is_aligned || !is_whole(m, m->node->in[k], axis));
        end = emit_text(e, "%s + %s", first, size_of(m, m->node->in[k], axis));
        if (k + 1 < m->call.in_count)
            emit_line(e, "%s%sif (%s < %s) {", scope.indent, k ? "} else " : "", at, end);
        else
            emit_line(e, "%s%s{", scope.indent, k ? "} else " : "");
        coordinates_set(&in.coords, axis, inliner_number(m->inliner, "%s - (%s)", at, first));
        choose(m, name, operand(m, k, &in));
        inliner_close(m->inliner, &scope);
    }
    emit_line(e, "%s}", m->inliner->indent);
    return name;
}

static const char *pad(const struct move *m)
{
    const struct attribute *sizes = op_attribute(&m->call, "pad");
    const char *name = declare_choice(m), *is_inside = "true";
    struct vector_coordinates in = *m->at;
    struct inliner_scope scope;
    char value[32];

    for (size_t i = 0; i < sizes->count; i += 2) {
        size_t axis = m->call.out->shape.rank - 1 - i / 2;
        const char *x =
            inliner_number(m->inliner, "%s - %s", m->at->coords.at[axis], number_of(m, "pad", i));

        m->inliner->needs_narrower |= m->inliner->width > 1 && m->at->axis == axis;
        is_inside = emit_text(m->inliner->e, "%s && %s >= 0 && %s < %s", is_inside, x, x,
                              size_of(m, m->node->in[0], axis));
        coordinates_set(&in.coords, axis, x);
    }
    formula_number(m->call.out->dtype, op_attribute(&m->call, "value")->number, value);
    choose(m, name, emit_vector_splat(m->inliner->e, value, m->inliner->width));
    scope = inliner_open(m->inliner);
    emit_line(m->inliner->e, "%sif (%s) {", scope.indent, is_inside);
    choose(m, name, operand(m, 0, &in));
    inliner_close(m->inliner, &scope);
    emit_line(m->inliner->e, "%s}", m->inliner->indent);
    return name;
}

/* gather and index_select, along axis "dim" of the first operand. */
static const char *look_up(const struct move *m)
{
    size_t axis = call_axis(&m->call, "dim", 0);
    struct vector_coordinates in = *m->at, index = *m->at;

    if (strcmp(m->call.op->name, "index_select") == 0) {
        coordinates_set(&index.coords, 0, m->at->coords.at[axis]);
        index.axis = m->at->axis == axis ? 0 : NO_AXIS;
    }
    coordinates_set(&in.coords, axis, inliner_index(m->inliner, m->node->in[1], &index));
    return operand(m, 0, &in);
}

static const char *embed(const struct move *m)
{
    size_t last = m->call.out->shape.rank - 1;
    struct vector_coordinates index = *m->at,
                              in = {.axis = NO_AXIS, .is_aligned = m->at->is_aligned};

    if (m->at->axis == last) {
        index.axis = NO_AXIS;
        in.axis = 1;
    }
    coordinates_set(&in.coords, 0, inliner_index(m->inliner, m->node->in[0], &index));
    coordinates_set(&in.coords, 1, m->at->coords.at[last]);
    return operand(m, 1, &in);
}

/*
 * Write a search for the last position in the index that holds the row `at`; -1 if there is none.
 * It looks at every `step`-th position from `first` on.
 */
static const char *write_search(const struct move *m, const char *at, const char *first, int step)
{
    struct inliner *inliner = m->inliner;
    const char *found = emit_text(inliner->e, "found%zu", inliner->names++);
    const char *j = emit_text(inliner->e, "j%zu", inliner->names++);
    struct vector_coordinates index = {.axis = NO_AXIS};
    struct inliner_scope scope = inliner_open(inliner);

    coordinates_set(&index.coords, 0, j);
    emit_line(inliner->e, "%sint %s = -1;\n%sfor (int %s = %s; %s < %s; %s += %d) {", scope.indent,
              found, scope.indent, j, first, j, size_of(m, m->node->in[1], 0), j, step);
    emit_line(inliner->e, "%s%s = max(%s, %s == %s ? %s : -1);\n%s}", inliner->indent, found, found,
              inliner_index(inliner, m->node->in[1], &index), at, j, scope.indent);
    inliner_close(inliner, &scope);
    return found;
}

/*
 * The work-items of a warp search for the same row together: each looks at its part of the index.
 */
static const char *write_warp_search(const struct move *m, const char *at)
{
    const struct dialect *dialect = m->inliner->e->writer->dialect;
    const char *lane = emit_text(m->inliner->e, "$local_id0 %% %d", dialect->warp);
    const char *found = write_search(m, at, lane, dialect->warp);
    struct formula_words words = {0};

    words.of['x'] = found;
    words.of['i'] = "others";
    emit_line(m->inliner->e, "#pragma unroll\n%sfor (int others = %d; others > 0; others /= 2)",
              m->inliner->indent, dialect->warp / 2);
    emit_line(m->inliner->e, "%s    %s = max(%s, %s);", m->inliner->indent, found, found,
              emit_formula(m->inliner->e, dialect->shuffle, &words));
    return found;
}

static const char *search_here(const struct move *m, const char *at, unsigned outer_axes)
{
    return outer_axes & m->inliner->warp_axes ? write_warp_search(m, at)
                                              : write_search(m, at, "0", 1);
}

/* The axes of the work-item's own coordinates that the text stands for, as bits. */
static unsigned outer_axes(const struct inliner *inliner, const char *at)
{
    unsigned axes = 0;

    for (size_t i = 0; i < inliner->outer; i++)
        if (strcmp(at, emit_text(inliner->e, "i%zu", i)) == 0)
            axes |= 1U << i;
    return axes;
}

/*
 * The search runs in the head, before all lines of a work-item, if its row is the same for all of
 * them.
 */
static const char *search(const struct move *m, size_t axis)
{
    struct inliner *inliner = m->inliner, outer = *inliner;
    const char *at = m->at->coords.at[axis], *found;
    unsigned axes = outer_axes(inliner, at);
    struct move early = *m;
    struct strbuf kept = inliner->e->writer->source;

    if (!axes || inliner->is_single)
        return search_here(m, at, axes);
    outer.known.items = NULL;
    outer.known.count = outer.known.capacity = 0;
    outer.width = 1;
    outer.indent = inliner->margin;
    early.inliner = &outer;
    inliner->e->writer->source = *inliner->head;
    found = search_here(&early, at, axes);
    *inliner->head = inliner->e->writer->source;
    inliner->e->writer->source = kept;
    inliner->names = outer.names;
    inliner_release(&outer);
    return found;
}

/* The old value is loaded before the search, so that the latencies of both overlap. */
static const char *index_copy(const struct move *m)
{
    size_t axis = call_axis(&m->call, "dim", 0);
    const char *name = declare_choice(m), *found;
    struct vector_coordinates in = *m->at;
    struct inliner_scope scope;

    m->inliner->needs_narrower |= m->inliner->width > 1 && m->at->axis == axis;
    choose(m, name, operand(m, 0, m->at));
    found = search(m, axis);
    scope = inliner_open(m->inliner);
    coordinates_set(&in.coords, axis, found);
    emit_line(m->inliner->e, "%sif (%s >= 0) {", scope.indent, found);
    choose(m, name, operand(m, 2, &in));
    inliner_close(m->inliner, &scope);
    emit_line(m->inliner->e, "%s}", m->inliner->indent);
    return name;
}

const char *inliner_movement(struct inliner *inliner, size_t node,
                             const struct vector_coordinates *at)
{
    static const struct {
        const char *op;
        const char *(*find)(const struct move *m);
    } rules[] = {
        {"reshape", reshape},   {"flatten", reshape},       {"squeeze", reshape},
        {"unsqueeze", reshape}, {"permute", permute},       {"transpose", transpose},
        {"slice", slice},       {"expand", expand},         {"concat", concat},
        {"pad", pad},           {"gather", look_up},        {"index_select", look_up},
        {"embedding", embed},   {"index_copy", index_copy},
    };
    const struct graph *graph = &inliner->e->writer->graph;
    struct move m = {inliner, graph_call(graph, node), &graph->nodes.items[node], at};
    size_t i = 0;

    while (strcmp(rules[i].op, m.call.op->name) != 0)
        i++;
    /* The returned text belongs to the emitter's arena. */
    /* cppcheck-suppress returnDanglingLifetime */
    return rules[i].find(&m);
}
