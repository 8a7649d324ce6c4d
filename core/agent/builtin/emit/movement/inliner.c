#include "core/agent/builtin/emit/movement/inliner.h"

#include <stdarg.h>
#include <string.h>

#include "core/agent/builtin/emit/emit_element.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/model/op/op_channelwise.h"

enum { MAX_SPREAD = 16 };

/* A value that is in a variable, at the coordinates `at`. */
struct inlined_value {
    size_t value;
    struct vector_coordinates at;
    int width;
    const char *name;
};

void inliner_release(struct inliner *inliner)
{
    vec_release(&inliner->known);
}

struct inliner_scope inliner_open(struct inliner *inliner)
{
    struct inliner_scope scope = {inliner->known.count, inliner->indent};

    inliner->indent = emit_text(inliner->e, "%s    ", inliner->indent);
    return scope;
}

void inliner_close(struct inliner *inliner, const struct inliner_scope *scope)
{
    inliner->known.count = scope->known;
    inliner->indent = scope->indent;
}

const char *inliner_type(struct inliner *inliner, size_t value)
{
    return emit_vector_type(
        inliner->e, formula_type(emit_value_at(inliner->e, value)->dtype)->compute, inliner->width);
}

const char *inliner_number(struct inliner *inliner, const char *fmt, ...)
{
    struct strbuf text = {0};
    const char *name = emit_text(inliner->e, "n%zu", inliner->names++);
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    emit_line(inliner->e, "%sconst int %s = %s;", inliner->indent, name, strbuf_cstr(&text));
    strbuf_release(&text);
    return name;
}

struct vector_coordinates inliner_broadcast(struct inliner *inliner, size_t in, size_t out,
                                            const struct vector_coordinates *at)
{
    const struct extents *extents = &inliner->e->writer->extents;
    size_t shift =
        emit_value_at(inliner->e, out)->shape.rank - emit_value_at(inliner->e, in)->shape.rank;
    struct vector_coordinates moved = *at;

    moved.coords = writer_broadcast(inliner->e->writer, in, out, &at->coords);
    moved.axis = NO_AXIS;
    if (at->axis == NO_AXIS || at->axis < shift || !strcmp(extents->of[in][at->axis - shift], "1"))
        return moved;
    moved.axis = at->axis - shift;
    inliner->needs_narrower |=
        inliner->width > 1 && !writer_same_size(inliner->e->writer, in, moved.axis, out, at->axis);
    return moved;
}

/* True if vectors at the coordinates are aligned to their size in memory. */
static bool is_aligned(const struct inliner *inliner, size_t value,
                       const struct vector_coordinates *at)
{
    size_t last = emit_value_at(inliner->e, value)->shape.rank - 1;

    return at->is_aligned && inliner->e->writer->extents.is_fixed[value][last] &&
           emit_value_at(inliner->e, value)->shape.dims[last] % inliner->width == 0;
}

/* The index of element `number` of a vector that is spread; in a load it is limited to the axis. */
static const char *spread_index(struct inliner *inliner, size_t value,
                                const struct vector_coordinates *at, int number, bool is_limited)
{
    const struct spread *spread = &inliner->spread;
    struct coordinates coords = at->coords;
    struct strbuf index = {0};
    const char *text = emit_text(inliner->e, "(%s + %d)", spread->at, number * spread->step);

    if (is_limited)
        text = emit_text(inliner->e, "min(%s + %d, %s - 1)", spread->at, number * spread->step,
                         spread->size);
    if (number > 0)
        coordinates_set(&coords, at->axis, text);
    writer_index(inliner->e->writer, value, emit_value_at(inliner->e, value)->shape.rank, &coords,
                 &index);
    text = emit_text(inliner->e, "%s", strbuf_cstr(&index));
    strbuf_release(&index);
    return text;
}

/* The expression that loads a vector whose elements are spread. */
static const char *load_spread(struct inliner *inliner, size_t value,
                               const struct vector_coordinates *at)
{
    const char *elements[MAX_SPREAD] = {0};
    struct strbuf scalar = {0};

    inliner->needs_narrower |= emit_value_at(inliner->e, value)->dtype != DTYPE_F32 ||
                               strcmp(at->coords.at[at->axis], inliner->spread.at) != 0;
    for (int i = 0; i < inliner->width; i++) {
        scalar.len = 0;
        writer_load(emit_value_at(inliner->e, value), spread_index(inliner, value, at, i, true),
                    &scalar);
        elements[i] = emit_text(inliner->e, "%s", strbuf_cstr(&scalar));
    }
    strbuf_release(&scalar);
    return emit_vector_of(inliner->e, "float", elements, inliner->width);
}

