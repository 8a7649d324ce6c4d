#include "core/session/recorded/standalone/standalone_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/model/op/op_product.h"

/*
 * Where the samples are in a value: sample i has the places i * block to (i + 1) * block - 1 along
 * an axis.
 */
struct place {
    bool is_known; /* false: the value is the same whatever the samples are */
    size_t axis;
    int64_t block;
};

struct search {
    const struct graph *graph;
    int64_t size;
    struct place *places; /* of each value */
    unsigned *uniform;    /* bit i: all elements along axis i of a value are the same */
    struct op_call call;  /* the node in question */
    const size_t *in;     /* its operands */
    bool asks_for_sizes;  /* the PyTorch file does */
};

static const char along[] = "works along it";
static const char mixes[] = "has operands with samples at different places";
static const char depends[] = "has other values for each sample";
static const char unclear[] = "moves its samples";

static const struct place *place_of(const struct search *s, size_t operand)
{
    return &s->places[s->in[operand]];
}

static bool is_known_after(const struct search *s, size_t first)
{
    for (size_t i = first; i < s->call.in_count; i++)
        if (place_of(s, i)->is_known)
            return true;
    return false;
}

/* True if an operand without samples is the same for all of them along an axis of the result. */
static bool is_same_along(const struct search *s, size_t operand, size_t axis)
{
    const struct shape *shape = &s->call.in[operand]->shape;
    size_t missing = s->call.out->shape.rank - shape->rank;

    return axis < missing || shape->dims[axis - missing] == 1 ||
           s->uniform[s->in[operand]] >> (axis - missing) & 1;
}

/*
 * Operands from `first` on broadcast to the result: samples have to be at one place, and whatever
 * has none is the same for all.
 */
static const char *broadcast(const struct search *s, size_t first, struct place *out)
{
    size_t rank = s->call.out->shape.rank;

    for (size_t i = first; i < s->call.in_count; i++) {
        struct place place = *place_of(s, i);

        if (!place.is_known)
            continue;
        place.axis += rank - s->call.in[i]->shape.rank;
        if (out->is_known && (out->axis != place.axis || out->block != place.block))
            return mixes;
        *out = place;
    }
    for (size_t i = first; i < s->call.in_count; i++)
        if (!place_of(s, i)->is_known && !is_same_along(s, i, out->axis))
            return depends;
    return NULL;
}

/* A number that is the batch's size, or its inverse, may stem from the batch if the file asks for
 * sizes. */
static const char *elementwise(const struct search *s, struct place *out)
{
    for (size_t i = 0; s->asks_for_sizes && i < s->call.in_count; i++) {
        double number = s->call.in[i]->fill.a, size = (double)s->size;

        if (s->call.in[i]->role == TENSOR_CONSTANT &&
            (number == size || fabs(number * size - 1) < 1e-6))
            return "has a number that may be its size";
    }
    return broadcast(s, 0, out);
}

/* Reductions and row-wise operations: along other axes only. */
static const char *lines(const struct search *s, struct place *out)
{
    const struct op_call *call = &s->call;
    unsigned axes = call->op->axes(call);

    *out = *place_of(s, 0);
    if (is_known_after(s, 1))
        return mixes;
    if (axes >> out->axis & 1)
        return along;
    if (call->out->shape.rank < call->in[0]->shape.rank)
        out->axis -= (size_t)__builtin_popcount(axes & ((1u << out->axis) - 1));
    return NULL;
}

/* Each sample by itself, as norms per channel, convolutions and pooling do. */
static const char *first_axis(const struct search *s, struct place *out)
{
    *out = *place_of(s, 0);
    return is_known_after(s, 1) ? mixes : out->axis != 0 ? along : NULL;
}

/* Find where a matrix's samples are in the product. `inner` is the axis of its sums. */
static const char *factor(const struct search *s, size_t operand, size_t inner, struct place *out)
{
    const struct shape *shape = &s->call.in[operand]->shape;
    size_t rank = s->call.out->shape.rank;
    struct place place = *place_of(s, operand);

    if (!place.is_known)
        return NULL;
    if (place.axis == inner)
        return along;
    place.axis =
        place.axis + 2 >= shape->rank ? rank - 2 + operand : place.axis + rank - shape->rank;
    if (out->is_known && (out->axis != place.axis || out->block != place.block))
        return mixes;
    *out = place;
    return NULL;
}

