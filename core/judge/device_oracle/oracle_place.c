#include "core/judge/device_oracle/oracle_place.h"

#include <string.h>

#include "core/base/mem.h"

static const struct value *value_at(const struct oracle_writer *w, size_t index)
{
    return &w->graph->values.items[index];
}

static bool is_computed(const struct oracle_writer *w, size_t index)
{
    enum tensor_role role = value_at(w, index)->role;

    return role == TENSOR_OUTPUT || role == TENSOR_INNER;
}

struct oracle_place *oracle_places_new(const struct oracle_writer *w)
{
    struct oracle_place *places = mem_alloc_zeroed(w->graph->values.count + 1, sizeof(*places));

    for (size_t i = 0; i < w->graph->values.count; i++)
        places[i] =
            (struct oracle_place){.elements = tensor_is_given(value_at(w, i)->role) ? i : NO_BUFFER,
                                  .variances = NO_BUFFER};
    return places;
}

static bool is_read_after(const struct graph *graph, size_t node, size_t value)
{
    for (size_t n = node + 1; n < graph->nodes.count; n++)
        for (size_t i = 0; i < graph->nodes.items[n].in_count; i++)
            if (graph->nodes.items[n].in[i] == value)
                return true;
    return false;
}

/* True if a later node reads the buffer, through a function. */
static bool is_source_after(const struct oracle_writer *w, size_t node, size_t buffer)
{
    for (size_t i = 0; i < w->graph->values.count; i++)
        for (size_t s = 0; s < w->places[i].source_count; s++)
            if (w->places[i].sources[s] == buffer && is_read_after(w->graph, node, i))
                return true;
    return false;
}

/* Free the buffers of an inner value, if no later node reads them. */
static void give_value(struct oracle_writer *w, size_t node, size_t value)
{
    struct oracle_place *place = &w->places[value];

    if (value_at(w, value)->role != TENSOR_INNER || place->function ||
        is_read_after(w->graph, node, value) ||
        (w->functions && is_source_after(w, node, place->elements)))
        return;
    if (!place->is_taken) {
        oracle_writer_give(w, place->elements);
        oracle_writer_give(w, place->variances);
    }
    *place = (struct oracle_place){.elements = NO_BUFFER, .variances = NO_BUFFER};
}

void oracle_places_give(struct oracle_writer *w, size_t node)
{
    const struct graph_node *done = &w->graph->nodes.items[node];

    for (size_t i = 0; i < done->in_count; i++)
        give_value(w, node, done->in[i]);
    for (size_t i = 0; w->functions && i < w->graph->values.count; i++)
        if (is_computed(w, i) && w->places[i].elements != NO_BUFFER)
            give_value(w, node, i);
}

/* True if kernels of this kind read each element of an operand at most a few times. */
static bool reads_seldom(const struct graph_node *node)
{
    return node->op->kind == OP_ELEMENTWISE || node->op->kind == OP_REDUCTION ||
           node->op->kind == OP_ROWWISE || node->op->kind == OP_CHANNELWISE ||
           node->op->kind == OP_MOVEMENT || node->op->kind == OP_WINDOW;
}

/*
 * A value that is computed element by element is not stored if it is large and all its readers may
 * compute it themselves. Few functions call each other: each calls those of its operands for values
 * and again for variances, so calls double with each one, which compilers have to undo.
 */
static bool is_inlined(const struct oracle_writer *w, size_t node)
{
    enum { MOST_CALLS = 4 };
    const struct graph_node *own = &w->graph->nodes.items[node];
    size_t calls = 1, sources = 0;

    if (value_at(w, own->out)->role != TENSOR_INNER || (w->edges && w->edges[node] != NO_BUFFER) ||
        (own->op->kind != OP_ELEMENTWISE && own->op->kind != OP_MOVEMENT) ||
        shape_elements(&value_at(w, own->out)->shape) < w->inlined_elements)
        return false;
    for (size_t i = 0; i < own->in_count; i++) {
        const struct oracle_place *in = &w->places[own->in[i]];

        calls += in->depth;
        sources += in->function ? in->source_count : 2;
    }
    for (size_t n = node + 1; n < w->graph->nodes.count; n++)
        for (size_t i = 0; i < w->graph->nodes.items[n].in_count; i++)
            if (w->graph->nodes.items[n].in[i] == own->out &&
                !reads_seldom(&w->graph->nodes.items[n]))
                return false;
    return calls <= MOST_CALLS && sources <= ORACLE_MAX_SOURCES;
}

/*
 * True if the node's kernels can store expected elements and tolerances in the output's tensors. If
 * the graph is evaluated twice, standard deviations are stored first, and the elements of the
 * second evaluation in a tensor of their own; where there is none, doubles are stored.
 */
static bool makes_result(const struct oracle_writer *w, size_t node)
{
    const struct graph_node *own = &w->graph->nodes.items[node];

    return !w->strays && value_at(w, own->out)->role == TENSOR_OUTPUT &&
           own->op->kind != OP_RECURRENCE && (!w->evaluates_twice || w->second[own->out]) &&
           !is_read_after(w->graph, node, own->out);
}