/* The expression that loads the element or vector from memory. */
static const char *load(struct inliner *inliner, size_t value, const struct vector_coordinates *at)
{
    const struct value *v = emit_value_at(inliner->e, value);
    struct strbuf index = {0}, scalar = {0};
    const char *text;

    kernel_add_value(&inliner->e->kernel, v, false);
    if (inliner->spread.at && inliner->width > 1 && at->axis != NO_AXIS)
        return load_spread(inliner, value, at);
    writer_index(inliner->e->writer, value, v->shape.rank, &at->coords, &index);
    inliner->needs_narrower |= inliner->width > 1 && v->dtype != DTYPE_F32;
    inliner->needs_narrower |=
        inliner->width > 1 && at->axis != NO_AXIS && at->axis + 1 != v->shape.rank;
    if (inliner->width > 1 && at->axis != NO_AXIS) {
        text = (is_aligned(inliner, value, at) ? emit_vector_load_aligned : emit_vector_load)(
            inliner->e, inliner->width,
            emit_text(inliner->e, "p_%s + %s", v->name, strbuf_cstr(&index)));
    } else {
        writer_load(v, strbuf_cstr(&index), &scalar);
        text = emit_text(inliner->e, "%s",
                         emit_vector_splat(inliner->e, strbuf_cstr(&scalar), inliner->width));
    }
    strbuf_release(&scalar);
    strbuf_release(&index);
    return text;
}

/*
 * NOLINTBEGIN(misc-no-recursion): walks the graph from a result to its operands; fusion_plan()
 * limits the depth
 */
const char *inliner_operand(struct inliner *inliner, size_t node, size_t number,
                            const struct vector_coordinates *at)
{
    size_t in = emit_node_at(inliner->e, node)->in[number],
           out = emit_node_at(inliner->e, node)->out;
    enum dtype own = emit_value_at(inliner->e, in)->dtype,
               result = emit_value_at(inliner->e, out)->dtype;
    const char *text = inliner_value(inliner, in, at);

    if (own == result || own == DTYPE_BOOL || result == DTYPE_BOOL ||
        strcmp(formula_type(own)->compute, formula_type(result)->compute) == 0)
        return text;
    return emit_text(inliner->e, "(%s)%s", formula_type(result)->compute, text);
}

static const char *element(struct inliner *inliner, size_t node,
                           const struct vector_coordinates *at)
{
    struct op_call call = graph_call(&inliner->e->writer->graph, node);
    struct formula_words words = {0};

    formula_set_call(&words, &call);
    words.of['T'] = inliner_type(inliner, emit_node_at(inliner->e, node)->out);
    for (size_t i = 0; i < call.in_count; i++) {
        struct vector_coordinates in =
            inliner_broadcast(inliner, emit_node_at(inliner->e, node)->in[i],
                              emit_node_at(inliner->e, node)->out, at);

        words.of['a' + i] = inliner_operand(inliner, node, i, &in);
    }
    return emit_element(inliner->e, &call, &words, inliner->width);
}

/* Batch normalization with given statistics, which are indexed by axis 1. */
static const char *batch_norm(struct inliner *inliner, size_t node,
                              const struct vector_coordinates *at)
{
    struct op_call call = graph_call(&inliner->e->writer->graph, node);
    struct vector_coordinates channel = {.axis = at->axis == 1 ? 0 : NO_AXIS,
                                         .is_aligned = at->is_aligned};
    struct formula_words words = {0};

    words.of['d'] = "1.0f";
    words.of['e'] = "0.0f";
    formula_set_call(&words, &call);
    coordinates_set(&channel.coords, 0, at->coords.at[1]);
    for (size_t i = 0; i < call.in_count; i++)
        words.of['a' + i] = inliner_operand(inliner, node, i, i == 0 ? at : &channel);
    return emit_formula(inliner->e, formula_batch_norm, &words);
}

