#include "core/agent/builtin/emit/pull.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/model/op/op_channelwise.h"

/* A value's variable for a place. */
struct pulled {
    size_t value;
    struct locus at;
    int width;
    const char *name;
};

static const struct value *value_at(const struct pull *p, size_t value)
{
    return &p->e->writer->graph.values.items[value];
}

static const struct graph_node *node_at(const struct pull *p, size_t node)
{
    return &p->e->writer->graph.nodes.items[node];
}

void pull_release(struct pull *p)
{
    vec_release(&p->known);
}

struct pull_scope pull_open(struct pull *p)
{
    struct pull_scope scope = {p->known.count, p->indent};

    p->indent = emit_text(p->e, "%s    ", p->indent);
    return scope;
}

void pull_close(struct pull *p, const struct pull_scope *scope)
{
    p->known.count = scope->known;
    p->indent = scope->indent;
}

const char *pull_type(struct pull *p, size_t value)
{
    return emit_type(p->e, formula_type(value_at(p, value)->dtype)->compute, p->width);
}

const char *pull_number(struct pull *p, const char *fmt, ...)
{
    struct strbuf text = {0};
    const char *name = emit_text(p->e, "n%zu", p->names++);
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    emit_line(p->e, "%sconst int %s = %s;", p->indent, name, strbuf_cstr(&text));
    strbuf_release(&text);
    return name;
}

struct locus pull_broadcast(struct pull *p, size_t in, size_t out, const struct locus *at)
{
    const struct extents *extents = &p->e->writer->extents;
    size_t shift = value_at(p, out)->shape.rank - value_at(p, in)->shape.rank;
    struct locus moved = *at;

    moved.place = writer_broadcast(p->e->writer, in, out, &at->place);
    moved.lane = NO_LANE;
    if (at->lane == NO_LANE || at->lane < shift || !strcmp(extents->of[in][at->lane - shift], "1"))
        return moved;
    moved.lane = at->lane - shift;
    p->is_stuck |= p->width > 1 && !writer_same_size(p->e->writer, in, moved.lane, out, at->lane);
    return moved;
}

/* Whether vectors at the place are at multiples of their size in memory. */
static bool is_aligned(const struct pull *p, size_t value, const struct locus *at)
{
    size_t last = value_at(p, value)->shape.rank - 1;

    return at->is_aligned && p->e->writer->extents.is_fixed[value][last] &&
           value_at(p, value)->shape.dims[last] % p->width == 0;
}

/* The element in memory. */
static const char *load(struct pull *p, size_t value, const struct locus *at)
{
    const struct value *v = value_at(p, value);
    struct strbuf index = {0}, scalar = {0};
    const char *text;

    kernel_add_value(&p->e->kernel, v, false);
    writer_index(p->e->writer, value, v->shape.rank, &at->place, &index);
    p->is_stuck |= p->width > 1 && v->dtype != DTYPE_F32;
    p->is_stuck |= p->width > 1 && at->lane != NO_LANE && at->lane + 1 != v->shape.rank;
    if (p->width > 1 && at->lane != NO_LANE) {
        text = (is_aligned(p, value, at) ? emit_aligned_load : emit_vector_load)(
            p->e, p->width, emit_text(p->e, "p_%s + %s", v->name, strbuf_cstr(&index)));
    } else {
        writer_load(v, strbuf_cstr(&index), &scalar);
        text = emit_text(p->e, "%s", emit_splat(p->e, strbuf_cstr(&scalar), p->width));
    }
    strbuf_release(&scalar);
    strbuf_release(&index);
    return text;
}

/* NOLINTBEGIN(misc-no-recursion): the graph is walked from a result to what it depends on, and
 * fusion_plan() bounds how far */