static const char *product(const struct search *s, struct place *out)
{
    const struct op_call *call = &s->call;
    struct product p = product_of(call);
    size_t ranks[] = {call->in[0]->shape.rank, call->in[1]->shape.rank};
    const char *why = factor(s, 0, ranks[0] - (p.a_transposed ? 2 : 1), out);

    if (strcmp(call->op->name, "linear") == 0)
        return why ? why : is_known_after(s, 1) ? mixes : (*out = *place_of(s, 0), NULL);
    if (!why)
        why = factor(s, 1, ranks[1] - (p.b_transposed ? 1 : 2), out);
    if (why || out->axis + 2 >= call->out->shape.rank)
        return !why && is_known_after(s, 1) && place_of(s, 0)->is_known ? mixes : why;
    for (size_t i = 0; i < 2; i++)
        if (!place_of(s, i)->is_known && !is_same_along(s, i, out->axis))
            return depends;
    return NULL;
}

/* Queries, keys and values of each sample; a mask or rope's angles may be the same for all. */
static const char *attention(const struct search *s, struct place *out)
{
    const struct op_call *call = &s->call;
    bool is_rope = strcmp(call->op->name, "rope") == 0;
    size_t rank = call->out->shape.rank;
    const char *why = broadcast(s, 0, out);

    if (why)
        return why;
    if (!place_of(s, 0)->is_known || out->axis + (is_rope ? 1 : 2) >= rank)
        return along;
    for (size_t i = 1; !is_rope && i < 3; i++)
        if (!place_of(s, i)->is_known ||
            call->in[i]->shape.dims[out->axis] != call->in[0]->shape.dims[out->axis])
            return mixes;
    return NULL;
}

/* Samples are along the second axis of the gates, and the first of the states. */
static const char *recurrence(const struct search *s, struct place *out)
{
    size_t states = strcmp(s->call.op->name, "lstm") == 0 ? 2 : 1;
    const struct place *gates = place_of(s, 0);

    if (!gates->is_known || gates->axis != 1 || place_of(s, 1)->is_known ||
        is_known_after(s, 2 + states))
        return along;
    for (size_t i = 2; i < 2 + states; i++) {
        const struct place *state = place_of(s, i);

        if (state->is_known ? state->axis != 0 || state->block != gates->block
                            : !(s->uniform[s->in[i]] & 1))
            return depends;
    }
    *out = *gates;
    out->axis = s->call.out->shape.rank - 2;
    return NULL;
}

/* Find the samples in a view, by the places that its elements have in the operand. */
static const char *view(const struct search *s, struct place *out)
{
    const struct shape *from = &s->call.in[0]->shape, *to = &s->call.out->shape;
    const struct place *place = place_of(s, 0);
    struct tensor_view v = s->call.op->view(&s->call);
    ptrdiff_t strides[SHAPE_MAX_RANK], sample, all;

    shape_strides(from, strides);
    sample = strides[place->axis] * place->block;
    all = sample * s->size;
    for (size_t o = 0; o < to->rank; o++) {
        int64_t block = to->dims[o] / s->size;
        ptrdiff_t low = v.offset % all, high = low + (block - 1) * v.strides[o];

        if (to->dims[o] % s->size != 0 || block * v.strides[o] != sample)
            continue;
        for (size_t i = 0; i < to->rank; i++) {
            ptrdiff_t reach =
                i == o || v.strides[i] % all == 0 ? 0 : (to->dims[i] - 1) * v.strides[i];

            low += reach < 0 ? reach : 0;
            high += reach > 0 ? reach : 0;
        }
        *out = (struct place){true, o, block};
        if (low >= 0 && high < sample)
            return NULL;
    }
    return unclear;
}