/* Rotary position embedding: the elements of pair i in a row are rotated by angle i. */
static const char *rope(struct inliner *inliner, size_t node, const struct vector_coordinates *at)
{
    struct op_call call = graph_call(&inliner->e->writer->graph, node);
    size_t last = call.out->shape.rank - 1;
    const char *d = at->coords.at[last], *of[4];
    const char *half =
        emit_text(inliner->e, "(%s / 2)",
                  inliner->e->writer->extents.of[emit_node_at(inliner->e, node)->out][last]);
    bool is_interleaved = op_attribute(&call, "interleaved")->integers[0];
    struct vector_coordinates other = *at, angle;

    inliner->needs_narrower |=
        inliner->width > 1 && (is_interleaved || !at->is_aligned || at->axis != last ||
                               call.out->shape.dims[last] / 2 % inliner->width != 0);
    coordinates_set(&other.coords, last,
                    is_interleaved ? inliner_number(inliner, "%s ^ 1", d)
                                   : inliner_number(inliner, "%s < %s ? %s + %s : %s - %s", d, half,
                                                    d, half, d, half));
    of[0] = inliner_value(inliner, emit_node_at(inliner->e, node)->in[0], at);
    of[3] = inliner_value(inliner, emit_node_at(inliner->e, node)->in[0], &other);
    coordinates_set(&other.coords, last,
                    is_interleaved ? inliner_number(inliner, "%s / 2", d)
                                   : inliner_number(inliner, "%s %% %s", d, half));
    for (size_t i = 1; i < 3; i++) {
        size_t in = emit_node_at(inliner->e, node)->in[i],
               rank = emit_value_at(inliner->e, in)->shape.rank;

        angle = other;
        angle.coords = writer_broadcast(inliner->e->writer, in, emit_node_at(inliner->e, node)->out,
                                        &other.coords);
        angle.axis = rank > 0 ? rank - 1 : NO_AXIS;
        if (rank > 0 && emit_value_at(inliner->e, in)->shape.dims[rank - 1] > 1)
            coordinates_set(&angle.coords, rank - 1, other.coords.at[last]);
        else
            angle.axis = NO_AXIS;
        of[i] = inliner_operand(inliner, node, i, &angle);
    }
    return emit_text(inliner->e, "%s * %s + (%s ? 1.0f : -1.0f) * %s * %s", of[0], of[1],
                     is_interleaved ? emit_text(inliner->e, "%s %% 2", d)
                                    : emit_text(inliner->e, "%s >= %s", d, half),
                     of[3], of[2]);
}

static const char *compute(struct inliner *inliner, size_t node,
                           const struct vector_coordinates *at)
{
    switch (emit_node_at(inliner->e, node)->op->kind) {
    case OP_ELEMENTWISE:
        return element(inliner, node, at);
    case OP_REDUCTION:
        return inliner_reduction(inliner, node, at);
    case OP_CHANNELWISE:
        return batch_norm(inliner, node, at);
    case OP_ATTENTION:
        return rope(inliner, node, at);
    case OP_MOVEMENT:
        return inliner_movement(inliner, node, at);
    case OP_ROWWISE:
    case OP_PRODUCT:
    case OP_CONVOLUTION:
    case OP_RECURRENCE:
    case OP_SCATTER:
    case OP_WINDOW:
    default:
        return "0";
    }
}

static const struct inlined_value *find(const struct inliner *inliner, size_t value,
                                        const struct vector_coordinates *at)
{
    size_t rank = emit_value_at(inliner->e, value)->shape.rank;

    for (size_t i = 0; i < inliner->known.count; i++) {
        const struct inlined_value *k = &inliner->known.items[i];
        size_t axis = 0;

        if (k->value != value || k->at.axis != at->axis || k->width != inliner->width)
            continue;
        while (axis < rank && strcmp(k->at.coords.at[axis], at->coords.at[axis]) == 0)
            axis++;
        if (axis == rank)
            return k;
    }
    return NULL;
}

/* The node that computes the value; nodes.count if the value is in memory. */
static size_t source_of(const struct inliner *inliner, size_t value)
{
    const struct graph *graph = &inliner->e->writer->graph;
    size_t group = inliner->e->fusion->group_of[value], n = 0;

    if (group == SIZE_MAX || inliner->e->fusion->is_stored[value] ||
        inliner->e->fusion->groups.items[group].family != FAMILY_MOVEMENT)
        return graph->nodes.count;
    while (n < graph->nodes.count && graph->nodes.items[n].out != value)
        n++;
    return n;
}