const char *pull_operand(struct pull *p, size_t node, size_t number, const struct locus *at)
{
    size_t in = node_at(p, node)->in[number], out = node_at(p, node)->out;
    enum dtype own = value_at(p, in)->dtype, result = value_at(p, out)->dtype;
    const char *text = pull_value(p, in, at);

    if (own == result || own == DTYPE_BOOL || result == DTYPE_BOOL ||
        strcmp(formula_type(own)->compute, formula_type(result)->compute) == 0)
        return text;
    return emit_text(p->e, "(%s)%s", formula_type(result)->compute, text);
}

static const char *element(struct pull *p, size_t node, const struct locus *at)
{
    struct op_call call = graph_call(&p->e->writer->graph, node);
    struct formula_words words = {0};

    formula_set_call(&words, &call);
    words.of['T'] = pull_type(p, node_at(p, node)->out);
    for (size_t i = 0; i < call.in_count; i++) {
        struct locus in = pull_broadcast(p, node_at(p, node)->in[i], node_at(p, node)->out, at);

        words.of['a' + i] = pull_operand(p, node, i, &in);
    }
    return emit_element(p->e, &call, &words, p->width);
}

/* A norm with given statistics, which belong to axis 1. */
static const char *batch_norm(struct pull *p, size_t node, const struct locus *at)
{
    struct op_call call = graph_call(&p->e->writer->graph, node);
    struct locus channel = {.lane = at->lane == 1 ? 0 : NO_LANE, .is_aligned = at->is_aligned};
    struct formula_words words = {0};

    words.of['d'] = "1.0f";
    words.of['e'] = "0.0f";
    formula_set_call(&words, &call);
    place_set(&channel.place, 0, at->place.at[1]);
    for (size_t i = 0; i < call.in_count; i++)
        words.of['a' + i] = pull_operand(p, node, i, i == 0 ? at : &channel);
    return emit_formula(p->e, formula_batch_norm, &words);
}

/* Pair i of a row is turned by angle i: the element and the other one of its pair. */
static const char *rope(struct pull *p, size_t node, const struct locus *at)
{
    struct op_call call = graph_call(&p->e->writer->graph, node);
    size_t last = call.out->shape.rank - 1;
    const char *d = at->place.at[last], *of[4];
    const char *half =
        emit_text(p->e, "(%s / 2)", p->e->writer->extents.of[node_at(p, node)->out][last]);
    bool is_interleaved = op_attribute(&call, "interleaved")->integers[0];
    struct locus other = *at, angle;

    p->is_stuck |= p->width > 1 && (is_interleaved || !at->is_aligned || at->lane != last ||
                                    call.out->shape.dims[last] / 2 % p->width != 0);
    place_set(&other.place, last,
              is_interleaved
                  ? pull_number(p, "%s ^ 1", d)
                  : pull_number(p, "%s < %s ? %s + %s : %s - %s", d, half, d, half, d, half));
    of[0] = pull_value(p, node_at(p, node)->in[0], at);
    of[3] = pull_value(p, node_at(p, node)->in[0], &other);
    place_set(&other.place, last,
              is_interleaved ? pull_number(p, "%s / 2", d) : pull_number(p, "%s %% %s", d, half));
    for (size_t i = 1; i < 3; i++) {
        size_t in = node_at(p, node)->in[i], rank = value_at(p, in)->shape.rank;

        angle = other;
        angle.place = writer_broadcast(p->e->writer, in, node_at(p, node)->out, &other.place);
        angle.lane = rank > 0 ? rank - 1 : NO_LANE;
        if (rank > 0 && value_at(p, in)->shape.dims[rank - 1] > 1)
            place_set(&angle.place, rank - 1, other.place.at[last]);
        else
            angle.lane = NO_LANE;
        of[i] = pull_operand(p, node, i, &angle);
    }
    return emit_text(p->e, "%s * %s + (%s ? 1.0f : -1.0f) * %s * %s", of[0], of[1],
                     is_interleaved ? emit_text(p->e, "%s %% 2", d)
                                    : emit_text(p->e, "%s >= %s", d, half),
                     of[3], of[2]);
}