/* Movements that are not views, along axis `dim`: `dim` must be another axis than that of samples.
 */
static const char *joined(const struct search *s, size_t dim, struct place *out)
{
    const char *why = broadcast(s, 0, out);

    return why ? why : out->axis == dim ? along : NULL;
}

static const char *padded(const struct search *s, struct place *out)
{
    const struct attribute *pad = op_attribute(&s->call, "pad");
    size_t last = s->call.in[0]->shape.rank - 1;

    *out = *place_of(s, 0);
    for (size_t i = 0; i < pad->count; i++)
        if (pad->integers[i] != 0 && last - i / 2 == out->axis)
            return along;
    return NULL;
}

/* Rows of a table by an index: of each sample's own one, or of one that is the same for all. */
static const char *looked_up(const struct search *s, size_t dim, struct place *out)
{
    const struct place *table = place_of(s, 0), *index = place_of(s, 1);
    bool is_gather = strcmp(s->call.op->name, "gather") == 0;

    *out = table->is_known ? *table : (struct place){true, dim, index->block};
    if (is_known_after(s, 2))
        return mixes;
    if (!table->is_known)
        return (is_gather ? index->axis == dim : true) ? NULL : depends;
    if (table->axis == dim)
        return along;
    if (!is_gather)
        return index->is_known ? mixes : NULL;
    return index->is_known && index->axis == table->axis && index->block == table->block ? NULL
                                                                                         : mixes;
}

static const char *movement(const struct search *s, struct place *out)
{
    const struct op_call *call = &s->call;
    const struct attribute *dim = op_attribute(call, "dim");
    size_t rank = call->in[0]->shape.rank, axis;

    if (call->op->view)
        return view(s, out);
    if (strcmp(call->op->name, "pad") == 0)
        return padded(s, out);
    if (strcmp(call->op->name, "embedding") == 0) {
        *out = *place_of(s, 0);
        return is_known_after(s, 1) ? mixes : NULL;
    }
    if (!dim)
        return unclear;
    axis = (size_t)(dim->integers[0] < 0 ? dim->integers[0] + (int64_t)rank : dim->integers[0]);
    if (strcmp(call->op->name, "concat") == 0)
        return joined(s, axis, out);
    return call->in_count == 2 ? looked_up(s, axis, out) : unclear;
}

/* Additions at an index mix the samples that it names. */
static const char *scattered(const struct search *s, struct place *out)
{
    (void)out;
    return is_known_after(s, 0) ? mixes : NULL;
}

static const char *(*const rules[])(const struct search *s, struct place *out) = {
    [OP_ELEMENTWISE] = elementwise, [OP_REDUCTION] = lines,       [OP_ROWWISE] = lines,
    [OP_CHANNELWISE] = first_axis,  [OP_PRODUCT] = product,       [OP_CONVOLUTION] = first_axis,
    [OP_ATTENTION] = attention,     [OP_RECURRENCE] = recurrence, [OP_WINDOW] = first_axis,
    [OP_SCATTER] = scattered,       [OP_MOVEMENT] = movement,
};

/* Remember along which axes an expanded value is the same. */
static void note_uniform(struct search *s, size_t out)
{
    struct tensor_view v;

    if (!s->call.op->view)
        return;
    v = s->call.op->view(&s->call);
    for (size_t i = 0; i < s->call.out->shape.rank; i++)
        if (v.strides[i] == 0 || s->uniform[s->in[0]] == ~0u)
            s->uniform[out] |= 1u << i;
}

/* Follow the samples through a node; NULL, or why that cannot be. */
static const char *follow(struct search *s, size_t number)
{
    const struct graph_node *node = &s->graph->nodes.items[number];
    struct place out = {0};
    const char *why = NULL;

    s->call = graph_call(s->graph, number);
    s->in = node->in;
    if (!is_known_after(s, 0)) {
        note_uniform(s, node->out);
        return NULL;
    }
    if (!place_of(s, 0)->is_known && s->call.op->kind != OP_ELEMENTWISE &&
        s->call.op->kind != OP_PRODUCT && s->call.op->kind != OP_MOVEMENT)
        return mixes;
    why = rules[s->call.op->kind](s, &out);
    if (!why && s->call.out->shape.dims[out.axis] != s->size * out.block)
        why = unclear;
    s->places[node->out] = out;
    return why;
}