static const char *declare(struct inliner *inliner, size_t value,
                           const struct vector_coordinates *at, const char *text)
{
    struct inlined_value inlined_value = {.value = value, .at = *at, .width = inliner->width};

    inlined_value.name =
        emit_text(inliner->e, "v%zu_%s", inliner->names++, emit_value_at(inliner->e, value)->name);
    emit_line(inliner->e, "%sconst %s %s = %s;", inliner->indent, inliner_type(inliner, value),
              inlined_value.name, text);
    vec_push(&inliner->known, inlined_value);
    return inlined_value.name;
}

const char *inliner_value(struct inliner *inliner, size_t value,
                          const struct vector_coordinates *at)
{
    const struct inlined_value *known = find(inliner, value, at);
    size_t node = source_of(inliner, value);
    char number[32];

    if (known)
        return known->name;
    if (emit_value_at(inliner->e, value)->role == TENSOR_CONSTANT) {
        formula_number(emit_value_at(inliner->e, value)->dtype,
                       emit_value_at(inliner->e, value)->fill.a, number);
        return emit_vector_splat(inliner->e, emit_text(inliner->e, "%s", number), inliner->width);
    }
    if (node == inliner->e->writer->graph.nodes.count)
        return declare(inliner, value, at, load(inliner, value, at));
    inliner->needs_narrower |=
        inliner->width > 1 && emit_value_at(inliner->e, value)->dtype != DTYPE_F32;
    if (emit_node_at(inliner->e, node)->op->kind == OP_MOVEMENT)
        return inliner_movement(inliner, node, at);
    return declare(inliner, value, at,
                   emit_element_rounded(inliner->e, node, compute(inliner, node, at)));
}
/* NOLINTEND(misc-no-recursion) */

const char *inliner_index(struct inliner *inliner, size_t value,
                          const struct vector_coordinates *at)
{
    struct vector_coordinates one = *at;
    int width = inliner->width;
    const char *text;

    inliner->needs_narrower |= width > 1 && at->axis != NO_AXIS;
    one.axis = NO_AXIS;
    inliner->width = 1;
    text = inliner_value(inliner, value, &one);
    inliner->width = width;
    return text;
}

/* Compute the node's vector, whose elements are spread, and store those that exist. */
static void store_spread(struct inliner *inliner, size_t node, const struct vector_coordinates *at)
{
    struct emitter *e = inliner->e;
    size_t out = emit_node_at(e, node)->out;
    const char *text = compute(inliner, node, at);
    bool is_place = text_begins(emit_node_at(e, node)->op->name, "arg");

    inliner->needs_narrower |= !is_place && emit_value_at(e, out)->dtype != DTYPE_F32;
    if (!is_place)
        text = declare(inliner, out, at, text);
    if (inliner->spread.sets)
        emit_line(e, "%sif (set > 0)\n%s    return;", inliner->indent, inliner->indent);
    for (int i = 0; i < inliner->width; i++) {
        if (i > 0)
            emit_line(e, "%sif (%s + %d < %s)", inliner->indent, inliner->spread.at,
                      i * inliner->spread.step, inliner->spread.size);
        writer_store(e->writer, emit_value_at(e, out), spread_index(inliner, out, at, i, false),
                     emit_vector_component(e, text, i),
                     i > 0 ? emit_text(e, "%s    ", inliner->indent) : inliner->indent);
    }
}

void inliner_store(struct inliner *inliner, size_t value, const struct vector_coordinates *at)
{
    const struct value *v = emit_value_at(inliner->e, value);
    const struct graph *graph = &inliner->e->writer->graph;
    size_t node = 0;
    struct strbuf index = {0};
    const char *text;

    while (graph->nodes.items[node].out != value)
        node++;
    if (inliner->stack == NO_AXIS)
        inliner->known.count = 0;
    if (inliner->spread.at && inliner->width > 1) {
        store_spread(inliner, node, at);
        return;
    }
    inliner->needs_narrower |= inliner->width > 1 && v->dtype != DTYPE_F32;
    text = declare(inliner, value, at, compute(inliner, node, at));
    writer_index(inliner->e->writer, value, v->shape.rank, &at->coords, &index);
    if (inliner->width > 1)
        emit_line(inliner->e, "%s%s;", inliner->indent,
                  (is_aligned(inliner, value, at) ? emit_vector_store_aligned : emit_vector_store)(
                      inliner->e, inliner->width, text,
                      emit_text(inliner->e, "p_%s + %s", v->name, strbuf_cstr(&index))));
    else
        writer_store(inliner->e->writer, v, strbuf_cstr(&index), text, inliner->indent);
    strbuf_release(&index);
}