/* The place in the operand of a reduction, whose own axes are numbered by `k<axis>_<number>`. */
static struct locus reduced(struct pull *p, const struct op_call *call, const struct locus *at,
                            size_t number)
{
    unsigned axes = call->op->axes(call);
    bool keeps = call->out->shape.rank == call->in[0]->shape.rank;
    struct locus in = {.lane = NO_LANE, .is_aligned = at->is_aligned};
    size_t from = 0;

    for (size_t axis = 0; axis < call->in[0]->shape.rank; axis++) {
        bool is_reduced = axes >> axis & 1;
        size_t out = keeps ? axis : from;

        place_set(&in.place, axis,
                  is_reduced ? emit_text(p->e, "k%zu_%zu", axis, number) : at->place.at[out]);
        if (!is_reduced && out == at->lane)
            in.lane = axis;
        from += !is_reduced;
    }
    return in;
}

/* One pass over what is reduced, a loop for each axis. */
static void write_pass(struct pull *p, size_t node, const struct line_pass *pass,
                       struct formula_words *words, const struct locus *in)
{
    const struct writer *w = p->e->writer;
    size_t x = node_at(p, node)->in[0];
    struct op_call call = graph_call(&w->graph, node);
    unsigned axes = call.op->axes(&call);
    struct pull_scope scope = pull_open(p);
    const char *name = emit_text(p->e, "%s%s", pass->name, words->of['@']), *place = "0";

    emit_line(p->e, "%s%s %s = %s;", scope.indent, emit_formula(p->e, pass->type, words), name,
              emit_formula(p->e, pass->start, words));
    for (size_t axis = 0; axis < value_at(p, x)->shape.rank; axis++)
        if (axes >> axis & 1) {
            const char *k = in->place.at[axis];

            emit_line(p->e, "%sfor (int %s = 0; %s < %s; %s++)", scope.indent, k, k,
                      w->extents.of[x][axis], k);
            place = emit_text(p->e, "(%s * %s + %s)", place, w->extents.of[x][axis], k);
        }
    emit_line(p->e, "%s{", scope.indent);
    words->of['x'] = pull_value(p, x, in);
    words->of['j'] = place;
    words->of['b'] = emit_formula(p->e, emit_choices(p->e, pass->element, p->width), words);
    words->of['a'] = name;
    emit_line(p->e, "%s%s = %s;\n%s}", p->indent, name, emit_formula(p->e, pass->join, words),
              scope.indent);
    pull_close(p, &scope);
    if (pass->then)
        emit_line(p->e, "%s%s", p->indent, emit_formula(p->e, pass->then, words));
}

static const char *reduction(struct pull *p, size_t node, const struct locus *at)
{
    struct op_call call = graph_call(&p->e->writer->graph, node);
    const struct line_formula *formula = formula_line(call.op->name);
    size_t x = node_at(p, node)->in[0], number = p->names++;
    struct locus in = reduced(p, &call, at, number);
    struct formula_words words = {0};
    struct strbuf count = {0};

    extents_product(&p->e->writer->extents, x, call.op->axes(&call), &count);
    formula_set_line(&words, &call);
    words.of['@'] = emit_text(p->e, "_%zu", number);
    words.of['n'] = emit_text(p->e, "(float)(%s)", strbuf_cstr(&count));
    words.of['T'] = pull_type(p, node_at(p, node)->out);
    words.of['X'] = pull_type(p, x);
    strbuf_release(&count);
    for (size_t i = 0; i < FORMULA_MAX_PASSES && formula->passes[i].name; i++)
        write_pass(p, node, &formula->passes[i], &words, &in);
    return emit_formula(p->e, emit_choices(p->e, formula->result, p->width), &words);
}

static const char *compute(struct pull *p, size_t node, const struct locus *at)
{
    switch (node_at(p, node)->op->kind) {
    case OP_ELEMENTWISE:
        return element(p, node, at);
    case OP_REDUCTION:
        return reduction(p, node, at);
    case OP_CHANNELWISE:
        return batch_norm(p, node, at);
    case OP_ATTENTION:
        return rope(p, node, at);
    case OP_MOVEMENT:
        return pull_movement(p, node, at);
    case OP_ROWWISE:
    case OP_PRODUCT:
    case OP_CONVOLUTION:
    case OP_WINDOW:
    default:
        return "0";
    }
}