static bool has_samples(const struct place *place)
{
    return place->is_known && place->axis == 0 && place->block == 1;
}

static bool asks_for_sizes(const struct problem *problem)
{
    static const char *const ways[] = {".shape", ".size(", "len(", ".numel("};

    for (size_t i = 0; problem->torch.keys && i < sizeof(ways) / sizeof(ways[0]); i++)
        if (strstr(problem->torch.source, ways[i]))
            return true;
    return false;
}

/* Follow the samples of the inputs that are marked, and set the reason if that cannot be. */
static void search(struct standalone_batch *batch, const struct problem *problem,
                   const struct graph *graph)
{
    struct search s = {
        .graph = graph, .size = batch->size, .asks_for_sizes = asks_for_sizes(problem)};
    const struct value *values = graph->values.items;
    const char *why = NULL;
    size_t n = 0;

    s.places = mem_alloc_zeroed(graph->values.count, sizeof(*s.places));
    s.uniform = mem_alloc_zeroed(graph->values.count, sizeof(*s.uniform));
    strbuf_release(&batch->reason);
    for (size_t i = 0; i < problem->tensors.count; i++) {
        s.places[i] = (struct place){batch->is_batched[i], 0, 1};
        if (values[i].role == TENSOR_PARAM && values[i].fill.kind == FILL_CONSTANT &&
            problem->torch.keys && !json_get(problem->torch.keys, values[i].name))
            s.uniform[i] = ~0u; /* a constant of the file, which cannot be loaded */
    }
    while (!why && n < graph->nodes.count)
        why = follow(&s, n++);
    if (why)
        strbuf_addf(&batch->reason, "graph[%zu], %s, %s", n - 1, s.call.op->name, why);
    for (size_t i = 0; !why && i < problem->tensors.count; i++) {
        if (values[i].role != TENSOR_OUTPUT)
            continue;
        batch->is_batched[i] = has_samples(&s.places[i]);
        if (!batch->is_batched[i] && !batch->reason.len)
            strbuf_addf(&batch->reason, "it is not the first axis of %s", values[i].name);
    }
    free(s.places);
    free(s.uniform);
}

void standalone_batch_find(struct standalone_batch *batch, const struct problem *problem,
                           const struct graph *graph)
{
    size_t count = problem->tensors.count, first = 0, batched = 0;
    const struct value *values = graph->values.items;
    char *reason;

    *batch = (struct standalone_batch){.is_batched = mem_alloc_zeroed(count, sizeof(bool))};
    while (first < count && (values[first].role != TENSOR_INPUT || values[first].shape.rank == 0))
        first++;
    if (first == count || graph->nodes.count == 0) {
        strbuf_adds(&batch->reason,
                    graph->nodes.count ? "no input has an axis" : "there is no graph");
        return;
    }
    batch->size = values[first].shape.dims[0];
    if (batch->size == 1) {
        strbuf_adds(&batch->reason, "a batch of 1 looks like any other axis of size 1");
        return;
    }
    for (size_t i = first; i < count; i++)
        if (values[i].role == TENSOR_INPUT && values[i].shape.rank > 0 &&
            values[i].shape.dims[0] == batch->size)
            batched += batch->is_batched[i] = true;
    search(batch, problem, graph);
    if (!batch->reason.len || batched == 1)
        return;
    reason = strbuf_take(&batch->reason);
    memset(batch->is_batched, 0, count * sizeof(bool));
    batch->is_batched[first] = true;
    search(batch, problem, graph);
    if (batch->reason.len) {
        strbuf_release(&batch->reason);
        strbuf_adds(&batch->reason, reason);
    }
    free(reason);
}

void standalone_batch_release(struct standalone_batch *batch)
{
    free(batch->is_batched);
    strbuf_release(&batch->reason);
}
