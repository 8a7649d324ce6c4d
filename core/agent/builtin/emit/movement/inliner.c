#include "core/agent/builtin/emit/movement/inliner.h"

#include <stdarg.h>
#include <string.h>

#include "core/agent/builtin/emit/emit_element.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/base/vec.h"
#include "core/model/op/op_channelwise.h"

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

/* The expression that loads the element or vector from memory. */
static const char *load(struct inliner *inliner, size_t value, const struct vector_coordinates *at)
{
    const struct value *v = emit_value_at(inliner->e, value);
    struct strbuf index = {0}, scalar = {0};
    const char *text;

    kernel_add_value(&inliner->e->kernel, v, false);
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

/*
 * The coordinates of the operand of a reduction; its reduced axes are the loop variables
 * `k<axis>_<number>`.
 */
static struct vector_coordinates reduced(struct inliner *inliner, const struct op_call *call,
                                         const struct vector_coordinates *at, size_t number)
{
    unsigned axes = call->op->axes(call);
    bool keeps = call->out->shape.rank == call->in[0]->shape.rank;
    struct vector_coordinates in = {.axis = NO_AXIS, .is_aligned = at->is_aligned};
    size_t from = 0;

    for (size_t axis = 0; axis < call->in[0]->shape.rank; axis++) {
        bool is_reduced = axes >> axis & 1;
        size_t out = keeps ? axis : from;

        coordinates_set(&in.coords, axis,
                        is_reduced ? emit_text(inliner->e, "k%zu_%zu", axis, number)
                                   : at->coords.at[out]);
        if (!is_reduced && out == at->axis)
            in.axis = axis;
        from += !is_reduced;
    }
    return in;
}

/* The last of the axes. */
static size_t last_axis(unsigned axes)
{
    size_t last = 0;

    for (size_t axis = 0; axis < SHAPE_MAX_RANK; axis++)
        if (axes >> axis & 1)
            last = axis;
    return last;
}

/*
 * True if the pass is a sum along several axes. Each line along the last one then gets a sum of its
 * own: the rounding errors of one long sum of similar numbers do not cancel.
 */
static bool has_parts(const struct rowwise_pass *pass, unsigned axes)
{
    return strcmp(pass->start, "0") == 0 && strcmp(pass->combine, "$a + $b") == 0 &&
           axes != 1U << last_axis(axes);
}

/* Write a loop for each axis; returns the number of the element within the reduced ones. */
static const char *open_loops(struct inliner *inliner, size_t x, unsigned axes,
                              const struct vector_coordinates *in, const char *part)
{
    const struct writer *w = inliner->e->writer;
    const char *flat = "0";

    for (size_t axis = 0; axis < emit_value_at(inliner->e, x)->shape.rank; axis++)
        if (axes >> axis & 1) {
            const char *k = in->coords.at[axis];

            if (part && axis == last_axis(axes))
                emit_line(inliner->e, "%s{\n%s%s", inliner->indent, inliner->indent, part);
            emit_line(inliner->e, "%sfor (int %s = 0; %s < %s; %s++)", inliner->indent, k, k,
                      w->extents.of[x][axis], k);
            flat = emit_text(inliner->e, "(%s * %s + %s)", flat, w->extents.of[x][axis], k);
        }
    emit_line(inliner->e, "%s{", inliner->indent);
    return flat;
}

/* One pass over the reduced elements. */
static void write_pass(struct inliner *inliner, size_t node, const struct rowwise_pass *pass,
                       struct formula_words *words, const struct vector_coordinates *in)
{
    size_t x = emit_node_at(inliner->e, node)->in[0];
    struct op_call call = graph_call(&inliner->e->writer->graph, node);
    unsigned axes = call.op->axes(&call);
    struct inliner_scope scope = inliner_open(inliner);
    const char *name = emit_text(inliner->e, "%s%s", pass->name, words->of['@']);
    const char *type = emit_formula(inliner->e, pass->type, words);
    const char *part =
        has_parts(pass, axes) ? emit_text(inliner->e, "part%s", words->of['@']) : NULL;
    const char *start = emit_formula(inliner->e, pass->start, words);

    if (pass->type[0] == '$')
        start = emit_vector_initial(inliner->e, "float", start, inliner->width);
    emit_line(inliner->e, "%s%s %s = %s;", scope.indent, type, name, start);
    inliner->indent = scope.indent;
    words->of['j'] =
        open_loops(inliner, x, axes, in,
                   part ? emit_text(inliner->e, "%s %s = %s;", type, part, start) : NULL);
    inliner->indent = emit_text(inliner->e, "%s    ", scope.indent);
    words->of['x'] = inliner_value(inliner, x, in);
    words->of['b'] = emit_formula(
        inliner->e, emit_vector_choices(inliner->e, pass->element, inliner->width), words);
    words->of['a'] = part ? part : name;
    emit_line(inliner->e, "%s%s = %s;\n%s}", inliner->indent, words->of['a'],
              emit_formula(inliner->e, pass->combine, words), scope.indent);
    if (part)
        emit_line(inliner->e, "%s%s = %s + %s;\n%s}", scope.indent, name, name, part, scope.indent);
    inliner_close(inliner, &scope);
    if (pass->then)
        emit_line(inliner->e, "%s%s", inliner->indent, emit_formula(inliner->e, pass->then, words));
}

/* argmax and argmin in one loop: keep the first of the best elements, and its place. */
static void write_place(struct inliner *inliner, size_t node, const struct rowwise_formula *formula,
                        struct formula_words *words, const struct vector_coordinates *in)
{
    size_t x = emit_node_at(inliner->e, node)->in[0];
    struct op_call call = graph_call(&inliner->e->writer->graph, node);
    struct inliner_scope scope = inliner_open(inliner);
    const char *best = emit_text(inliner->e, "%s%s", formula->passes[0].name, words->of['@']);
    const char *place = emit_text(inliner->e, "%s%s", formula->passes[1].name, words->of['@']);
    const char *order = strcmp(formula->op, "argmax") == 0 ? ">" : "<", *number, *value;

    emit_line(inliner->e, "%s%s %s = %s;", scope.indent, words->of['X'], best,
              emit_formula(inliner->e, formula->passes[0].start, words));
    emit_line(inliner->e, "%sint %s = INT_MAX;", scope.indent, place);
    inliner->indent = scope.indent;
    number = open_loops(inliner, x, call.op->axes(&call), in, NULL);
    inliner->indent = emit_text(inliner->e, "%s    ", scope.indent);
    value = inliner_value(inliner, x, in);
    emit_line(inliner->e, "%sif (%s == INT_MAX || %s %s %s) {", inliner->indent, place, value,
              order, best);
    emit_line(inliner->e, "%s    %s = %s;\n%s    %s = %s;\n%s}\n%s}", inliner->indent, best, value,
              inliner->indent, place, number, inliner->indent, scope.indent);
    inliner_close(inliner, &scope);
}

static const char *reduction(struct inliner *inliner, size_t node,
                             const struct vector_coordinates *at)
{
    struct op_call call = graph_call(&inliner->e->writer->graph, node);
    const struct rowwise_formula *formula = formula_rowwise(call.op->name);
    size_t x = emit_node_at(inliner->e, node)->in[0], number = inliner->names++;
    struct vector_coordinates in = reduced(inliner, &call, at, number);
    bool is_place = inliner->width == 1 && strncmp(formula->op, "arg", strlen("arg")) == 0;
    struct formula_words words = {0};

    formula_set_rowwise(&words, &call);
    words.of['@'] = emit_text(inliner->e, "_%zu", number);
    words.of['n'] =
        emit_text(inliner->e, "(float)(%s)", emit_sizes(inliner->e, x, call.op->axes(&call)));
    words.of['T'] = inliner_type(inliner, emit_node_at(inliner->e, node)->out);
    words.of['X'] = inliner_type(inliner, x);
    if (is_place)
        write_place(inliner, node, formula, &words, &in);
    for (size_t i = 0; !is_place && i < FORMULA_MAX_PASSES && formula->passes[i].name; i++)
        write_pass(inliner, node, &formula->passes[i], &words, &in);
    return emit_formula(inliner->e,
                        emit_vector_choices(inliner->e, formula->result, inliner->width), &words);
}

static const char *compute(struct inliner *inliner, size_t node,
                           const struct vector_coordinates *at)
{
    switch (emit_node_at(inliner->e, node)->op->kind) {
    case OP_ELEMENTWISE:
        return element(inliner, node, at);
    case OP_REDUCTION:
        return reduction(inliner, node, at);
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

void inliner_store(struct inliner *inliner, size_t value, const struct vector_coordinates *at)
{
    const struct value *v = emit_value_at(inliner->e, value);
    const struct graph *graph = &inliner->e->writer->graph;
    size_t node = 0;
    struct strbuf index = {0};
    const char *text;

    inliner->needs_narrower |= inliner->width > 1 && v->dtype != DTYPE_F32;
    while (graph->nodes.items[node].out != value)
        node++;
    inliner->known.count = 0;
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