static int64_t count_of(const struct oracle_writer *w, size_t value)
{
    return shape_elements(&value_at(w, value)->shape);
}

/* The node that computes an inner value. */
static const struct graph_node *producer_of(const struct oracle_writer *w, size_t value)
{
    size_t n = 0;

    while (w->graph->nodes.items[n].out != value)
        n++;
    return &w->graph->nodes.items[n];
}

/* The only inner operand of a node; SIZE_MAX if it has none or several. */
static size_t only_inner(const struct oracle_writer *w, const struct graph_node *node)
{
    size_t only = SIZE_MAX;

    for (size_t i = 0; i < node->in_count; i++) {
        if (value_at(w, node->in[i])->role != TENSOR_INNER)
            continue;
        if (only != SIZE_MAX && only != node->in[i])
            return SIZE_MAX;
        only = node->in[i];
    }
    return only;
}

/*
 * The stored value from whose elements those of `value` are computed, one from one at the same
 * place; SIZE_MAX if there is none.
 */
static size_t find_stored(const struct oracle_writer *w, size_t value)
{
    while (w->places[value].function) {
        const struct graph_node *node = producer_of(w, value);
        size_t from = node->op->kind == OP_ELEMENTWISE ? only_inner(w, node) : SIZE_MAX;

        if (from == SIZE_MAX || count_of(w, from) != count_of(w, value))
            return SIZE_MAX;
        value = from;
    }
    return value_at(w, value)->role == TENSOR_INNER && w->places[value].elements != NO_BUFFER
               ? value
               : SIZE_MAX;
}

/* True if an operand reads the stored value at places other than that of the result. */
static bool reads_elsewhere(const struct oracle_writer *w, const struct graph_node *node,
                            size_t stored)
{
    for (size_t i = 0; i < node->in_count; i++) {
        const struct oracle_place *place = &w->places[node->in[i]];

        for (size_t s = 0; s < place->source_count; s++)
            if (place->sources[s] == w->places[stored].elements &&
                (find_stored(w, node->in[i]) != stored ||
                 count_of(w, node->in[i]) != count_of(w, node->out)))
                return true;
    }
    return false;
}

/* True if kernels of this kind read an operand's element where they write the result's. */
static bool reads_in_place(const struct graph_node *node)
{
    return node->op->kind == OP_ELEMENTWISE || node->op->kind == OP_CHANNELWISE ||
           (node->op->kind == OP_ROWWISE && !strstr(node->op->name, "cum") &&
            strcmp(node->op->name, "argsort") != 0);
}

/* The stored value whose buffers the node may write its result over; SIZE_MAX if there is none. */
static size_t find_replaced(const struct oracle_writer *w, size_t node)
{
    const struct graph_node *own = &w->graph->nodes.items[node];

    for (size_t i = 0; i < own->in_count && reads_in_place(own); i++) {
        bool is_whole = value_at(w, own->in[i])->role == TENSOR_INNER &&
                        count_of(w, own->in[i]) == count_of(w, own->out);
        size_t stored = is_whole ? find_stored(w, own->in[i]) : SIZE_MAX;

        if (stored != SIZE_MAX && !is_read_after(w->graph, node, stored) &&
            !is_source_after(w, node, w->places[stored].elements) &&
            !reads_elsewhere(w, own, stored))
            return stored;
    }
    return SIZE_MAX;
}

/* Place the result in the buffers of an operand that is no longer needed, or in free ones. */
static void place_in_buffers(struct oracle_writer *w, size_t node, struct oracle_place *place)
{
    size_t replaced = find_replaced(w, node);
    int64_t elements = count_of(w, w->graph->nodes.items[node].out);

    if (replaced != SIZE_MAX) {
        place->elements = w->places[replaced].elements;
        place->variances = w->places[replaced].variances;
        w->places[replaced].is_taken = true;
    } else {
        place->elements = oracle_writer_take(w, elements);
    }
    if (oracle_writer_keeps_variances(w) && place->variances == NO_BUFFER)
        place->variances = oracle_writer_take(w, elements);
}

static size_t depth_of(const struct oracle_writer *w, const struct graph_node *node)
{
    size_t depth = 1;

    for (size_t i = 0; i < node->in_count; i++)
        depth += w->places[node->in[i]].depth;
    return depth;
}

bool oracle_place_result(struct oracle_writer *w, size_t node)
{
    const struct graph_node *own = &w->graph->nodes.items[node];
    struct oracle_place *place = &w->places[own->out];
    bool is_function = is_inlined(w, node);

    *place = (struct oracle_place){.elements = NO_BUFFER, .variances = NO_BUFFER};
    if (is_function) {
        place->depth = depth_of(w, own);
    } else if (makes_result(w, node)) {
        place->is_result = true;
        place->elements = w->rounds || w->moves ? w->second[own->out] : own->out;
        place->variances = oracle_writer_keeps_variances(w) ? w->allowed[own->out] : NO_BUFFER;
    } else {
        place_in_buffers(w, node, place);
    }
    return is_function;
}