static const struct pulled *find(const struct pull *p, size_t value, const struct locus *at)
{
    size_t rank = value_at(p, value)->shape.rank;

    for (size_t i = 0; i < p->known.count; i++) {
        const struct pulled *k = &p->known.items[i];
        size_t axis = 0;

        if (k->value != value || k->at.lane != at->lane || k->width != p->width)
            continue;
        while (axis < rank && strcmp(k->at.place.at[axis], at->place.at[axis]) == 0)
            axis++;
        if (axis == rank)
            return k;
    }
    return NULL;
}

/* The node that computes a value that is not in memory; nodes.count where it is. */
static size_t source_of(const struct pull *p, size_t value)
{
    const struct graph *graph = &p->e->writer->graph;
    size_t group = p->e->fusion->group_of[value], n = 0;

    if (group == SIZE_MAX || p->e->fusion->is_stored[value] ||
        p->e->fusion->groups.items[group].family != FAMILY_PLACES)
        return graph->nodes.count;
    while (n < graph->nodes.count && graph->nodes.items[n].out != value)
        n++;
    return n;
}

static const char *declare(struct pull *p, size_t value, const struct locus *at, const char *text)
{
    struct pulled pulled = {.value = value, .at = *at, .width = p->width};

    pulled.name = emit_text(p->e, "v%zu_%s", p->names++, value_at(p, value)->name);
    emit_line(p->e, "%sconst %s %s = %s;", p->indent, pull_type(p, value), pulled.name, text);
    vec_push(&p->known, pulled);
    return pulled.name;
}

const char *pull_value(struct pull *p, size_t value, const struct locus *at)
{
    const struct pulled *known = find(p, value, at);
    size_t node = source_of(p, value);
    char number[32];

    if (known)
        return known->name;
    if (value_at(p, value)->role == TENSOR_CONSTANT) {
        formula_number(value_at(p, value)->dtype, value_at(p, value)->fill.a, number);
        return emit_splat(p->e, emit_text(p->e, "%s", number), p->width);
    }
    if (node == p->e->writer->graph.nodes.count)
        return declare(p, value, at, load(p, value, at));
    p->is_stuck |= p->width > 1 && value_at(p, value)->dtype != DTYPE_F32;
    if (node_at(p, node)->op->kind == OP_MOVEMENT)
        return pull_movement(p, node, at);
    return declare(p, value, at, emit_rounded(p->e, node, compute(p, node, at)));
}
/* NOLINTEND(misc-no-recursion) */

const char *pull_index(struct pull *p, size_t value, const struct locus *at)
{
    struct locus one = *at;
    int width = p->width;
    const char *text;

    p->is_stuck |= width > 1 && at->lane != NO_LANE;
    one.lane = NO_LANE;
    p->width = 1;
    text = pull_value(p, value, &one);
    p->width = width;
    return text;
}

void pull_store(struct pull *p, size_t value, const struct locus *at)
{
    const struct value *v = value_at(p, value);
    const struct graph *graph = &p->e->writer->graph;
    size_t node = 0;
    struct strbuf index = {0};
    const char *text;

    p->is_stuck |= p->width > 1 && v->dtype != DTYPE_F32;
    while (graph->nodes.items[node].out != value)
        node++;
    p->known.count = 0;
    text = declare(p, value, at, compute(p, node, at));
    writer_index(p->e->writer, value, v->shape.rank, &at->place, &index);
    if (p->width > 1)
        emit_line(
            p->e, "%s%s;", p->indent,
            (is_aligned(p, value, at) ? emit_aligned_store : emit_vector_store)(
                p->e, p->width, text, emit_text(p->e, "p_%s + %s", v->name, strbuf_cstr(&index))));
    else
        writer_store(p->e->writer, v, strbuf_cstr(&index), text, p->indent);
    strbuf_release(&index);
}
